"""The filter of system calls, run by a small machine of its own for every architecture."""

import errno
import re
import struct
from pathlib import Path

import pytest

from benchwright.sandbox.holder import seccomp

ALLOW, KILL = 0x7FFF0000, 0x80000000
MACHINES = ["x86_64", "aarch64"]
NEWUSER, THREAD = 0x10000000, 0x00010000


def verdict(machine, number, *arguments, audit=None, polled=()):
    """What the kernel would do: run the filter's instructions on one call."""
    program = seccomp.program(machine, polled)
    audit = seccomp.ARCHITECTURES[machine].audit if audit is None else audit
    values = [*arguments, *([0] * (6 - len(arguments)))]
    data = struct.pack("<IIQ6Q", number & 0xFFFFFFFF, audit, 0, *(value & (2**64 - 1) for value in values))
    place, word = 0, 0
    while True:
        code, if_true, if_false, value = struct.unpack_from("<HBBI", program, place * 8)
        place += 1
        if code == 0x20:
            word = struct.unpack_from("<I", data, value)[0]
        elif code == 0x06:
            return value
        else:
            holds = {0x15: word == value, 0x35: word >= value, 0x45: bool(word & value)}[code]
            place += if_true if holds else if_false


def refused(number=errno.EPERM):
    return 0x00050000 | number


@pytest.mark.parametrize("machine", MACHINES)
class TestEveryMachine:
    def test_the_program_fits_what_the_kernel_takes(self, machine):
        program = seccomp.program(machine)
        assert len(program) % 8 == 0
        assert len(program) // 8 < 4096

    def test_every_named_call_is_refused(self, machine):
        column = seccomp.ARCHITECTURES[machine].column
        for name, numbers in seccomp.FORBIDDEN.items():
            if numbers[column] >= 0:
                assert verdict(machine, numbers[column]) == refused(), name
        for name, numbers in seccomp.ABSENT.items():
            assert verdict(machine, numbers[column]) == refused(errno.ENOSYS), name

    def test_ordinary_calls_pass(self, machine):
        forbidden = {
            numbers[seccomp.ARCHITECTURES[machine].column] for numbers in (seccomp.FORBIDDEN | seccomp.ABSENT).values()
        }
        assert all(verdict(machine, number, 1) == ALLOW for number in range(60) if number not in forbidden)

    def test_calls_that_nobody_looked_at_do_not_exist(self, machine):
        for number in (450, 462, 999, 0x3FFFFFFF):
            assert verdict(machine, number) == refused(errno.ENOSYS)

    def test_threads_may_be_made_and_namespaces_may_not(self, machine):
        calls = seccomp.ARCHITECTURES[machine]
        for number in (calls.clone, calls.unshare):
            assert verdict(machine, number, THREAD) == ALLOW
            for flag in (NEWUSER, 0x20000, 0x80, 0x02000000, 0x04000000, 0x08000000, 0x20000000, 0x40000000):
                assert verdict(machine, number, flag | THREAD) == refused()
                assert verdict(machine, number, 1 << 40 | flag) == refused()

    def test_sockets_are_for_unix_ip_and_routes(self, machine):
        socket = seccomp.ARCHITECTURES[machine].socket
        assert [verdict(machine, socket, family, 1) for family in (1, 2, 10)] == [ALLOW] * 3
        assert verdict(machine, socket, 16, 3, 0) == ALLOW
        assert verdict(machine, socket, 16, 3, 15) == refused(errno.EPROTONOSUPPORT)
        for family in (3, 17, 31, 38, 40, 44):
            assert verdict(machine, socket, family) == refused(errno.EAFNOSUPPORT)

    def test_of_internet_sockets_only_the_usual_protocols_pass(self, machine):
        calls = seccomp.ARCHITECTURES[machine]
        stream, datagram, sequenced, dccp, packet = 1, 2, 5, 6, 10
        no_wait = 0o4000
        for family in (2, 10):
            assert verdict(machine, calls.socket, family, stream | no_wait, 6) == ALLOW
            assert verdict(machine, calls.socket, family, datagram, 17) == ALLOW
            for kind in (sequenced, dccp, packet):
                assert verdict(machine, calls.socket, family, kind, 0) == refused(errno.EPROTONOSUPPORT)
            for protocol in (33, 115, 132, 136, 262):
                assert verdict(machine, calls.socket, family, stream, protocol) == refused(errno.EPROTONOSUPPORT)

    def test_pairs_of_sockets_are_for_unix(self, machine):
        pair = seccomp.ARCHITECTURES[machine].socketpair
        assert verdict(machine, pair, 1, 1, 0) == ALLOW
        for family in (2, 16, 30, 40):
            assert verdict(machine, pair, family, 1, 0) == refused(errno.EAFNOSUPPORT)

    def test_the_first_process_is_not_sent_the_stop_signal(self, machine):
        column = seccomp.ARCHITECTURES[machine].column
        for name, (numbers, process, sent) in seccomp.STOPPING.items():
            arguments = [7, 7, 7]
            arguments[sent] = 19
            if process is not None:
                assert verdict(machine, numbers[column], *arguments) == ALLOW, name
                arguments[process] = 1
            assert verdict(machine, numbers[column], *arguments) == refused(), name
            arguments[sent] = 15
            assert verdict(machine, numbers[column], *arguments) == ALLOW, name

    def test_the_first_process_is_not_limited_or_slowed_and_others_are(self, machine):
        column = seccomp.ARCHITECTURES[machine].column
        for name, (numbers, process, everyone) in seccomp.REACHING.items():
            for target, answer in ((0, ALLOW), (7, ALLOW), (1, refused()), (1 << 32 | 1, refused())):
                arguments = [0, 0, 0]
                arguments[process] = target
                assert verdict(machine, numbers[column], *arguments) == answer, (name, target)
            if everyone is not None:
                assert verdict(machine, numbers[column], everyone, 0) == refused(), name

    def test_no_descriptor_sends_the_stop_signal(self, machine):
        fcntl = (72, 25)[seccomp.ARCHITECTURES[machine].column]
        assert verdict(machine, fcntl, 3, 10, 19) == refused()
        assert verdict(machine, fcntl, 3, 10, 29) == ALLOW
        assert verdict(machine, fcntl, 3, 4, 19) == ALLOW

    def test_a_filter_may_be_added_that_nobody_listens_to(self, machine):
        call = seccomp.ARCHITECTURES[machine].seccomp
        assert verdict(machine, call, 1, 1) == ALLOW
        for flags in (8, 9, 1 << 32 | 8, 0x18):
            assert verdict(machine, call, 1, flags) == refused()

    def test_what_gets_round_a_limit_is_refused_where_no_control_group_keeps_it(self, machine):
        column = seccomp.ARCHITECTURES[machine].column
        for limit, calls in seccomp.UNCOUNTED.items():
            for name, numbers in calls.items():
                assert verdict(machine, numbers[column]) == ALLOW, name
                assert verdict(machine, numbers[column], polled=(limit,)) == refused(), name

    def test_terminals_and_personalities_are_looked_at_by_argument(self, machine):
        calls = seccomp.ARCHITECTURES[machine]
        assert verdict(machine, calls.ioctl, 0, 0x5412) == refused()
        assert verdict(machine, calls.ioctl, 0, 1 << 32 | 0x5412) == refused()
        assert verdict(machine, calls.ioctl, 0, 0x5401) == ALLOW
        assert verdict(machine, calls.personality, 0xFFFFFFFF) == ALLOW
        assert verdict(machine, calls.personality, 0x0040000) == refused()

    def test_another_architectures_calls_kill(self, machine):
        other = next(name for name in MACHINES if name != machine)
        for audit in (0x40000003, seccomp.ARCHITECTURES[other].audit):
            assert verdict(machine, 1, audit=audit) == KILL


