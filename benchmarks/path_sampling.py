"""Draw skill compositions with examples over the published skills: CPU seconds, and how fast they cover the skills.

python benchmarks/path_sampling.py ../shared/data/agenticdatabench/step-clusters.jsonl [PATHS]
"""

import resource
import sys
from dataclasses import replace
from pathlib import Path

from benchwright.generation.examples import ExampleSampler
from benchwright.generation.paths import PAPER, PUBLISHED, PathSampler, coverage
from benchwright.skills.graph import early, graph_of
from benchwright.skills.published import read_skills, traces


def cpu_seconds() -> float:
    return sum(resource.getrusage(resource.RUSAGE_SELF)[:2])


def main(clusters: Path, count: int) -> None:
    answers = traces(read_skills(clusters))
    graph = graph_of([list(steps.values()) for steps in answers.values()])
    print(f"{'rule':10} {'start':>7} {'CPU s':>7}  covered after 50, 100, 200, 500, 1000 paths of 10 skills")
    for name, rule in (("paper", PAPER), ("published", PUBLISHED)):
        began = cpu_seconds()
        paths, examples = PathSampler(graph, early(answers.values()), replace(rule, length=10)), ExampleSampler(answers)
        ready, drawn = cpu_seconds(), []
        for number in range(count):
            drawn.append(paths.draw(number))
            paths.accept(drawn[-1])
            examples.accept(examples.draw(drawn[-1].skills, 10, number))
        covered = coverage(drawn, graph.nodes)
        shares = " ".join(f"{covered[n - 1]:.3f}" for n in (50, 100, 200, 500, 1000) if n <= count)
        print(f"{name:10} {ready - began:7.2f} {cpu_seconds() - ready:7.2f}  {shares}")


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1000)
