"""What `benchwright generate` makes of a folder of rooms without a model: tasks, skills, refusals, guesses, time.

python benchmarks/generating.py DATA SKILLS OUT [TASKS]
"""

import json
import os
import sys
import time
from collections import Counter
from pathlib import Path

from benchwright.baselines.guess import Constant, KnowNothing, Random
from benchwright.cli import app
from benchwright.generation.review.novelty import novelty
from benchwright.scoring.attempt import score_attempt
from benchwright.suite import Suite


def main(data, skills, out, tasks="220"):
    began, load = time.monotonic(), os.getloadavg()[0]
    words = ["generate", "--data", data, "--skills", skills, "--out", out, "--tasks", tasks]
    app(words, standalone_mode=False)
    print(f"{time.monotonic() - began:.0f} s, load {load:.1f} before and {os.getloadavg()[0]:.1f} after")
    suite = Suite.open(Path(out))
    skills = Counter(name for labels in suite.labels.values() for name in labels.skills)
    templates = Counter(labels.extra["writer"] for labels in suite.labels.values())
    print(f"{len(suite.tasks)} tasks, {len(skills)} skills, {sum(n >= 3 for n in skills.values())} in 3 tasks or more")
    print(f"{len(templates)} templates, the commonest {templates.most_common(5)}")
    for baseline in (KnowNothing(), Constant(), Random()):
        scores = [
            score_attempt(suite, task.id, baseline.attempt(task, None, 7)).sound.value for task in suite.tasks.values()
        ]
        print(f"{baseline.name}: mean {sum(scores) / len(scores):.4f}, best {max(scores):.2f}")
    near = [one for one in novelty(suite, []) if suite.tasks[one.task].data == suite.tasks[one.other].data]
    print(json.dumps({"near-duplicates in one room": len(near)}))


if __name__ == "__main__":
    main(*sys.argv[1:])
