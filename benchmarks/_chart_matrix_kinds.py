"""Draws every kind of chart that is asked for, four times each; chart_matrix.py runs it with a Python of its choice.

Usage: _chart_matrix_kinds.py LIBRARY KINDS (both may be empty); prints a line of JSON a chart.
"""

import json
import sys
import warnings

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
from _chart_matrix_frames import (
    NAMES,
    express_kinds,
    graph_kinds,
    pandas_figures,
    pandas_kinds,
    seaborn_figures,
    seaborn_kinds,
)

warnings.simplefilter("ignore")
OLD = tuple(map(int, mpl.__version__.split(".")[:2])) < (3, 10)
"""Whether matplotlib has no word for the direction of boxes yet."""


class Values:
    """The numbers of one drawing: the same for the same seed."""

    def __init__(self, other, exchanged, restyled):
        self.r = np.random.default_rng(2 if other else 1)
        self.exchanged, self.restyled = exchanged, restyled
        self.up = self.r.uniform(1, 9, 6)
        self.down = self.r.uniform(1, 9, 6)
        self.walk = np.cumsum(self.r.normal(size=30))
        self.walk2 = np.cumsum(self.r.normal(size=30))
        self.x, self.y = self.r.normal(size=(2, 60))
        self.matrix = self.r.normal(size=(5, 6))
        self.samples = [self.r.normal(self.r.uniform(-3, 3), self.r.uniform(0.3, 2), 50) for _ in range(4)]
        self.labelled = False
        wave = self.r.uniform(2, 6, 2)
        self.hills = np.add.outer(np.sin(np.arange(20) / wave[0]), np.cos(np.arange(20) / wave[1]))

    @property
    def labels(self):
        """The labels of two series; whoever asks has some."""
        self.labelled = True
        return ["n", "m"] if self.exchanged else ["m", "n"]

    def turned(self, *lists):
        """The same lists, in another order where the drawing is restyled: for charts whose order says nothing."""
        order = np.random.default_rng(5).permutation(len(lists[0])) if self.restyled else np.arange(len(lists[0]))
        return [np.asarray(one)[order] for one in lists]

    def pairs(self, *series):
        """Series with their labels, in the other order where the drawing is restyled."""
        found = list(zip(series, self.labels, strict=True))
        return found[::-1] if self.restyled else found


def two_lines(ax, v, draw="plot", **more):
    for values, label in v.pairs(v.walk, v.walk2):
        getattr(ax, draw)(np.arange(30), values, label=label, **more)
    ax.legend()


def grouped(ax, v):
    for place, (values, label) in enumerate(zip((v.up, v.down), v.labels, strict=True)):
        ax.bar(np.arange(6) + 0.4 * place - 0.2, values, 0.4, label=label)
    ax.set_xticks(range(6), NAMES)
    ax.legend()


def stacked(ax, v, lying=False):
    draw = ax.barh if lying else ax.bar
    draw(NAMES, v.up, label=v.labels[0])
    draw(NAMES, v.down, label=v.labels[1], **{"left" if lying else "bottom": v.up})
    ax.legend()


def twin(ax, v):
    ax.bar(NAMES, v.up)
    other = ax.twinx()
    other.plot(NAMES, v.down * 10, "r-o")
    other.set_ylabel("right")


def dates(ax, v):
    import datetime as dt

    days = [dt.date(2024, 1, 1) + dt.timedelta(days=7 * place) for place in range(30)]
    ax.plot(days, v.walk)


def inset(ax, v):
    ax.plot(v.walk)
    ax.inset_axes([0.6, 0.6, 0.3, 0.3]).plot(v.walk2[:10])


def grid(figure, v):
    axes = figure.subplots(2, 2)
    axes[0, 0].plot(v.walk)
    axes[0, 1].bar(NAMES, v.up)
    axes[1, 0].scatter(v.x, v.y)
    axes[1, 1].hist(v.x, bins=8)
    for place, one in enumerate(axes.flat):
        one.set_title(f"part {place}")
    figure.suptitle("whole")


def bar_texts(ax, v):
    bars = ax.bar(NAMES, v.up)
    ax.bar_label(bars, fmt="%.1f")
    ax.annotate("most", (2, 3), xytext=(3, 5), arrowprops={"arrowstyle": "->"})


