"""The engine's filter of system calls, made of the same table as the filter that the first process installs."""

from __future__ import annotations

import errno
import json
import os
from typing import Any, Final

from benchwright.sandbox.holder import seccomp, system

_MACHINES: Final = {"x86_64": "SCMP_ARCH_X86_64", "aarch64": "SCMP_ARCH_AARCH64"}


def profile(machine: str = "") -> str:
    """A profile in the format that Docker and Podman share.

    It refuses what `holder.seccomp` refuses, but for one thing: the first process may still make the one user
    namespace that takes it from an own host uid to an ordinary user inside, and then installs its own filter on top.
    Programs of another architecture are killed, as everything that the profile does not name by architecture is.
    """
    rules = [
        _refuse(list(seccomp.FORBIDDEN), errno.EPERM),
        _refuse(list(seccomp.ABSENT), errno.ENOSYS),
        *(_refuse(["clone"], errno.EPERM, _any_of(flag)) for flag in _bits(seccomp.NAMESPACE_FLAGS)),
        *(
            _refuse(["unshare"], errno.EPERM, _any_of(flag))
            for flag in _bits(seccomp.NAMESPACE_FLAGS & ~system.CLONE_NEWUSER)
        ),
        *(_refuse(["ioctl"], errno.EPERM, _equal(1, request)) for request in seccomp.TERMINAL_REQUESTS),
    ]
    document = {
        "defaultAction": "SCMP_ACT_ALLOW",
        "architectures": [_MACHINES[machine or os.uname().machine]],
        "syscalls": rules,
    }
    return json.dumps(document, indent=1)


def _bits(flags: int) -> list[int]:
    return [1 << bit for bit in range(flags.bit_length()) if flags >> bit & 1]


def _refuse(names: list[str], number: int, *arguments: dict[str, Any]) -> dict[str, Any]:
    rule: dict[str, Any] = {"names": names, "action": "SCMP_ACT_ERRNO", "errnoRet": number}
    return rule | {"args": list(arguments)} if arguments else rule


def _any_of(flag: int) -> dict[str, Any]:
    return {"index": 0, "value": flag, "valueTwo": flag, "op": "SCMP_CMP_MASKED_EQ"}


def _equal(index: int, value: int) -> dict[str, Any]:
    return {"index": index, "value": value, "op": "SCMP_CMP_EQ"}
