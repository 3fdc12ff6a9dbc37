"""Preparing an attempt on a large room: mounting it as it lies, against extracting its archive for the attempt.

The room is made of 1,000 files and 1 GB: tables of random numbers as text, which compress about as data do. "Extract" is what CoDA-Bench's
published protocol does for each task, `tar --use-compress-program='zstd -d' -xf ARCHIVE`, into a fresh folder; "mount" opens a
namespace sandbox on the room, with tracing, up to the answer of a first command that reads one file. Both take turns. Our own
one-time extraction is timed, too: it is done once a room, not once an attempt. Needs zstd.

    python benchmarks/prepare_room.py [--files 1000] [--megabytes 1000] [--rounds 3] [--json FILE]
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from statistics import median

import numpy as np
import polars as pl

from benchwright.sandbox.base import Exec, Room, SandboxSpec
from benchwright.sandbox.namespace import NamespaceProvider

ROW_BYTES = 30


def make_room(room: Path, files: int, megabytes: int) -> int:
    """Deterministic tables in folders of fifty; the bytes written."""
    size = (megabytes * 1_000_000) // files
    total = 0
    for number in range(files):
        folder = room / f"part{number // 50:02}"
        folder.mkdir(parents=True, exist_ok=True)
        folder.chmod(0o755)
        total += (folder / f"table{number:04}.csv").write_bytes(table(number, size))
    room.chmod(0o755)
    return total


def table(number: int, size: int) -> bytes:
    """Rows of numbers, shares and categories, drawn by a generator that is seeded with the table's number."""
    draw = np.random.default_rng(number)
    rows = size // ROW_BYTES + 1
    columns = {
        "id": np.arange(rows),
        "value": draw.integers(0, 10**9, rows),
        "share": draw.random(rows).round(6),
        "region": draw.choice([f"region{index}" for index in range(13)], rows),
    }
    text = pl.DataFrame(columns).write_csv().encode()
    return text[:size]


def pack(room: Path, archive: Path) -> None:
    words = ["tar", "--use-compress-program=zstd -3 -T0", "-cf", archive, "-C", room.parent, room.name]
    subprocess.run(words, check=True)


def extract(archive: Path, place: Path) -> float:
    """Seconds that the published protocol's way takes."""
    with tempfile.TemporaryDirectory(dir=place) as target:
        begin = time.perf_counter()
        words = ["tar", "--use-compress-program=zstd -d", "-xf", archive, "-C", target]
        subprocess.run(words, check=True)
        return time.perf_counter() - begin


def mount(provider: NamespaceProvider, room: Path) -> float:
    some = max(room.rglob("*.csv")).relative_to(room)
    begin = time.perf_counter()
    with provider.open(SandboxSpec(rooms=(Room("large", room),))) as sandbox:
        outcome = sandbox.run(Exec(("head", "-n1", f"/data/{some}")))
        assert outcome.exit_code == 0, outcome.stderr
        return time.perf_counter() - begin


def measure(files: int, megabytes: int, rounds: int) -> dict:
    with (
        tempfile.TemporaryDirectory(prefix="benchwright-large-", dir="/var/tmp") as name,
        NamespaceProvider() as provider,
    ):
        place = Path(name)
        room, archive = place / "room", place / "room.tar.zst"
        room.mkdir()
        size = make_room(room, files, megabytes)
        pack(room, archive)
        os.sync()
        mount(provider, room)
        extracted, mounted = [], []
        for _ in range(rounds):
            extracted.append(extract(archive, place))
            mounted.append(mount(provider, room))
        return {
            "files": files,
            "bytes": size,
            "archive_bytes": archive.stat().st_size,
            "rounds": rounds,
            "extract_s": round(median(extracted), 3),
            "mount_s": round(median(mounted), 3),
            "extract_over_mount": round(median(e / m for e, m in zip(extracted, mounted, strict=True)), 1),
            "extract_bytes_on_disk_per_attempt": size,
            "mount_bytes_on_disk_per_attempt": 0,
        }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=1000)
    parser.add_argument("--megabytes", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", type=Path, help="write the figures there, too")
    options = parser.parse_args()
    if shutil.which("zstd") is None:
        raise SystemExit("zstd is not installed")
    found = measure(options.files, options.megabytes, options.rounds)
    print(f"{found['files']} files, {found['bytes'] / 1e6:.0f} MB, archive {found['archive_bytes'] / 1e6:.0f} MB")
    print(f"{'way':32} {'seconds (median)':>17}")
    print(f"{'extract for each attempt':32} {found['extract_s']:17}")
    print(f"{'mount for each attempt':32} {found['mount_s']:17}")
    print(f"{'ratio (median of rounds)':32} {found['extract_over_mount']:17}")
    if options.json:
        options.json.write_text(json.dumps(found, indent=2) + "\n")


if __name__ == "__main__":
    main()
