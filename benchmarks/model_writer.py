"""How well a model writes tasks: drafts over four small tables of our own, each run, ablated, proved and judged.

    python benchmarks/model_writer.py openai-api/local/qwen1.5b --out FOLDER [--judge-model NAME] [--drafts 5] [--skills 3]

Prints how many steps and drafts came to what, and for which reason, with calls, tokens and seconds. Everything is kept in the
folder: the same command goes on with it, and pays for no reply again. Without --judge-model the model judges itself, which
is said. It needs a machine that makes sandboxes, and for a local model one that does nothing else.
"""

import argparse
import json
import random
import time
from collections import Counter
from pathlib import Path

from benchwright.chat.asking import Limits
from benchwright.files import write_jsonl
from benchwright.generation.executing import Bench, Machine
from benchwright.generation.modelled import Means, ModelWriter, Rules, Sandboxed
from benchwright.generation.modelled.briefing import prompts_digest
from benchwright.generation.modelled.compositions import by_weight
from benchwright.generation.trial import Tools
from benchwright.generation.workflow import Draft, Material, Wanted
from benchwright.live.asking import chat_named
from benchwright.profiles.finding_relations import find_relations, read_tables
from benchwright.profiles.folders import profile_paths
from benchwright.sandbox import toolbox
from benchwright.sandbox.choice import Providers
from benchwright.scoring.workers import Worker

SKILLS = {
    "Filtering Rows by Condition": "Keep the rows of a table for which a condition on one or several columns holds.",
    "Filling Missing Values": "Put a sensible value where a table has none, such as the median of the column.",
    "Joining Tables by Key": "Put rows of two tables together that have the same value in a column.",
    "Aggregating by Group": "Split rows by a column's values, and compute a number such as a mean for each group.",
    "Parsing Dates from Text": "Turn dates that are written as text into dates, to compare them or take parts of them.",
    "Ranking and Selecting the Top": "Sort by a value and take the first rows.",
    "Removing Duplicate Rows": "Take out rows that stand in a table several times.",
    "Computing Correlations": "Compute how strongly two columns vary together.",
}


def write_room(folder: Path) -> None:
    """A bicycle hire: stations, hires with missing and repeated rows, weather, and a list of staff nobody needs."""
    if folder.is_dir():
        return
    draw = random.Random(8)
    folder.mkdir(parents=True)
    stations = [(f"ST{n:02}", draw.choice(["North", "South", "Harbour"]), draw.randrange(8, 40)) for n in range(15)]
    table(folder / "stations.csv", ("station", "district", "docks"), stations)
    hires = []
    for number in range(400):
        day, minutes = f"{draw.randrange(1, 29):02}.{draw.randrange(4, 10):02}.2023", draw.randrange(3, 90)
        hires.append((number, draw.choice(stations)[0], day, "" if draw.random() < 0.08 else minutes))
    table(folder / "hires.csv", ("hire", "station", "day", "minutes"), hires + draw.sample(hires, 12))
    days = [
        (f"2023-{month:02}-{day:02}", round(draw.uniform(4, 31), 1)) for month in range(4, 10) for day in range(1, 29)
    ]
    table(folder / "weather.csv", ("date", "temperature"), days)
    table(folder / "staff.csv", ("name", "district"), [(f"Person {n}", draw.choice(stations)[1]) for n in range(20)])


def table(path: Path, names: tuple[str, ...], rows: list[tuple[object, ...]]) -> None:
    path.write_text("".join(",".join(map(str, row)) + "\n" for row in [names, *rows]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--judge-model")
    parser.add_argument("--drafts", type=int, default=5)
    parser.add_argument("--skills", type=int, default=3)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    room = given.out / "room"
    write_room(room)
    material = Material("hires", room, tuple(profile_paths([room])), find_relations(read_tables([room]).read))
    wanted, decisions = Wanted(SKILLS, given.drafts, given.seed), []
    providers, started = Providers(), time.monotonic()
    machine = Machine(lambda spec: providers.open(spec, "auto"), toolbox.ensure("core"))
    with Bench(machine) as bench, Worker(None) as worker:
        means = Means(
            model=chat_named(given.model),
            judge=chat_named(given.judge_model or given.model),
            folder=given.out / "asked",
            lab=Sandboxed(Tools(bench, worker)),
            compose=by_weight(given.skills),
            rules=Rules(least_steps=2, same_judge=given.judge_model is None),
            limits=Limits(at_once=1, tries=2),
            telling=decisions.append,
        )
        with ModelWriter(means) as writer:
            made = []
            for item in writer.drafts(material, wanted):
                made.append(item)
                print(
                    f"{time.monotonic() - started:7.0f} s  {item.name if isinstance(item, Draft) else item.draft}: ",
                    end="",
                )
                print("a draft" if isinstance(item, Draft) else f"{item.reason}: {' '.join(item.detail.split())[:150]}")
            spent = writer.spent
    providers.close()
    write_jsonl(given.out / "decisions.jsonl", decisions)
    write_jsonl(given.out / "drafts.jsonl", [item.to_json() | {"draft?": isinstance(item, Draft)} for item in made])
    judge = f"judged by {given.judge_model}" if given.judge_model else "judged by itself"
    print(f"\nmodel {given.model}, {judge}, prompts {prompts_digest()[:12]}, {given.skills} skills a draft")
    print(f"drafts: {sum(isinstance(item, Draft) for item in made)} of {len(made)}")
    show("ended for", Counter(item.reason for item in made if not isinstance(item, Draft)))
    for stage in ("initial", "repair", "insert", "whole", "ablation", "question", "criteria"):
        those = [each for each in decisions if each.stage == stage]
        show(stage, Counter(f"{each.outcome} {each.reason}".strip() for each in those))
    print(
        f"model calls: {spent.calls}, tokens: {spent.tokens}, seconds of this sitting: {time.monotonic() - started:.0f}"
    )
    print(f"kept in {given.out}")


def show(what: str, counts: Counter[str]) -> None:
    if counts:
        print(f"{what}: {json.dumps(dict(counts.most_common()))}")


if __name__ == "__main__":
    main()
