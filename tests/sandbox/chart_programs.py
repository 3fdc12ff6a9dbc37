"""Programs that draw one chart each, as agents write them, and what a description must say of it."""

HIDDEN = """
ax.plot([1, 2, 3], [3, 5, 4], label='seen'); ax.plot([2, 3], [4, 3], visible=False); ax.scatter([1, 2], [3, 3], alpha=0)
ax.bar([1], [4], visible=False); ax.hist([1, 2], alpha=0); ax.imshow([[1, 2]], visible=False, aspect='auto')
ax.errorbar([1], [3], yerr=1, alpha=0); ax.fill_between([1, 2], [3, 4], alpha=0); ax.pie([1, 2], wedgeprops={'alpha': 0}, frame=True)
ax.axis('auto'); ax.set_xlim(.5, 3.5); ax.set_ylim(2, 6)
"""
"""Of all that is drawn here only the first line is to be seen."""

PROGRAMS = {
    "line": ("ax.plot([1, 2, 3], [4, float('nan'), 6], label='a'); ax.legend(title='T')", ["line"], {"x": [1, 2, 3], "y": [4, None, 6], "label": "a"}),
    "dates": ("ax.plot([dt.date(2020, 1, 1), dt.date(2020, 2, 1)], [1, 2])", ["line"], {"x": [18262, 18293], "y": [1, 2]}),
    "bars": ("ax.bar(['a', 'b'], [1, 1])", ["bar"], {"x": [0, 1], "y": [1, 1], "vertical": True}),
    "lying bars": ("ax.barh(['a', 'b'], [1, -2])", ["bar"], {"x": [0, 1], "y": [1, -2], "vertical": False}),
    "stacked bars": ("ax.bar([0, 1], [3, 4], bottom=[1, 2], yerr=[.5, 1])", ["bar"], {"y": [3, 4], "base": [1, 2], "y_low": [3.5, 5], "y_high": [4.5, 7]}),
    "histogram": ("ax.hist([1, 1, 2, 4], bins=3)", ["histogram"], {"edges": [1, 2, 3, 4], "counts": [2, 1, 1]}),
    "step histogram": ("ax.hist([1, 1, 2, 4], bins=3, histtype='step', label='h')", ["histogram"], {"counts": [2, 1, 1], "label": "h"}),
    "stairs": ("ax.stairs([1, 2], [0, 1, 3])", ["histogram"], {"edges": [0, 1, 3], "counts": [1, 2]}),
    "filled stairs": ("ax.stairs([1, 2], [0, 1, 3], fill=True)", ["histogram"], {"counts": [1, 2], "filled": True}),
    "two histograms": ("ax.hist([[1, 1, 2], [2, 3, 3]], bins=2, label=['m', 'n']); ax.legend()", ["histogram"], {"label": "m", "place": 0, "beside": 2}),
    "histograms over each other": ("ax.hist([1, 1, 2, 4], bins=3, alpha=.5, label='m'); ax.hist([1, 3, 4, 4], bins=3, alpha=.5)", ["histogram"], {"label": "m", "beside": 1}),
    "stacked histograms": ("ax.hist([[1, 1, 2, 3], [2, 3, 3, 3]], bins=2, stacked=True, label=['m', 'n'])", ["histogram"], {"counts": [2, 2], "label": "m"}),
    "stacked steps": ("ax.hist([[1, 1, 2, 3], [2, 3, 3, 3]], bins=2, histtype='stepfilled', stacked=True)", ["histogram"], {"counts": [2, 2]}),
    "raised histogram": ("ax.hist([1, 1, 2, 4], bins=3, bottom=2)", ["histogram"], {"counts": [2, 1, 1], "base": [2, 2, 2]}),
    "points with bars": ("ax.plot([0, 1, 2], [3, 5, 4], 'o-'); [ax.plot([x, x], [y - .5, y + .4]) for x, y in enumerate([3, 5, 4])]", ["line"], {"y": [3, 5, 4]}),
    "hidden": (HIDDEN, ["line"], {"label": "seen"}),
    "boxes": ("ax.boxplot([[1, 2, 3, 20], [2, 3, 4]])", ["box"], {}),
    "violins": ("ax.violinplot([[1, 2, 3, 20], [2, 3, 4]])", ["violin"], {}),
    "error bars": ("ax.errorbar([1, 2], [3, 4], yerr=[.5, 1], label='e')", ["errorbar"], {"x": [1, 2], "y": [3, 4], "y_low": [2.5, 3], "y_high": [3.5, 5], "label": "e"}),
    "area": ("ax.fill_between([1, 2, 3], [3, 4, 5], [0, 1, 0])", ["area"], {"parts": [{"x": [1, 2, 3], "low": [0, 1, 0], "high": [3, 4, 5]}]}),
    "stem": ("ax.stem([1, 2], [3, 4])", ["stem"], {"x": [1, 2], "y": [3, 4]}),
    "pie": ("ax.pie([1, 2, 1], labels=list('abc'), autopct='%d%%')", ["pie"], {"shares": [.25, .5, .25], "labels": ["a", "b", "c"]}),
    "points": ("ax.scatter([1, 2, 3], [3, 1, 2], c=['r', 'b', 'r'])", ["scatter"], {"x": [1, 2, 3], "y": [3, 1, 2]}),
    "picture": ("ax.imshow([[1, 2], [3, np.nan]])", ["heatmap"], {"values": [[1, 2], [3, None]]}),
    "mesh": ("ax.pcolormesh([[1, 2], [3, 4]])", ["heatmap"], {"values": [[1, 2], [3, 4]]}),
    "hexagons": ("ax.hexbin([0, 0, 1], [0, 0, 1], gridsize=2)", ["hexbin"], {}),
    "contours": ("ax.contour([[0, 1], [2, 3]], levels=[1, 2])", ["contour"], {"z": [[0, 1], [2, 3]], "levels": [1, 2]}),
    "arrows": ("ax.quiver([0, 1], [0, 1], [1, 0], [0, 1])", ["vectors"], {"u": [1, 0], "v": [0, 1]}),
    "shapes": ("from matplotlib import collections as C, patches as P; ax.add_collection(C.PatchCollection([P.Rectangle((0, 0), 1, 2), P.Rectangle((2, 0), 1, 3)], array=[5, 6])); ax.autoscale_view()", [], {"values": [5, 6], "corners": [[[0, 0], [1, 0], [1, 2], [0, 2], [0, 0]], [[2, 0], [3, 0], [3, 3], [2, 3], [2, 0]]]}),
    "ticks along an axis": ("ax.plot([1, 5], [2, 3]); ax.vlines([1, 2, 5], 0, .3, transform=ax.get_xaxis_transform())", ["line"], {"y": [2, 3]}),
    "own colours": ("from matplotlib.colors import LinearSegmentedColormap as M; ax.imshow([[1, 2], [3, 4]], cmap=M.from_list('own', ['white', 'red', 'black']))", ["heatmap"], {"values": [[1, 2], [3, 4]]}),
    "no reader": ("from matplotlib import collections as C; ax.add_collection(C.EllipseCollection([1], [1], [0], offsets=[(0, 0)], offset_transform=ax.transData))", ["unreadable"], {"type": "EllipseCollection"}),
    "rules and spans": ("ax.axhline(2); ax.axvspan(0, 1); ax.vlines([1], 0, [3])", [], {}),
}  # fmt: skip

