"""A scripted author and a scripted judge of tasks on two small tables, each of whose replies a test may replace."""

import contextlib
import io
import json
import re
import traceback
from collections import Counter

from benchwright.chat.asking import Limits
from benchwright.chat.scripted import ScriptedChat, ScriptedReply
from benchwright.generation.modelled import Means, ModelWriter, Ran, Rules
from benchwright.generation.modelled.briefing import Skill
from benchwright.generation.workflow import Draft, Wanted

SUM, FILL, JOIN, DATES = "Summing Values", "Filling Missing Values", "Joining Tables by Key", "Parsing Dates from Text"
SKILLS = {SUM: "adds up", FILL: "puts values where none are", JOIN: "puts rows of two tables together", DATES: ""}
KINDS = {
    "You write the solution": "initial",
    "You extend the solution": "insert",
    "You review one step": "verify",
    "You repair": "repair",
    "You measure": "ablation",
    "You write the question": "question",
    "You judge": "criterion",
}
_TOKEN = re.compile(r'"case": "([0-9a-f]{12})"')


def write_room(folder):
    folder.mkdir(parents=True, exist_ok=True)
    sales = [(f"R{n % 3}", "" if n % 7 == 0 else f"{n * 1.25:.2f}", f"2024-0{1 + n % 9}-1{n % 8}") for n in range(40)]
    _table(folder / "sales.csv", ("region", "amount", "day"), sales)
    _table(folder / "regions.csv", ("region", "manager"), [("R0", "Ada"), ("R1", "Bea"), ("R2", "Ada")])
    _table(folder / "shops.csv", ("shop", "city"), [(f"S{n}", f"City {n}") for n in range(12)])
    return folder


def _table(path, names, rows):
    path.write_text("".join(",".join(row) + "\n" for row in [names, *rows]))


def step(code, description="Do to the rows of the table what is needed.", **more):
    return {"description": description, "code": code, **more}


READ = 'import csv\nrows = list(csv.DictReader(open("/data/sales.csv")))\n'
TOTAL = 'total = sum(float(row["amount"] or 0) for row in rows)\nprint(round(total, 2))\n'
FINAL = step(
    READ + TOTAL, "Add up the amounts.", reads=["sales.csv"], columns={"sales.csv": ["amount"]}, outputs=["total"]
)
FILLED = step(
    READ + 'rows = [{**row, "amount": row["amount"] or "10"} for row in rows]\n',
    "Read the sales, and put 10 where an amount is missing.",
    reads=["sales.csv"],
    columns={"sales.csv": ["amount"]},
    outputs=["rows"],
)
JOINED = step(
    'import csv\nof = {each["region"]: each["manager"] for each in csv.DictReader(open("/data/regions.csv"))}\n'
    'kept = [row for row in rows if of[row["region"]] == "Ada"]\n',
    "Keep the sales of the regions that Ada manages.",
    reads=["regions.csv"],
    columns={"regions.csv": ["region", "manager"]},
    inputs=["rows"],
    outputs=["kept"],
)
AFTER_FILL = step(TOTAL, "Add up the amounts.", inputs=["rows"], outputs=["total"])
AFTER_JOIN = step(
    TOTAL.replace("in rows", "in kept"), "Add up the amounts that are left.", inputs=["kept"], outputs=["total"]
)
QUESTION = {
    "question": "What do the sales of the regions that Ada manages add up to, if 10 is taken where an amount is missing?",
    "guidelines": "Answer with one number, rounded to 2 decimals.",
}
WITHOUT = {
    FILL: READ,
    JOIN: "kept = rows\n",
    SUM: 'total = max(float(row["amount"] or 0) for row in kept)\nprint(round(total, 2))\n',
}


def initial(user):
    number = re.search(rf'^(\d+)\. "{SUM}"', user, re.MULTILINE)[1]
    return {"skill": int(number), "answer": "number", "step": FINAL}


