"""The whole way from a dump of posts to a reviewed hierarchy with a scripted model, for the test that kills it."""

import asyncio
import itertools
import json
import os
import random
import re
import shutil
import signal
import sys
import time
import traceback
from html import escape
from importlib import import_module
from pathlib import Path
from xml.sax.saxutils import quoteattr

from benchwright.chat.asking import Limits
from benchwright.chat.scripted import ScriptedChat, ScriptedReply
from benchwright.files import sha256_file, write_atomic
from benchwright.skills.clustering import clustering_named
from benchwright.skills.corpus import Wanted, collect
from benchwright.skills.embedding import embedder_named
from benchwright.skills.extraction import extract, read_corpus
from benchwright.skills.hierarchy import make_skills
from benchwright.skills.nodes import read_hierarchy
from benchwright.skills.review import apply, plan, read_sheet, write_sheet
from benchwright.skills.review.applying import write_reviewed
from benchwright.skills.rounds.working import Means, Settings
from benchwright.skills.steps import read_steps

WORLD = {
    "Date and Time Work": {
        "Parsing Dates from Text": "to_datetime",
        "Resampling Time Series": "resample",
        "Shifting Time Zones": "tz_convert",
    },
    "Table Joining Work": {
        "Merging Tables by Key": "merge",
        "Concatenating Table Rows": "concat",
        "Joining on Nearest Value": "merge_asof",
    },
    "Missing Value Work": {
        "Filling Missing Values": "fillna",
        "Dropping Incomplete Rows": "dropna",
        "Interpolating Gaps": "interpolate",
    },
    "Chart Drawing Work": {
        "Drawing Bar Charts": "bar",
        "Adjusting Axis Labels": "set_xlabel",
        "Saving Figures to Files": "savefig",
    },
}
"""Families of skills, and the call that each skill is known by."""
CALLS = {call: skill for skills in WORLD.values() for skill, call in skills.items()}
ABOVE = {skill: family for family, skills in WORLD.items() for skill in skills}
CATEGORIES = ("Data Preprocessing", "Data Analysis", "Cross-Stage Skills")
TOKEN = re.compile(r'\{"case": "(\w+)"')
ITEM = re.compile(r"^(\d+)\. (.*)$", re.MULTILINE)


def row(**attributes):
    return "<row " + " ".join(f"{name}={quoteattr(str(value))}" for name, value in attributes.items()) + " />"


def answer_body(draw):
    lines = [f"x{place} = data.{call}('c{draw.randint(1, 9)}')" for place, call in enumerate(draw.sample([*CALLS], 3))]
    return f"<p>This works for me:</p><pre><code>{escape(chr(10).join(lines))}</code></pre>"


def dump(path, questions=75, seed=1):
    """Questions of which a fifth is about something else, each with two answers of which not all are good enough."""
    draw, rows, number = random.Random(seed), [], 0
    for _ in range(questions):
        asked, first, second = number + 1, number + 2, number + 3
        number += 3
        tags = "<data-science><pandas>" if draw.random() < 0.8 else "<css>"
        body = f"<p>How do I do this with column c{asked}?</p>"
        accepted = {"AcceptedAnswerId": first} if draw.random() < 0.6 else {}
        rows.append(row(Id=asked, PostTypeId=1, Title=f"Question {asked}", Body=body, Tags=tags, **accepted))
        for answer in (first, second):
            score = draw.randint(0, 7)
            rows.append(row(Id=answer, PostTypeId=2, ParentId=asked, Score=score, Body=answer_body(draw)))
    path.write_text("<posts>\n" + "\n".join(rows) + "\n</posts>\n")
    return len(rows)


def model(messages):
    """Takes solutions apart by their calls, sorts steps by the skill they name and skills by their family."""
    asked = messages[1].text
    token = TOKEN.search(asked)[1]
    if "Take the solution apart" in asked:
        used = re.findall(r"data\.(\w+)\(", asked)
        steps = [{"skill": CALLS[call], "detail": f"Call {call} on the table.", "calls": [call]} for call in used]
        return ScriptedReply(text=json.dumps({"case": token, "steps": steps}))
    if "Describe this skill" in asked:
        said = {"case": token, "category": "Data Analysis", "description": "What somebody does who has this skill."}
        return ScriptedReply(text=json.dumps(said))
    groups = {}
    for number, text in ITEM.findall(asked.split("ITEMS")[-1]):
        skill = next(skill for skill in ABOVE if skill in text)
        groups.setdefault(ABOVE[skill] if "For instance:" in text else skill, []).append(int(number))
    parents = [{"name": name, "description": f"{name}.", "members": members} for name, members in groups.items()]
    return ScriptedReply(text=json.dumps({"case": token, "skills": parents}))