MATPLOTLIB = {
    "line": lambda ax, v: ax.plot(v.walk),
    "two lines": two_lines,
    "markers": lambda ax, v: ax.plot(v.walk, "o"),
    "dates": dates,
    "log": lambda ax, v: (ax.plot(np.exp(v.walk)), ax.set_yscale("log")),
    "loglog": lambda ax, v: ax.loglog(np.arange(1, 31), np.exp(v.walk)),
    "step": lambda ax, v: two_lines(ax, v, "step", where="mid"),
    "bar": lambda ax, v: ax.bar(*v.turned(NAMES, v.up)),
    "lying bar": lambda ax, v: ax.barh(*v.turned(NAMES, v.up)),
    "log bar": lambda ax, v: (ax.bar(NAMES, np.exp(v.up)), ax.set_yscale("log")),
    "grouped bar": grouped,
    "stacked bar": stacked,
    "stacked lying bar": lambda ax, v: stacked(ax, v, lying=True),
    "bar with texts": bar_texts,
    "bar with errors": lambda ax, v: ax.bar(NAMES, v.up, yerr=v.down / 9, capsize=3),
    "histogram": lambda ax, v: ax.hist(v.x, bins=10),
    "two histograms": lambda ax, v: (ax.hist([v.x, v.y], bins=8, label=v.labels), ax.legend()),
    "step histogram": lambda ax, v: ax.hist(v.x, bins=10, histtype="step"),
    "lying histogram": lambda ax, v: ax.hist(v.x, bins=10, orientation="horizontal"),
    "histogram over another": lambda ax, v: (
        [ax.hist(one, bins=8, alpha=0.5, label=label) for one, label in zip((v.x, v.y), v.labels, strict=True)],
        ax.legend(),
    ),
    "stacked histogram": lambda ax, v: (ax.hist([v.x, v.y], bins=8, stacked=True, label=v.labels), ax.legend()),
    "2-D histogram": lambda ax, v: ax.hist2d(v.x, v.y, bins=6),
    "scatter": lambda ax, v: ax.scatter(*v.turned(v.x, v.y)),
    "scatter in groups": lambda ax, v: (
        [
            ax.scatter(*one, label=label)
            for one, label in zip(((v.x, v.y), (v.y[:20] + 1, v.x[:20])), v.labels, strict=True)
        ],
        ax.legend(),
    ),
    "scatter by colour": lambda ax, v: plt.colorbar(ax.scatter(v.x, v.y, c=v.x * v.y), ax=ax),
    "bubbles": lambda ax, v: ax.scatter(v.x, v.y, s=np.abs(v.x * v.y) * 300),
    "boxes": lambda ax, v: ax.boxplot(v.samples),
    "filled boxes": lambda ax, v: ax.boxplot(v.samples, patch_artist=True, showmeans=True),
    "lying boxes": lambda ax, v: ax.boxplot(v.samples, **({"vert": False} if OLD else {"orientation": "horizontal"})),
    "violins": lambda ax, v: ax.violinplot(v.samples),
    "error bars": lambda ax, v: ax.errorbar(range(6), v.up, yerr=v.down / 9, xerr=0.2, capsize=3),
    "error band": lambda ax, v: (ax.plot(v.walk), ax.fill_between(range(30), v.walk - 1, v.walk + 1, alpha=0.3)),
    "area": lambda ax, v: ax.fill_between(range(30), v.walk),
    "area where": lambda ax, v: ax.fill_between(range(30), v.walk, where=v.walk > v.walk.mean()),
    "stackplot": lambda ax, v: (ax.stackplot(range(6), v.up, v.down, labels=v.labels), ax.legend()),
    "stem": lambda ax, v: ax.stem(range(6), v.up),
    "pie": lambda ax, v: ax.pie(v.up, labels=NAMES, autopct="%d%%"),
    "doughnut": lambda ax, v: ax.pie(v.up, labels=NAMES, wedgeprops={"width": 0.4}),
    "pie with legend": lambda ax, v: ax.legend(ax.pie(v.up)[0], NAMES),
    "picture": lambda ax, v: plt.colorbar(ax.imshow(v.matrix), ax=ax),
    "named picture": lambda ax, v: (
        ax.imshow(v.matrix),
        ax.set_xticks(range(6), NAMES),
        ax.set_yticks(range(5), NAMES[:5]),
    ),
    "matshow": lambda ax, v: ax.matshow(v.matrix),
    "mesh": lambda ax, v: ax.pcolormesh(v.matrix),
    "pcolor": lambda ax, v: ax.pcolor(v.matrix),
    "hexbin": lambda ax, v: ax.hexbin(v.x, v.y, gridsize=10),
    "contours": lambda ax, v: ax.contour(v.hills),
    "filled contours": lambda ax, v: ax.contourf(v.hills),
    "arrows": lambda ax, v: ax.quiver(np.arange(6), np.arange(5), v.matrix, v.matrix.T.reshape(5, 6)),
    "stream": lambda ax, v: ax.streamplot(np.arange(6), np.arange(5), v.matrix, -v.matrix),
    "events": lambda ax, v: ax.eventplot([v.x[:20], v.y[:20]]),
    "gantt": lambda ax, v: [
        ax.broken_barh([(one, 1), (one + 2, 0.5)], (place - 0.4, 0.8)) for place, one in enumerate(v.up)
    ],
    "hlines": lambda ax, v: (ax.hlines(range(6), 0, v.up), ax.plot(v.up, range(6), "o")),
    "ecdf": lambda ax, v: ax.step(np.sort(v.x), np.arange(1, 61) / 60, where="post"),
    "stairs": lambda ax, v: ax.stairs(v.up, range(7), fill=True),
    "table": lambda ax, v: (ax.plot(v.walk), ax.table([["1", "2"]], loc="top")),
    "twin axes": twin,
    "rules and spans": lambda ax, v: (ax.plot(v.walk), ax.axhline(0), ax.axvspan(3, 6, alpha=0.2)),
    "inset": inset,
    "missing": lambda ax, v: ax.plot(np.where(np.arange(30) % 7 == 3, np.nan, v.walk)),
    "missing bar": lambda ax, v: ax.bar(NAMES, np.where(np.arange(6) == 2, np.nan, v.up)),
}
POLAR = {
    "polar line": lambda ax, v: ax.plot(np.linspace(0, 6, 30), np.abs(v.walk)),
    "radar": lambda ax, v: (
        ax.plot(np.linspace(0, 2 * np.pi, 7), [*v.up, v.up[0]]),
        ax.fill(np.linspace(0, 2 * np.pi, 7), [*v.up, v.up[0]], alpha=0.3),
    ),
    "polar bar": lambda ax, v: ax.bar(np.linspace(0, 5, 6), v.up, 0.8),
}
SPACE = {
    "3-D scatter": lambda ax, v: ax.scatter(v.x, v.y, v.x * v.y),
    "3-D line": lambda ax, v: ax.plot(np.arange(30), v.walk, v.walk2),
    "3-D surface": lambda ax, v: ax.plot_surface(*np.meshgrid(range(20), range(20)), v.hills),
    "3-D wireframe": lambda ax, v: ax.plot_wireframe(*np.meshgrid(range(20), range(20)), v.hills),
    "3-D bars": lambda ax, v: ax.bar3d(np.arange(6), np.zeros(6), np.zeros(6), 0.5, 0.5, v.up),
}