def insert(user):
    if f'SKILL\n"{FILL}"' in user:
        return {"step": FILLED, "before": 1, "changed": [{"number": 1, **AFTER_FILL}]}
    if f'SKILL\n"{JOIN}"' in user:
        return {"step": JOINED, "before": 2, "depends_on": [1], "changed": [{"number": 2, **AFTER_JOIN}]}
    return {"applicable": False, "reason": "no dates are needed"}


def ablation(user):
    number = int(re.search(r"place of step (\d+)", user)[1])
    skill = re.search(rf'^step {number}, skill "([^"]+)"', user, re.MULTILINE)[1]
    return {"code": WITHOUT[skill]}


USUAL = {
    "initial": initial,
    "insert": insert,
    "verify": lambda _: {"actionable": True, "coherent": True},
    "repair": lambda _: "I would leave it as it is.",
    "ablation": ablation,
    "question": lambda _: QUESTION,
    "criterion": lambda _: {"passed": True, "reason": "it does"},
}


class Author:
    """Replies to each kind of prompt by a function of the prompt, which makes a reply without its token, or raw text.

    A list of functions is gone through, and its last one stays.
    """

    def __init__(self, **replies):
        self.replies = {**USUAL, **replies}
        self.asked = Counter()
        self.prompts = []

    def __call__(self, messages):
        kind = next(name for begin, name in KINDS.items() if messages[0].text.startswith(begin))
        reply = self.replies[kind]
        if isinstance(reply, list):
            reply = reply[min(self.asked[kind], len(reply) - 1)]
        self.asked[kind] += 1
        self.prompts.append((kind, messages))
        made = reply(messages[1].text)
        if isinstance(made, str):
            return ScriptedReply(text=made)
        return ScriptedReply(text=json.dumps({"case": _TOKEN.findall(messages[1].text)[-1], **made}))

    @property
    def calls(self):
        return sum(self.asked.values())


def in_process(material):
    """Runs the programs that these tests write, which are harmless, in this process."""

    def run(code, *, fresh=False):
        printed, made, read = io.StringIO(), {}, set()

        def opened(path, mode="r", **more):
            if path.startswith("/data/"):
                read.add(path.removeprefix("/data/"))
                return io.StringIO((material.folder / path.removeprefix("/data/")).read_text())
            made[path] = io.StringIO()
            made[path].close = lambda: None
            return made[path]

        try:
            with contextlib.redirect_stdout(printed):
                exec(code, {"open": opened, "__name__": "__main__"})
        except BaseException:
            return Ran(error=traceback.format_exc(limit=0))
        table = made["result.csv"].getvalue() if "result.csv" in made else None
        return Ran(printed=printed.getvalue(), table=table, opened=tuple(sorted(read)) if fresh else None)

    return run


class InProcess:
    """A lab that takes every draft for proved."""

    def executing(self, material):
        return in_process(material)

    def proving(self, material, skills):
        return lambda draft: None


def compose(*names):
    def composed(wanted):
        while True:
            yield tuple(Skill(name, wanted.skills[name]) for name in names)

    return composed


def writer(folder, author, judge=None, *, skills=(SUM, FILL, JOIN), lab=None, **more):
    judge = judge or author
    rules = more.pop("rules", Rules(regenerations=1, repairs=1, ablations=1, rewrites=1))
    limits = more.pop("limits", Limits(at_once=1, tries=2))
    return ModelWriter(
        Means(
            model=ScriptedChat(author, "scripted/author"),
            judge=ScriptedChat(judge, "scripted/judge"),
            folder=folder,
            lab=lab or InProcess(),
            compose=compose(*skills),
            rules=rules,
            limits=limits,
            **more,
        )
    )


def write(folder, material, author, judge=None, number=1, **more):
    """What became of the drafts."""
    with writer(folder, author, judge, **more) as made:
        return list(made.drafts(material, Wanted(SKILLS, number)))


def one(*args, **more):
    (made,) = write(*args, **more)
    return made


def reason(made):
    return None if isinstance(made, Draft) else made.reason