def pipeline(source, out, script, embedder):
    """Corpus, steps, skills, review: each stage from what the one before wrote."""
    chat, limits = ScriptedChat(script, "scripted/pipeline"), Limits(at_once=4)
    collect([source], Wanted(), out / "corpus.jsonl")
    asyncio.run(extract(chat, read_corpus(out / "corpus.jsonl"), out / "steps", limits=limits))
    means = Means(chat, embedder, clustering_named("fast", cap=10), limits)
    steps = read_steps(out / "steps")
    asyncio.run(make_skills(steps, out / "skills", means, Settings(target=5), CATEGORIES))
    review(out)


def review(out):
    """People rename the first skill, split the second, merge the third into the first and drop the fourth."""
    hierarchy = read_hierarchy(out / "skills")
    write_sheet(out / "review.csv", hierarchy)
    first, second, third, fourth = sorted(node.name for node in hierarchy.tops)
    decided = {
        first: ("rename", "Work with Charts"),
        second: ("split", ""),
        third: ("merge", first),
        fourth: ("drop", ""),
    }
    ids = {node.name: node.id for node in hierarchy.tops}
    lines = [f"{ids[name]},{action},{into}" for name, (action, into) in decided.items()]
    write_atomic(out / "decided.csv", "\n".join(["id,action,into", *lines]) + "\n")
    done = plan(hierarchy, read_sheet(out / "decided.csv"))
    assert not done.problems, done.problems
    write_reviewed(out / "skills", out / "reviewed", apply(hierarchy, done, sha256_file(out / "decided.csv"), "Ann"))


def exported(out):
    """Everything that is no work in progress: neither a ledger nor half a file of a writer that was killed."""
    return {
        str(path.relative_to(out)): sha256_file(path)
        for path in sorted(out.rglob("*"))
        if path.is_file() and ".sqlite" not in path.name and not path.name.startswith(".")
    }


def points(kills, seed=11):
    """Where to kill: first after short times, then at calls, so few apart that the work is not done before the last."""
    draw = random.Random(seed)
    times = [(0, draw.uniform(0.01, 0.03)) for _ in range(min(kills, 2))]
    return [*times, *((draw.randint(2, 8), 0.0) for _ in range(kills - len(times)))]


def killed(source, out, point, embedder):
    """A process of its own that is killed at a call or after a time; whether it was."""
    after, seconds = point
    child = os.fork()
    if child == 0:
        calls = itertools.count(1)  # threads ask side by side

        def script(messages):
            if next(calls) >= after > 0:
                os.kill(os.getpid(), signal.SIGKILL)
            if seconds:  # however fast the machine, the work is not done by then
                time.sleep(0.005)
            return model(messages)

        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        if seconds:
            signal.setitimer(signal.ITIMER_REAL, seconds)
        try:
            pipeline(source, out, script, embedder)
            os._exit(0)
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(1)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status) or os.waitstatus_to_exitcode(status) == 0, "the pipeline failed by itself"
    return os.WIFSIGNALED(status)


def main(folder, kills, runs):
    for name in ("fast_plscan", "wordllama", "pandas", "benchwright.prices"):
        import_module(name)  # once here, and not in each process that is killed
    source = folder / "Posts.xml"
    posts = dump(source)
    embedder, count = embedder_named("offline"), 0
    interrupted = sum(killed(source, folder / "killed", point, embedder) for point in points(kills))

    def counted(messages):
        nonlocal count
        count += 1
        return model(messages)

    pipeline(source, folder / "killed", counted, embedder)
    resumed, whole = count, 0
    exports = [exported(folder / "killed")]
    for number in range(runs):
        count = 0
        pipeline(source, folder / f"run{number}", counted, embedder)
        exports.append(exported(folder / f"run{number}"))
        whole = count
    document = {"posts": posts, "interrupted": interrupted, "resumed": resumed, "whole": whole, "exports": exports}
    print(json.dumps(document))


if __name__ == "__main__":
    shutil.rmtree(sys.argv[1], ignore_errors=True)
    Path(sys.argv[1]).mkdir(parents=True)
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
