"""How many of the skills that experts gave to tasks are in shortlists of several sizes.

    python benchmarks/skill_shortlist.py FOLDER [--embedder offline]

FOLDER holds AgenticDataBench's tasks, step-clusters and descriptions. Its solutions are not public, so that shortlists are made
from questions alone, and are worse than with solutions. Beside them: as many skills at random, and the most frequent ones.
"""

import argparse
import asyncio
import json
import tempfile
from pathlib import Path

from benchwright.cli.skills_opening import open_skills, opened_embedder
from benchwright.skills.annotation.asking import Case
from benchwright.skills.annotation.shortlisting import Shortlist, offer

SIZES = (25, 50, 100, 150, 200, 300)


async def shares(folder, embedder):
    skills = open_skills(folder / "step-clusters.jsonl", folder / "skill-descriptions.jsonl").tops
    lines = (folder / "tasks.jsonl").read_text("utf-8").splitlines()
    tasks = {row["id"]: row for row in map(json.loads, lines)}
    given = {task: set(row["skills"]) for task, row in tasks.items()}
    cases = {task: Case(task, row["question"], "") for task, row in tasks.items()}
    uses = sum(map(len, given.values()))
    frequent = [node.name for node in sorted(skills, key=lambda node: -len(node.steps))]
    with tempfile.TemporaryDirectory() as place:
        for size in SIZES:
            offered = await offer(skills, cases, Shortlist(embedder, size, audit=0), Path(place))
            held = sum(len(given[task] & {node.name for node in offered.to(task)}) for task in tasks)
            popular = sum(len(given[task] & set(frequent[:size])) for task in tasks)
            print(
                f"{size:4} of {len(skills)}: {held / uses:.1%} of {uses} uses; "
                f"at random {size / len(skills):.1%}, the most frequent {popular / uses:.1%}"
            )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--embedder", default="offline")
    options = parser.parse_args()
    asyncio.run(shares(options.folder, opened_embedder(options.embedder)))


if __name__ == "__main__":
    main()
