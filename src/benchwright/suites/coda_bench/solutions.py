"""Puts the paths of a reference solution where its data lie, so that it can be run in a room."""

from __future__ import annotations

from collections.abc import Iterable

from benchwright.gold import RequiredFile
from benchwright.reading import Target

MOUNT = "/data"


def relocated(code: str, files: Iterable[tuple[Target, RequiredFile]]) -> str:
    """The program with the folders of its data files replaced by those in the room.

    Programs name folders in many ways (`my_shop/source`, `../input/my-shop`, `/Kaggle/.../my_shop`), none of which is
    there. What leads to a file is replaced wherever it stands in the text; a file that is not in the room, or of
    which no folder is named, is left alone.
    """
    moves = {pair for target, file in files for pair in _moves(target, file)}
    for written, place in sorted(moves, key=lambda pair: -len(pair[0])):
        for mark in ('"', "'"):
            code = code.replace(f"{mark}{written}", f"{mark}{place}")
    return code


def _moves(target: Target, file: RequiredFile) -> Iterable[tuple[str, str]]:
    """(folder as written, folder in the room) for each file that the path means."""
    below = target.path.partition("/source/")[2]
    written = target.read.path.removesuffix(below)
    if not below or not written.strip("./") or written == target.read.path:
        return
    for match in file.matches:
        before, marker, _ = match.partition("/source/")
        yield written, f"{MOUNT}/{before}{marker}"
