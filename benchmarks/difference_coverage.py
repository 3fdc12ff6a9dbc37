"""How often intervals of a difference hold the true one, and how often one that is said to be seen is found: a simulation.

    python benchmarks/difference_coverage.py [--rounds 1000] [--json FILE]

Two agents of unlike success rates over the same tasks; where tasks come in clusters, each agent's rates differ by cluster
(beta-binomial; `alike` is the intraclass correlation). Intervals are at 95 %; the power is that of the exact test at 5 %
over single tasks, for the difference that `detectable` names for them. The Monte-Carlo error of a share of 0.95 in 1,000
rounds is 0.007, of one of 0.8 it is 0.013.
"""

import argparse
import json
import sys
from itertools import product
from pathlib import Path

import numpy as np

from benchwright.analysis.statistics.intervals import bootstrap_interval
from benchwright.analysis.statistics.pairs import difference_interval, flips, sign_flip
from benchwright.analysis.statistics.planning import detectable

SHAPES = ((9, 1, 0.0), (30, 1, 0.0), (100, 1, 0.0), (10, 5, 0.1), (10, 5, 0.3), (30, 4, 0.2))
"""Clusters, tasks in each, and how alike these are."""
RATES = ((0.5, 0.5), (0.7, 0.4), (0.9, 0.2), (0.97, 0.05), (0.03, 0.01))
PLANS = tuple(product((14, 30, 100, 300), (0.3, 0.5, 0.8)))
"""Tasks, and the share of them that only one agent gets right."""
TIMES = 400


def right(chance, count, size, p, alike):
    """Which tasks an agent gets right."""
    rates = np.full(count, p) if alike == 0 else chance.beta(p * (1 / alike - 1), (1 - p) * (1 / alike - 1), count)
    return (chance.random(count * size) < np.repeat(rates, size)).astype(float)


def coverage(chance, rounds, shape, rates):
    held = {"ours": 0, "Student's": 0, "bootstrap's": 0}
    count, size, alike = shape
    clusters = None if size == 1 else np.repeat(np.arange(count), size).tolist()
    for turn in range(rounds):
        first, second = (right(chance, count, size, p, alike) for p in rates)
        differences = (first - second).tolist()
        students, drawn = (
            difference_interval(differences, clusters),
            bootstrap_interval(differences, clusters, 0.95, TIMES),
        )
        ends = (
            flips(differences, clusters, times=TIMES, seed=turn).interval(0.95),
            (students.low, students.high),
            (drawn.low, drawn.high),
        )
        for name, (low, high) in zip(held, ends, strict=True):
            held[name] += low - 1e-6 <= rates[0] - rates[1] <= high + 1e-6
    return {name: count / rounds for name, count in held.items()}


def power(chance, rounds, tasks, discordant):
    """The difference that is said to be found four times in five, and how often it is; None where none is."""
    difference = detectable(tasks, discordant)
    if difference >= 1:
        return {"difference": None, "found": None}
    shares = [(discordant + difference) / 2, (discordant - difference) / 2, 1 - discordant]
    found = sum(
        sign_flip(chance.choice([1.0, -1.0, 0.0], tasks, p=shares).tolist(), times=1_999, seed=turn) <= 0.05
        for turn in range(rounds)
    )
    return {"difference": difference, "found": found / rounds}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=1000)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    chance = np.random.default_rng(1)
    found = {"rounds": options.rounds, "coverage": [], "power": []}
    for shape, rates in product(SHAPES, RATES):
        about = dict(zip(("clusters", "tasks in each", "alike"), shape, strict=True))
        found["coverage"].append({**about, "rates": rates, **coverage(chance, options.rounds, shape, rates)})
        print(json.dumps(found["coverage"][-1]), file=sys.stderr)
    for tasks, discordant in PLANS:
        told = power(chance, options.rounds, tasks, discordant)
        found["power"].append({"tasks": tasks, "discordant": discordant, **told})
        print(json.dumps(found["power"][-1]), file=sys.stderr)
    text = json.dumps(found, indent=1) + "\n"
    if options.json:
        options.json.write_text(text, encoding="utf-8")
    print(text, end="")


if __name__ == "__main__":
    main()
