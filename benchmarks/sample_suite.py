"""Tasks of a generated suite, drawn at random, to be solved anew by programs that their solutions did not inspire.

    python benchmarks/sample_suite.py SUITE OUT.jsonl [--single 16] [--several 4] [--seed 8]

So many tasks over one file and so many over several are drawn, and written with their golds and the texts of gold files.
Prints what a solver may see of each: question, guidelines, and the files that it needs.
"""

import argparse
import json
import random
from pathlib import Path

from benchwright.files import read_jsonl
from benchwright.suite import Suite


def drawn(suite, single, several, seed):
    """The ids of the tasks drawn, in order; all of a kind where there are no more."""
    files = {name: len(gold.required_files or ()) for name, gold in suite.golds.items()}
    chance = random.Random(seed)
    alone, others = ([name for name in sorted(files) if (files[name] > 1) is more] for more in (False, True))
    return sorted(chance.sample(alone, min(single, len(alone))) + chance.sample(others, min(several, len(others))))


def row(suite, name, template):
    """A task with its template, and with what a test needs to judge another answer to it."""
    task, gold = suite.tasks[name].to_json(), suite.golds[name].to_json()
    folder = suite.folder / "gold" / "files" / name
    kept = {key: value for key, value in gold.items() if not key.startswith(("solution", "required"))}
    return {
        "template": template,
        "task": task,
        "gold": kept,
        "gold_files": {path.name: path.read_text() for path in sorted(folder.glob("*"))},
        "files": sorted(file["path"] for file in gold["required_files"]),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suite", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--single", type=int, default=16)
    parser.add_argument("--several", type=int, default=4)
    parser.add_argument("--seed", type=int, default=8)
    given = parser.parse_args()
    suite = Suite.open(given.suite)
    kept = {
        each["task_id"]: each["draft"]["writer"] for _, each in read_jsonl(given.suite / "gold/generation/kept.jsonl")
    }
    names = drawn(suite, given.single, given.several, given.seed)
    rows = [row(suite, name, kept[name].removeprefix("template:")) for name in names]
    given.out.write_text("".join(json.dumps(each, ensure_ascii=False) + "\n" for each in rows))
    for each in rows:
        print(
            each["task"]["id"], each["files"], each["task"]["question"], each["task"].get("guidelines", ""), sep="\n  "
        )


if __name__ == "__main__":
    main()
