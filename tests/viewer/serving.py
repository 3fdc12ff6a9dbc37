"""A run of many attempts, and a viewer that serves it from a thread."""

import threading
import time
from contextlib import contextmanager

import uvicorn

from benchwright.run import Attempt, Cell, RunFolder, RunSpec, ScoreRow
from benchwright.score import Scored
from benchwright.trajectory import Answered, Broke, LimitHit, Trajectory, Usage
from benchwright.viewer.access import Access
from benchwright.viewer.app import application
from benchwright.viewer.gallery import Gallery
from benchwright.viewer.serving import Place, listening

ENDINGS = (Answered(), Answered(), LimitHit(which="wall"), Broke(fault="model", detail="no answer"))


def new_run(suite, folder, agents=("one", "two"), epochs=20):
    """A run folder without attempts yet."""
    cells = tuple(Cell(agent=agent, suite_digest=suite.digest) for agent in agents)
    spec = RunSpec(
        suite=suite.name, suite_folder=str(suite.folder), suite_digest=suite.digest, cells=cells, epochs=epochs
    )
    run = RunFolder.create(folder, spec)
    run.append("session", number=1, pid=1, pending=6, spec=spec.to_json())
    return run


def attempt(cell, task, epoch, number=0, **values):
    plain = {
        "cell": cell,
        "task_id": task,
        "epoch": epoch,
        "uuid": f"a{number}",
        "ending": ENDINGS[number % 4],
        "answer": f"answer {number}",
        "usage": Usage(input_tokens=number, cost_usd=number / 100),
        "steps": number % 7,
        "wall_seconds": 1.0 + number,
        "started": f"2026-01-01T00:{number // 60 % 60:02}:{number % 60:02}",
    }
    return Attempt(**{**plain, **values})


def fill(run, suite, epochs=20, *, scored=True):
    """Every attempt of the run, without files, and verdicts on each: every third is right."""
    rows = []
    for cell in run.spec.cells:
        for task in suite.tasks:
            for epoch in range(1, epochs + 1):
                number = len(rows)
                run.append("attempt", attempt=attempt(cell.id, task, epoch, number).to_json())
                value = 1.0 if number % 3 == 0 else 0.0
                rows.append(ScoreRow(cell=cell.id, task_id=task, epoch=epoch, name="sound", score=Scored(value=value)))
    run.append("end", stopped="")
    run.write_attempts()
    if scored:
        run.write_scores("sound", rows, {})
    return run


def tell(run, number, steps):
    """Keep a transcript of an attempt."""
    run.transcripts.write(f"a{number}", Trajectory(steps=steps))


@contextmanager
def served(*folders, access=None, with_gold=False):
    """The address of a viewer over some run folders."""
    with Gallery.open(folders, with_gold=with_gold) as gallery, listening(Place(port=0)) as listener:
        port = listener.getsockname()[1]
        rules = access or Access.of("127.0.0.1", port)
        config = uvicorn.Config(application(gallery, rules), log_level="warning", lifespan="off", access_log=False)
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            while not server.started:
                time.sleep(0.01)
            yield f"http://127.0.0.1:{port}"
        finally:
            server.should_exit = True
            thread.join()
