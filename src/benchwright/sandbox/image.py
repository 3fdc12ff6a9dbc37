"""The image that containers start from: empty folders to mount on, imported from a small archive, no registry."""

from __future__ import annotations

import io
import tarfile
from typing import Final, Protocol

from benchwright.files import sha256

_NAME: Final = "localhost/benchwright"
_FOLDERS: Final = (
    *("dev", "etc", "opt", "opt/benchwright", "proc", "run", "sys", "tmp", "usr", "var", "workspace"),
    *("usr/bin", "usr/lib", "usr/sbin"),
)
_LINKS: Final = (
    ("bin", "usr/bin"),
    ("sbin", "usr/sbin"),
    ("lib", "usr/lib"),
    ("lib32", "usr/lib32"),
    ("lib64", "usr/lib64"),
    ("var/tmp", "/tmp"),  # noqa: S108 - the container's own
)
_FILES: Final = ("etc/group", "etc/hostname", "etc/hosts", "etc/passwd", "etc/resolv.conf")
"""Empty: engines make these by themselves where they find none, and look for users in them."""


class Importer(Protocol):
    """As much of a container engine as an image needs."""

    def call(self, *words: str, given: bytes = b"") -> str:
        """Run one command of the engine; its output."""

    def succeeds(self, *words: str) -> bool:
        """Whether a command of the engine ends without an error."""


def archive() -> bytes:
    """The root file system as a tar archive; the same bytes on every machine."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for path in _FOLDERS:
            tar.addfile(_entry(path, tarfile.DIRTYPE, 0o755))
        for path, target in _LINKS:
            link = _entry(path, tarfile.SYMTYPE, 0o777)
            link.linkname = target
            tar.addfile(link)
        for path in _FILES:
            tar.addfile(_entry(path, tarfile.REGTYPE, 0o644))
    return buffer.getvalue()


def _entry(path: str, kind: bytes, mode: int) -> tarfile.TarInfo:
    entry = tarfile.TarInfo(path)
    entry.type, entry.mode = kind, mode
    return entry


def name() -> str:
    """The image's name; other contents are another name."""
    return f"{_NAME}:{sha256(archive())[:12]}"


def ensure(engine: Importer) -> str:
    """The name of the image, which is imported first where the engine does not have it (a second, once)."""
    if not engine.succeeds("image", "inspect", name()):
        engine.call("import", "-", name(), given=archive())
    return name()


def others(engine: Importer) -> tuple[str, ...]:
    """The names of our images with other contents, which earlier versions made."""
    listed = engine.call("images", "--format", "{{.Repository}}:{{.Tag}}").split()
    return tuple(found for found in listed if found.startswith(f"{_NAME}:") and found != name())
