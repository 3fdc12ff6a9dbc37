"""What a verifier's machine installs: this Benchwright as a wheel, and what its scorers need, pinned as it is here."""

from __future__ import annotations

import base64
import hashlib
import zipfile
from collections.abc import Iterator
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from importlib.resources import files
from pathlib import Path

from benchwright import __version__

WHEEL = f"benchwright-{__version__}-py3-none-any.whl"
_INFO = f"benchwright-{__version__}.dist-info"
_FLAVOUR = "Wheel-Version: 1.0\nGenerator: benchwright\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
_LEFT_OUT = frozenset({"__pycache__"})
_OLDEST = (1980, 1, 1, 0, 0, 0)
"""The date of every file of the wheel, so that equal files make equal wheels."""

NEEDED = (
    *("duckdb", "jinja2", "matplotlib", "numpy", "openpyxl", "pandas", "pillow", "platformdirs", "polars", "psutil"),
    *("pyarrow", "pydantic", "rapidfuzz", "scikit-learn", "scipy", "statsmodels", "zstandard"),
)
"""What the scorers import; not what runs agents, talks to models, or draws reports."""


def write_wheel(folder: Path) -> Path:
    """Pack the package that is running as a wheel; the same package gives the same bytes."""
    path = folder / WHEEL
    folder.mkdir(parents=True, exist_ok=True)
    record = []
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in _contents():
            archive.writestr(zipfile.ZipInfo(name, _OLDEST), data, zipfile.ZIP_DEFLATED)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            record.append(f"{name},sha256={digest},{len(data)}")
        listed = "\n".join([*record, f"{_INFO}/RECORD,,", ""])
        archive.writestr(zipfile.ZipInfo(f"{_INFO}/RECORD", _OLDEST), listed, zipfile.ZIP_DEFLATED)
    return path


def _contents() -> Iterator[tuple[str, bytes]]:
    root = Path(str(files("benchwright")))
    for path in sorted(root.rglob("*")):
        if path.is_file() and not _LEFT_OUT & set(path.parts):
            yield f"benchwright/{path.relative_to(root).as_posix()}", path.read_bytes()
    yield f"{_INFO}/METADATA", f"Metadata-Version: 2.1\nName: benchwright\nVersion: {__version__}\n".encode()
    yield f"{_INFO}/WHEEL", _FLAVOUR.encode()


def requirements() -> str:
    """`name==version` of everything that the scorers need, and of what that needs, as installed here."""
    pinned: dict[str, str] = {}
    waiting = list(NEEDED)
    while waiting:
        found = _installed(waiting.pop())
        if found is None or found.name.lower() in pinned:
            continue
        pinned[found.name.lower()] = found.version
        waiting += _needs(found)
    return "".join(f"{name}=={version}\n" for name, version in sorted(pinned.items()))


def _installed(name: str) -> Distribution | None:
    """A distribution that is here; what is needed on other machines alone is not."""
    try:
        return distribution(name)
    except PackageNotFoundError:
        return None


def _needs(found: Distribution) -> Iterator[str]:
    from packaging.requirements import Requirement

    for line in found.requires or ():
        requirement = Requirement(line)
        if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
            yield requirement.name