def on_axes(draw, **options):
    def drawn(v):
        figure = plt.figure()
        axes = figure.add_subplot(**options)
        draw(axes, v)
        axes.set_title("What it shows")
        axes.set_xlabel("across")
        axes.set_ylabel("up")
        return figure

    return drawn


def in_figure(draw):
    def drawn(v):
        figure = plt.figure()
        draw(figure, v)
        return figure

    return drawn


def every(library):
    """By name what draws it, of one library or of all."""
    found = {}
    if library in {"", "matplotlib"}:
        found |= {name: on_axes(draw) for name, draw in MATPLOTLIB.items()} | {"grid": in_figure(grid)}
        found |= {name: on_axes(draw, projection="polar") for name, draw in POLAR.items()}
        found |= {name: on_axes(draw, projection="3d") for name, draw in SPACE.items()}
    for name, kinds, figures in (("pandas", pandas_kinds, pandas_figures), ("seaborn", seaborn_kinds, seaborn_figures)):
        if library in {"", name}:
            try:
                found |= {kind: on_axes(draw) for kind, draw in kinds().items()} | figures()
            except ImportError:
                print(f"{name} is not installed", file=sys.stderr)
    if library in {"", "plotly"}:
        try:
            found |= express_kinds() | graph_kinds()
        except ImportError:
            print("plotly is not installed", file=sys.stderr)
    return found


def save(figure, name, restyled):
    if hasattr(figure, "savefig"):
        options = {"dpi": 170, "bbox_inches": "tight"} if restyled else {}
        figure.savefig(f"{name}.png", **options)
        plt.close("all")
        return ".png"
    if restyled:
        figure.update_layout(template="plotly_dark", width=900)
    figure.write_html(f"{name}.html", include_plotlyjs=False)
    return ".html"


def main():
    library, only = sys.argv[1], sys.argv[2]
    wanted = set(only.split(",")) if only else None
    for name, draw in every(library).items():
        if wanted is not None and name not in wanted:
            continue
        line = {"name": name, "end": "", "variants": []}
        v = None
        try:
            for variant in ("plain", "restyled", "other", "exchanged"):
                if variant == "exchanged" and not v.labelled:
                    continue
                v = Values(variant == "other", variant == "exchanged", variant == "restyled")
                style = ["ggplot", {"figure.figsize": (10, 4)}] if variant == "restyled" else "default"
                with plt.style.context(style):
                    line["end"] = save(draw(v), f"{name}-{variant}", variant == "restyled")
                line["variants"].append(variant)
        except Exception as error:  # noqa: BLE001 - a release that lacks it
            line["fault"] = f"{type(error).__name__}: {error}"[:200]
            plt.close("all")
        print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
