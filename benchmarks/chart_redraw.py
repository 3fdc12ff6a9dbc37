"""How well drawing a description again tells pictures that show it from pictures that show something else.

Draws charts of fifteen kinds, and of twelve more where seaborn is installed, in several styles with the capture of the sandbox,
each twice with other data. A picture with its own description is honest; with the description of its twin it is forged.
Usage: python benchmarks/chart_redraw.py [COUNT] [--python PROGRAM | --matplotlib RELEASE] (what draws; the more if it has seaborn)
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

from _chart_environments import add_options, python_of

from benchwright.sandbox import holder
from benchwright.scorers.chart.redraw import CONFIRMED, CONTRADICTED, verify

CAPTURE = Path(holder.__file__).with_name("capture")
PROGRAM = r"""
import sys, warnings
import numpy as np
import matplotlib as mpl; mpl.use("Agg")
import matplotlib.pyplot as plt
warnings.simplefilter("ignore")
STYLES = ["default", "ggplot", "seaborn-v0_8-whitegrid", "seaborn-v0_8-darkgrid", "fivethirtyeight", "bmh"]
KINDS = {
    "line": lambda ax, r: [ax.plot(np.arange(20), np.cumsum(r.normal(size=20)), marker=m, label=l) for m, l in zip([None, "o"], "ab")] + [ax.legend()],
    "bar": lambda ax, r: ax.bar(list("abcdefg"), r.uniform(1, 9, 7)),
    "lying bar": lambda ax, r: ax.barh(list("abcdefg"), r.uniform(1, 9, 7)),
    "grouped bar": lambda ax, r: [ax.bar(np.arange(5) + s, r.uniform(1, 9, 5), .4, label=str(s)) for s in (-.2, .2)] + [ax.legend()],
    "stacked bar": lambda ax, r: (lambda a, b: (ax.bar(range(5), a), ax.bar(range(5), b, bottom=a)))(r.uniform(1, 9, 5), r.uniform(1, 9, 5)),
    "histogram": lambda ax, r: ax.hist(r.choice([r.normal(size=300), r.exponential(size=300), r.uniform(-2, 2, 300)]), bins=15),
    "scatter": lambda ax, r: ax.scatter(r.normal(size=60), r.normal(size=60), c=r.choice(["r", "b"], 60), s=r.uniform(10, 60, 60)),
    "boxes": lambda ax, r: ax.boxplot([r.normal(r.uniform(-3, 3), r.uniform(.3, 2), 50) for _ in range(4)], patch_artist=bool(r.integers(2))),
    "violins": lambda ax, r: ax.violinplot([r.normal(r.uniform(-3, 3), r.uniform(.3, 2), 50) for _ in range(4)]),
    "error bars": lambda ax, r: ax.errorbar(range(8), r.uniform(1, 9, 8), yerr=r.uniform(.2, 1, 8), capsize=3),
    "area": lambda ax, r: ax.fill_between(range(20), np.cumsum(r.normal(size=20)), alpha=.5),
    "stem": lambda ax, r: ax.stem(range(9), r.uniform(-5, 9, 9)),
    "pie": lambda ax, r: ax.pie(r.uniform(1, 9, 5), labels=list("abcde"), autopct="%d%%"),
    "heatmap": lambda ax, r: ax.imshow(r.normal(size=(6, 8)), aspect="auto"),
    "contours": lambda ax, r: ax.contourf(np.add.outer(np.sin(np.arange(20) / r.uniform(2, 6)), np.cos(np.arange(20) / r.uniform(2, 6)))),
}
try:
    import pandas as pd, seaborn as sns
except ImportError:
    pass