def test_x32_calls_kill():
    assert verdict("x86_64", 0x40000000 | 1) == KILL


def _every_call():
    return seccomp.FORBIDDEN | seccomp.ABSENT | seccomp.UNCOUNTED["memory"] | seccomp.UNCOUNTED["cpus"]


@pytest.mark.parametrize(
    ("column", "header"),
    [(0, "/usr/include/x86_64-linux-gnu/asm/unistd_64.h"), (1, "/usr/include/asm-generic/unistd.h")],
)
def test_the_numbers_are_those_of_the_kernels_headers(column, header):
    if not Path(header).exists():
        pytest.skip("the kernel's headers are not installed")
    pattern = r"#define\s+__NR(?:3264)?_(\w+)\s+(\d+)"
    known = {name: int(number) for name, number in re.findall(pattern, Path(header).read_text())}
    listed = {name: numbers[column] for name, numbers in _every_call().items()}
    assert {name: number for name, number in listed.items() if number != known.get(name, -1)} == {}
    by_argument = seccomp.STOPPING | seccomp.REACHING
    assert {name: numbers[column] for name, (numbers, _, _) in by_argument.items()} == {
        name: known[name] for name in by_argument
    }
    machine = seccomp.ARCHITECTURES[MACHINES[column]]
    for name in ("clone", "unshare", "socket", "socketpair", "ioctl", "personality", "seccomp"):
        assert getattr(machine, name) == known[name]