FIGURES = {
    "turned": "fig, ax = plt.subplots(subplot_kw={'projection': 'polar'}); ax.set_theta_offset(1.5); ax.set_theta_direction(-1)\n"
    "ax.plot([0, 1, 2, 4], [1, 5, 2, 4])",
    "line in space": "fig = plt.figure(); ax = fig.add_subplot(projection='3d'); ax.plot([1, 2], [3, 4], [5, 6])",
    "space": "fig = plt.figure(); ax = fig.add_subplot(projection='3d'); ax.scatter([1, 2], [3, 4], [5, 6])\n"
    "ax.plot_surface(*np.meshgrid([0, 1], [0, 1]), np.array([[1, 2], [3, 4]])); ax.set_zlabel('Z')",
    "twins": "fig, ax = plt.subplots(); ax.plot([1, 2]); ax.twinx().plot([5, 6])",
    "grid of axes": "fig, axes = plt.subplots(2, 2); axes[0, 0].plot([1, 2]); axes[1, 1].bar([1], [2])\n"
    "fig.colorbar(axes[0, 1].imshow([[1, 2]]), ax=axes[0, 1]); fig.suptitle('S')",
    "many points": "fig, ax = plt.subplots(); ax.scatter(np.arange(150000.0), np.arange(150000.0))",
    "seaborn": "import pandas as pd, seaborn as sns; fig, ax = plt.subplots()\n"
    "sns.boxplot(data=pd.DataFrame({'g': list('aab'), 'v': [1.0, 3.0, 2.0]}), x='g', y='v', ax=ax)",
    "pandas": "import pandas as pd; fig = pd.DataFrame({'a': [1, 2], 'b': [3, 4]}, index=['p', 'q']).plot.bar().figure",
}


def script() -> str:
    """One program that draws them all, each in a figure of its own that is closed after saving."""
    lines = ["import datetime as dt, io, matplotlib.pyplot as plt, numpy as np"]
    for name, (draw, _, _) in PROGRAMS.items():
        lines += ["fig, ax = plt.subplots()", draw, f"ax.set_title({name!r}); ax.set_xlabel('across')"]
        lines += [f"fig.savefig({name + '.png'!r}); plt.close(fig)"]
    for name, draw in FIGURES.items():
        lines += [draw, f"fig.savefig({name + '.png'!r}); plt.close('all')"]
    return "\n".join(lines)
