"""A small suite and runs over it."""

from pathlib import Path

from benchwright.gold import Check, Gold, RequiredFile
from benchwright.labels import Labels
from benchwright.run import Attempt, Cell, RunFolder, RunSpec
from benchwright.scoring import keep_scores, score_run
from benchwright.suite import RoomInfo, Suite, SuiteInfo
from benchwright.task import DataMount, OutputSpec, Task
from benchwright.trajectory import Answered, Call, FileAccess, Measured, Step, Trajectory, Usage

PICTURE = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de0000000c49444154789c63f8cfc0000003010100c9fe92ef0000000049454e44ae426082"
)
GOLD_SECRET = "forty-two-is-gold"


def small_suite(folder: Path) -> Suite:
    """Three tasks: an answer, a table, and a document with a picture."""
    room = folder / "data" / "room"
    room.mkdir(parents=True)
    (room / "sales.csv").write_text("a,b\n1,2\n")
    (room / "other.csv").write_text("a,b\n3,4\n")
    for task, name, content in (
        ("table", "out.csv", b"city,sales\nOslo,10\nBergen,20\nTromso,30\n"),
        ("mixed", "out.json", b'{"a": 1, "b": [1, 2, 3]}'),
        ("mixed", "chart.png", PICTURE),
    ):
        path = folder / "gold" / "files" / task / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    mounts = (DataMount(room="room"),)
    tasks = [
        Task(id="answer", question="How much in <b>all</b>?", guidelines="One word.", data=mounts),
        Task(id="table", question="By city?", data=mounts, outputs=(OutputSpec(kind="table", name="out.csv"),)),
        Task(
            id="mixed",
            question="Both?",
            data=mounts,
            outputs=(OutputSpec(kind="document", name="out.json"), OutputSpec(kind="chart", name="chart.png")),
        ),
    ]
    required = (RequiredFile(path="sales.csv", room="room", matches=("sales.csv",)),)
    known = {"required_files": required, "required_files_status": "declared"}
    golds = [
        Gold(task_id="answer", answer=GOLD_SECRET, **known),
        Gold(
            task_id="table",
            checks=(Check(scorer="table", output="out.csv", golds=("out.csv",)),),
            files=("out.csv",),
            **known,
        ),
        Gold(
            task_id="mixed",
            checks=(
                Check(scorer="document", output="out.json", golds=("out.json",)),
                Check(scorer="chart", output="chart.png", golds=("chart.png",)),
            ),
            files=("out.json", "chart.png"),
            **known,
        ),
    ]
    labels = [Labels(task_id=task.id, domain="trade", categories=("sums",)) for task in tasks]
    info = SuiteInfo(name="small", rooms={"room": RoomInfo.of(room)})
    return Suite.write(folder, info, tasks, labels, golds)


def small_run(suite, folder, *attempts, scored=False, ended=True, agent="agent"):
    """A run folder over the suite, of attempts given as (task, values, files, steps)."""
    cell = Cell(agent=agent, model="maker/model", suite_digest=suite.digest)
    spec = RunSpec(suite=suite.name, suite_folder=str(suite.folder), suite_digest=suite.digest, cells=(cell,))
    run = RunFolder.create(folder, spec)
    run.append("session", number=1, pid=1, pending=3, spec=spec.to_json())
    for number, (task, values, files, steps) in enumerate(attempts):
        record(run, cell, number, task, values, files, steps)
    if ended:
        run.append("end", stopped="")
        run.write_attempts()
    if scored:
        keep_scores(score_run(suite, run), run)
    return run


def record(run, cell, number, task, values, files, steps):
    """Write an attempt down as a run does."""
    kept = {}
    for name, content in files.items():
        path = run.path / f"given-{number}"
        path.write_bytes(content)
        kept[name] = run.artifacts.keep(path)
        path.unlink()
    uuid = f"attempt-{number}"
    run.transcripts.write(uuid, Trajectory(steps=steps, prompt="the prompt"))
    seen = Measured(tracer="fanotify", files=(FileAccess(path="other.csv", room="room", step=1, bytes_read=8),))
    plain = {
        "cell": cell.id,
        "task_id": task,
        "uuid": uuid,
        "ending": Answered(),
        "accesses": seen,
        "files": kept,
        "steps": len(steps),
        "usage": Usage(input_tokens=1200, output_tokens=30, cost_usd=0.5),
        "wall_seconds": 3.5,
    }
    run.record(Attempt(**{**plain, **values}))


def step(text="", code="print(1)", output="1", index=1, **values):
    call = Call(id="1", tool="python", kind="python", text=code, output=output, exit_code=0, started=10.0, ended=11.5)
    return Step(index=index, text=text, calls=(call.model_copy(update=values),))


def hostile_table() -> bytes:
    return b"city,sales\n<script>alert(1)</script>,10\nBergen,21\nParis,5\n"
