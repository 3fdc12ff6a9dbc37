"""How long the viewer takes over a large run: opening it, following it, and pages that filter, search and sort.

Usage: .venv/bin/python benchmarks/viewer_pages.py [ATTEMPTS]        default: 100,000
"""

import asyncio
import itertools
import multiprocessing
import random
import resource
import statistics
import sys
import tempfile
import time
from pathlib import Path

from benchwright.run import Attempt, Cell, Key, RunFolder, RunSpec, ScoreRow
from benchwright.score import Scored
from benchwright.trajectory import Answered, LimitHit, Usage
from benchwright.viewer.access import Access
from benchwright.viewer.app import application
from benchwright.viewer.gallery import Gallery

PAGES = {
    "first page": "",
    "sorted by cost": "sort=cost&order=down",
    "sorted by task, last page": "sort=task&page=99999",
    "filtered": "verdict=right&agent=agent-1&ending=answered",
    "searched": "text=answer+77",
}
ROUNDS = 9


def make(folder: Path, count: int) -> None:
    """A finished run of `count` attempts of four agents, with verdicts, as it lies on disk; without transcripts."""
    cells = tuple(Cell(agent=f"agent-{number}", suite_digest="0" * 64) for number in range(4))
    epochs = 5
    spec = RunSpec(suite="large", suite_folder=str(folder / "none"), suite_digest="0" * 64, cells=cells, epochs=epochs)
    run = RunFolder.create(folder, spec)
    run.append("session", number=1, pid=1, pending=count, spec=spec.to_json())
    chance = random.Random(1)
    keys = itertools.islice(
        ((cell.id, f"task_{task:06}", epoch) for task in itertools.count() for cell in cells for epoch in range(1, 6)),
        count,
    )
    attempts, rows = [], []
    for number, (cell, task, epoch) in enumerate(keys):
        ending = Answered() if chance.random() < 0.9 else LimitHit(which="wall")
        usage = Usage(input_tokens=chance.randrange(10**5), output_tokens=900, cost_usd=chance.random())
        attempts.append(
            Attempt(cell=cell, task_id=task, epoch=epoch, uuid=f"u{number}", ending=ending, usage=usage,
                    answer=f"answer {chance.randrange(10**6)} " + "and so on " * 20, wall_seconds=chance.random() * 600,
                    steps=chance.randrange(30), started=f"2026-01-01T{number // 3600 % 24:02}:00:00+00:00")
        )  # fmt: skip
        score = Scored(value=float(chance.random() < 0.4))
        rows += [
            ScoreRow(cell=cell, task_id=task, epoch=epoch, name=name, score=score) for name in ("sound", "reference")
        ]
    run.append("end", stopped="")
    from benchwright.run.tables import write_attempt_table

    write_attempt_table(run.attempts_path, attempts, cells)
    for mode in ("sound", "reference"):
        run.write_scores(mode, [row for row in rows if row.name == mode], {})


def go_on(folder: Path, count: int) -> None:
    """Put all attempts into the journal, as those of a run that was taken up again."""
    from benchwright.run.tables import read_attempt_table

    run = RunFolder.open(folder)
    run.append("session", number=2, pid=1, pending=count, spec=run.spec.to_json())
    for attempt in read_attempt_table(run.attempts_path):
        run.append("attempt", attempt=attempt.to_json())


def beside(work, *arguments) -> None:
    """Do something in a process of its own: what it takes of memory is not the viewer's."""
    process = multiprocessing.get_context("spawn").Process(target=work, args=arguments)
    process.start()
    process.join()
    assert process.exitcode == 0


def ask(app, query: str) -> int:
    """Ask for a page of the list in this process, the network left out; returns its bytes."""
    body = []

    async def send(message):
        body.append(message.get("body", b""))

    async def receive():
        return {"type": "http.request", "body": b"", "more_body": False}

    scope = {"type": "http", "http_version": "1.1", "method": "GET", "path": "/attempts", "raw_path": b"/attempts",
             "query_string": query.encode(), "headers": [(b"host", b"localhost")], "scheme": "http",
             "root_path": "", "server": ("localhost", 80), "client": ("localhost", 1)}  # fmt: skip
    asyncio.run(app(scope, receive, send))
    return sum(map(len, body))


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run"
        beside(make, path, count)
        began, used = time.perf_counter(), time.process_time()
        gallery = Gallery.open([path])
        gallery.rows()
        print(
            f"{count:,} attempts: opened in {time.perf_counter() - began:.2f} s ({time.process_time() - used:.2f} s CPU)"
        )
        app = application(gallery, Access.of("localhost", 80))
        for name, query in PAGES.items():
            walls, cpus = [], []
            for _ in range(ROUNDS):
                began, used = time.perf_counter(), time.process_time()
                size = ask(app, query)
                walls.append(time.perf_counter() - began)
                cpus.append(time.process_time() - used)
            print(f"  {name:28} {statistics.median(walls):.3f} s, {statistics.median(cpus):.3f} s CPU, {size:,} bytes")
        beside(go_on, path, count)
        used = time.process_time()
        gallery.rows()
        print(f"  the same run by its journal, as it goes on: {time.process_time() - used:.2f} s CPU")
        run, used = gallery.runs["run"].run, time.process_time()
        run.record(gallery.runs["run"].attempt(Key(run.spec.cells[0].id, "task_000000", 1)))
        gallery.rows()
        print(f"  one attempt more: {time.process_time() - used:.3f} s CPU")
        print(f"  memory at most {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:,.0f} MB")
        gallery.close()


if __name__ == "__main__":
    main()
