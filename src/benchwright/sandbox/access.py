"""Which tracer a sandbox gets: the best that this machine can run, or the one that was asked for."""

from __future__ import annotations

from functools import cache

from benchwright.errors import EnvironmentFault
from benchwright.sandbox import fanotify, strace
from benchwright.sandbox.base import Tracing
from benchwright.sandbox.fanotify import FanotifyTracer
from benchwright.sandbox.strace import StraceTracer
from benchwright.sandbox.tracing import Tracer, Untraced


@cache
def missing() -> dict[str, str]:
    """For each tracer, best first, why this process cannot use it; an empty text where it can."""
    return {"fanotify": fanotify.unavailable(), "strace": strace.unavailable()}


def choose(tracing: Tracing) -> Tracer:
    """A tracer for one sandbox. "auto" prefers fanotify (root), then strace, then none, with both reasons.

    Raises EnvironmentFault where a tracer was asked for by name and cannot be had.
    """
    if tracing == "off":
        return Untraced()
    reasons = missing()
    if tracing == "auto":
        usable = next((name for name, reason in reasons.items() if not reason), None)
        if usable is None:
            return Untraced("; ".join(f"{name}: {reason}" for name, reason in reasons.items()))
        return _tracer(usable, demanded=False)
    if reasons[tracing]:
        raise EnvironmentFault(
            f"file access cannot be traced by {tracing} here",
            found=reasons[tracing],
            expected="fanotify: root with CAP_SYS_ADMIN; strace: version 5.3 or newer, and ptrace allowed",
            hint="use tracing=auto, or run `benchwright doctor`",
        )
    return _tracer(tracing, demanded=True)


def _tracer(name: str, *, demanded: bool) -> Tracer:
    return FanotifyTracer(demanded=demanded) if name == "fanotify" else StraceTracer()
