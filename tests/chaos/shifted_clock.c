/* A clock that is set again and again, for every program that is started with this library before all others. */
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const long JUMPS[] = {-86400, 0, 0, 3600, 86400};

static long jump(void) {
    static unsigned state = 7;
    state = state * 1103515245u + 12345u;
    return JUMPS[(state >> 16) % 5];
}

int clock_gettime(clockid_t clock, struct timespec *now) {
    int outcome = (int)syscall(SYS_clock_gettime, clock, now);
    if (outcome == 0 && clock == CLOCK_REALTIME) now->tv_sec += jump();
    return outcome;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    struct timespec found;
    (void)zone;
    int outcome = clock_gettime(CLOCK_REALTIME, &found);
    now->tv_sec = found.tv_sec;
    now->tv_usec = found.tv_nsec / 1000;
    return outcome;
}

time_t time(time_t *out) {
    struct timespec found;
    clock_gettime(CLOCK_REALTIME, &found);
    if (out) *out = found.tv_sec;
    return found.tv_sec;
}
