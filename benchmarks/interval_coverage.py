"""How often intervals hold the truth, and how often tests alarm for nothing: a simulation.

    python benchmarks/interval_coverage.py [--rounds 2000] [--json FILE]

Tasks come in clusters whose own success rates differ (beta-binomial; `alike` is their intraclass correlation). Every
interval is at 95 %, every test at 5 %; the Monte-Carlo error of a share of 0.95 in 2,000 rounds is 0.005.
"""

import argparse
import json
import sys
from itertools import product
from pathlib import Path

import numpy as np

from benchwright.analysis.statistics.intervals import bootstrap_interval, score_interval
from benchwright.analysis.statistics.pairs import difference_interval, mcnemar, sign_flip

SHAPES = ((10, 5), (20, 10), (40, 25))
"""Clusters, and tasks in each."""
TIMES = 400


def drawn(chance, count, size, p, alike):
    """Cluster labels, and outcomes of independent agents whose success rate in a cluster is the same."""
    rates = np.full(count, p) if alike == 0 else chance.beta(p * (1 / alike - 1), (1 - p) * (1 / alike - 1), count)
    clusters = np.repeat(np.arange(count), size)
    return clusters, rates[clusters]


def coverage(chance, rounds, count, size, p, alike):
    held = {"Wilson, tasks taken as independent": 0, "score_interval": 0, "bootstrap_interval": 0}
    for turn in range(rounds):
        clusters, rates = drawn(chance, count, size, p, alike)
        values = (chance.random(len(rates)) < rates).astype(float)
        found = (
            score_interval(values),
            score_interval(values, clusters),
            bootstrap_interval(values, clusters, times=TIMES, seed=turn),
        )
        for name, interval in zip(held, found, strict=True):
            held[name] += interval.low <= p <= interval.high
    return {name: count / rounds for name, count in held.items()}


def size_of_tests(chance, rounds, count, size, p, alike):
    """Two agents equally good on the whole; how good each is in a cluster is drawn for itself."""
    alarms = {"mcnemar": 0, "sign_flip": 0, "difference_interval": 0, "bootstrap_interval": 0}
    for turn in range(rounds):
        clusters, first = drawn(chance, count, size, p, alike)
        _, second = drawn(chance, count, size, p, alike)
        one, two = chance.random(len(first)) < first, chance.random(len(second)) < second
        differences = one.astype(float) - two
        interval = difference_interval(differences, clusters)
        drawn_again = bootstrap_interval(differences, clusters, times=TIMES, seed=turn)
        alarms["mcnemar"] += mcnemar(one.tolist(), two.tolist()).p <= 0.05
        alarms["sign_flip"] += sign_flip(differences, clusters, times=TIMES, seed=turn) <= 0.05
        alarms["difference_interval"] += not interval.low <= 0 <= interval.high
        alarms["bootstrap_interval"] += not drawn_again.low <= 0 <= drawn_again.high
    return {name: count / rounds for name, count in alarms.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=2000)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    chance, rows = np.random.default_rng(1), []
    for (count, size), p, alike in product(SHAPES, (0.1, 0.3, 0.5), (0.0, 0.1, 0.3)):
        rows.append(
            {
                "clusters": count,
                "tasks in each": size,
                "p": p,
                "alike": alike,
                "coverage": coverage(chance, options.rounds, count, size, p, alike),
                "false alarms": size_of_tests(chance, options.rounds, count, size, p, alike),
            }
        )
        print(json.dumps(rows[-1]), file=sys.stderr)
    text = json.dumps({"rounds": options.rounds, "rows": rows}, indent=1) + "\n"
    if options.json:
        options.json.write_text(text, encoding="utf-8")
    print(text, end="")


if __name__ == "__main__":
    main()