else:
    def frame(r):
        base, slope = r.uniform(-5, 5, 3), r.uniform(.3, 2, 3)
        data = pd.DataFrame({"g": np.repeat(list("uvw"), 40), "h": np.tile(["m", "n"], 60), "x": r.uniform(0, 10, 120)})
        which = np.repeat([0, 1, 2], 40)
        return data.assign(y=base[which] + slope[which] * r.normal(size=120) + r.uniform(-1, 1) * data.x)
    KINDS |= {
        "sns line": lambda ax, r: sns.lineplot(frame(r).assign(x=lambda d: d.x.round()), x="x", y="y", ax=ax),
        "sns scatter": lambda ax, r: sns.scatterplot(frame(r), x="x", y="y", hue="g", ax=ax),
        "sns bar": lambda ax, r: sns.barplot(frame(r), x="g", y="y", hue="h", ax=ax),
        "sns count": lambda ax, r: sns.countplot(frame(r)[lambda d: d.y > r.uniform(-2, 2)], y="g", ax=ax),
        "sns histogram": lambda ax, r: sns.histplot(frame(r), x="y", hue="g", kde=True, ax=ax),
        "sns density": lambda ax, r: sns.kdeplot(frame(r), x="y", hue="g", fill=True, ax=ax),
        "sns boxes": lambda ax, r: sns.boxplot(frame(r), x="g", y="y", ax=ax),
        "sns violins": lambda ax, r: sns.violinplot(frame(r), x="g", y="y", ax=ax),
        "sns strip": lambda ax, r: sns.stripplot(frame(r), x="g", y="y", ax=ax),
        "sns regression": lambda ax, r: sns.regplot(frame(r), x="x", y="y", ax=ax),
        "sns heatmap": lambda ax, r: sns.heatmap(r.normal(size=(6, 8)), annot=bool(r.integers(2)), ax=ax),
        "sns points": lambda ax, r: sns.pointplot(frame(r), x="g", y="y", hue="h", ax=ax),
    }
wanted = sys.argv[2].split(",") if sys.argv[2] else KINDS
for number in range(int(sys.argv[1])):
    for name, draw in KINDS.items():
        if name not in wanted:
            continue
        for twin in "ab":
            look = np.random.default_rng(number)
            data = np.random.default_rng([number, ord(twin)])
            with plt.style.context(STYLES[look.integers(len(STYLES))]):
                fig, axes = plt.subplots(1, look.integers(1, 3), figsize=look.uniform(4, 12, 2), squeeze=False)
                for ax in axes.flat:
                    draw(ax, data)
                    ax.set_title(name); ax.set_xlabel("across"); ax.set_ylabel("up")
                if look.integers(2):
                    fig.tight_layout()
                fig.savefig(f"{name}-{number}-{twin}.png", dpi=int(look.integers(60, 220)), bbox_inches="tight" if look.integers(2) else None)
                plt.close(fig)
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("count", nargs="?", type=int, default=12)
    add_options(parser)
    parser.add_argument("--only", default="", help="kinds, with commas between them")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        variables = {**os.environ, "PYTHONPATH": str(CAPTURE)}
        command = [python_of(given), "-c", PROGRAM, str(given.count), given.only]
        subprocess.run(command, cwd=folder, env=variables, check=True)
        honest, forged = defaultdict(list), defaultdict(list)
        for picture in sorted(folder.glob("*.png")):
            kind, number, twin = picture.stem.rsplit("-", 2)
            other = f"{kind}-{number}-{'b' if twin == 'a' else 'a'}"
            for stem, into in ((picture.stem, honest), (other, forged)):
                description = json.loads((folder / f"{stem}.chart.json").read_text())
                description["pictures"] = {}
                into[kind].append(verify(description, picture.read_bytes(), picture.name))
    report(honest, forged)


def report(honest, forged):
    print(f"a picture contradicts its description below {CONTRADICTED}, bears it out from {CONFIRMED} on\n")
    print(
        "| kind | honest: lowest, median | forged: median, highest | false alarms | hits | borne out: honest, forged |"
    )
    print("|---|---|---|---|---|---|")
    total = defaultdict(int)
    for kind in [*honest, "all"]:
        sides = [
            [one for name, ones in side.items() if kind in {name, "all"} for one in ones] for side in (honest, forged)
        ]
        own, other = (sorted(one.value for one in side if one.value is not None) for side in sides)
        counts = [sum(one.contradicts for one in side) for side in sides]
        borne = [sum((one.value or 0) >= CONFIRMED for one in side) for side in sides]
        print(
            f"| {kind} | {own[0]:.2f}, {own[len(own) // 2]:.2f} | {other[len(other) // 2]:.2f}, {other[-1]:.2f} | "
            f"{counts[0]} of {len(own)} | {counts[1]} of {len(other)} | {borne[0]}, {borne[1]} of {len(own)} |"
        )
        unknown = [one.reason for side in sides for one in side if one.value is None]
        if unknown and kind != "all":
            print(f"{kind}: {len(unknown)} not known: {unknown[0]}", file=sys.stderr)
    return total


if __name__ == "__main__":
    main()
