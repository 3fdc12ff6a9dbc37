"""Whether the same chart has 1 whichever way it is drawn: with matplotlib, pandas, seaborn and plotly, plainly and restyled.

Every group holds programs that draw the same data as the same chart; each is judged against each, and the table tells those that have
less than 1. Usage: python benchmarks/chart_libraries.py [--python PROGRAM | --matplotlib toolbox] [--only GROUPS]
"""

import argparse
import json
import os
import subprocess
import tempfile
from pathlib import Path

from _chart_environments import add_options, python_of

from benchwright.sandbox import holder
from benchwright.scorers.chart.compare import compare_charts
from benchwright.scorers.chart.description import read_description
from benchwright.scorers.chart.rule import ChartRule

CAPTURE = Path(holder.__file__).with_name("capture")
HEAD = """
import datetime as dt, matplotlib; matplotlib.use("Agg")
import matplotlib.pyplot as plt, numpy as np, pandas as pd, seaborn as sns
import plotly.express as px, plotly.graph_objects as go
r = np.random.default_rng(3)
n, v, w = list("abcdef"), r.uniform(1, 9, 6).round(2), r.uniform(1, 9, 6).round(2)
f = pd.DataFrame({"n": n, "v": v}); g = pd.DataFrame({"m": v, "k": w}, index=n)
t = g.reset_index(names="n").melt("n", var_name="h", value_name="v")
years = list(range(2015, 2021)); days = pd.date_range("2024-01-01", periods=6); months = pd.date_range("2024-01-31", periods=6, freq="ME")
x, y = r.normal(size=(2, 40)); sample = np.concatenate([x, [9.0]]); p = np.arange(6); matrix = r.uniform(0, 9, (6, 6)).round(2)
s = pd.DataFrame({"x": x, "y": y, "h": np.tile(["m", "k"], 20)})
fig, ax = plt.subplots()
"""
GROUPS = {
    "bars": [
        "ax.bar(n, v)",
        "ax.barh(n, v)",
        "ax.bar(n[::-1], v[::-1], color='red', edgecolor='k', width=.4)",
        "ax.bar(p, v); ax.set_xticks(p, n, rotation=90)",
        "ax.bar(n, v, color=['r', 'g', 'b', 'c', 'm', 'y'])",
        "[ax.bar(one, value) for one, value in zip(n, v)]",
        "f.plot.bar(x='n', y='v', ax=ax, legend=False)",
        "f.set_index('n').v.plot(kind='barh', ax=ax)",
        "f.sort_values('v').plot.bar(x='n', y='v', ax=ax, legend=False)",
        "sns.barplot(f, x='n', y='v', ax=ax)",
        "sns.barplot(f, x='v', y='n', hue='n', legend=False, ax=ax)",
        "ax.bar(n, v); ax.set_ylim(0.5, 20); ax.bar_label(ax.containers[0]); ax.grid()",
        "fig = px.bar(f, x='n', y='v')",
        "fig = px.bar(f, x='v', y='n', orientation='h')",
        "fig = px.bar(f, x='n', y='v', color='n')",
        "fig = go.Figure(go.Bar(x=n, y=v))",
    ],
    "bars of years": [
        "ax.bar(years, v)",
        "ax.bar(list(map(str, years)), v)",
        "ax.bar(p, v); ax.set_xticks(p, years)",
        "ax.bar(years, v); ax.set_xticks(years)",
        "pd.Series(v, index=years).plot.bar(ax=ax)",
        "sns.barplot(x=years, y=v, ax=ax)",
        "fig = px.bar(x=years, y=v)",
        "fig = px.bar(x=list(map(str, years)), y=v)",
    ],
    "line over days": [
        "ax.plot(days, v)",
        "ax.plot(days, v, 'k--o'); fig.autofmt_xdate()",
        "ax.plot([str(day.date()) for day in days], v); ax.tick_params(axis='x', rotation=45)",
        "ax.plot(p, v); ax.set_xticks(p, [day.strftime('%Y-%m-%d') for day in days])",
        "pd.Series(v, index=days).plot(ax=ax)",
        "sns.lineplot(x=days, y=v, ax=ax)",
        "ax.plot(days, v); ax.scatter(days, v)",
        "ax.step(days, v)",
        "fig = px.line(x=days, y=v)",
        "fig = px.line(x=[str(day.date()) for day in days], y=v, markers=True)",
    ],
    "line over months": [
        "ax.plot(months, v)",
        "pd.Series(v, index=months).plot(ax=ax)",
        "pd.Series(v, index=months.to_period()).plot(ax=ax)",
        "fig = px.line(x=months, y=v)",
    ],
    "line over names": [
        "ax.plot(n, v)",
        "ax.plot(p, v); ax.set_xticks(p, n)",
        "f.plot(x='n', y='v', ax=ax, legend=False)",
        "sns.lineplot(f, x='n', y='v', ax=ax)",
        "sns.pointplot(f, x='n', y='v', ax=ax)",
        "fig = px.line(f, x='n', y='v')",
    ],
    "two lines": [
        "ax.plot(years, v, label='m'); ax.plot(years, w, label='k'); ax.legend()",
        "ax.plot(years, w, 'r', label='k'); ax.plot(years, v, 'g', label='m'); fig.legend()",
        "ax.plot(years, v); ax.plot(years, w); ax.legend(['m', 'k'])",
        "pd.DataFrame({'m': v, 'k': w}, index=years).plot(ax=ax)",
        "sns.lineplot(pd.DataFrame({'m': v, 'k': w}, index=years), ax=ax)",
        "sns.lineplot(t.assign(n=years * 2), x='n', y='v', hue='h', ax=ax)",
        "fig = px.line(pd.DataFrame({'m': v, 'k': w}, index=years))",
    ],
    "grouped bars": [
        "ax.bar(p - .2, v, .4, label='m'); ax.bar(p + .2, w, .4, label='k'); ax.set_xticks(p, n); ax.legend()",
        "ax.barh(p - .2, v, .4, label='m'); ax.barh(p + .2, w, .4, label='k'); ax.set_yticks(p, n); ax.legend()",
        "g.plot.bar(ax=ax)",
        "g.plot.barh(ax=ax)",
        "sns.barplot(t, x='n', y='v', hue='h', ax=ax)",
        "fig = px.bar(t, x='n', y='v', color='h', barmode='group')",
    ],
    "stacked bars": [
        "ax.bar(n, v, label='m'); ax.bar(n, w, bottom=v, label='k'); ax.legend()",
        "ax.bar(n, w, label='k'); ax.bar(n, v, bottom=w, label='m'); ax.legend()",
        "g.plot.bar(stacked=True, ax=ax)",
        "g.plot.barh(stacked=True, ax=ax)",
        "fig = px.bar(t, x='n', y='v', color='h')",
    ],
    "points": [
        "ax.scatter(x, y)",
        "ax.plot(x, y, 'o')",
        "ax.plot(x, y, linestyle='', marker='x', color='r')",
        "ax.scatter(x[::-1], y[::-1], s=90, c='k', alpha=.3)",
        "s.plot.scatter('x', 'y', ax=ax)",
        "sns.scatterplot(s, x='x', y='y', ax=ax)",
        "fig = px.scatter(s, x='x', y='y')",
    ],
    "points in groups": [
        "[ax.scatter(*s[s.h == h][['x', 'y']].to_numpy().T, label=h) for h in 'mk']; ax.legend()",
        "sns.scatterplot(s, x='x', y='y', hue='h', ax=ax)",
        "sns.scatterplot(s, x='x', y='y', hue='h', style='h', ax=ax)",
        "fig = px.scatter(s, x='x', y='y', color='h')",
    ],
    "histogram": [
        "ax.hist(x, bins=8)",
        "ax.hist(x, bins=8, orientation='horizontal', rwidth=.8)",
        "ax.hist(x, bins=8, histtype='step')",
        "pd.Series(x).plot.hist(bins=8, ax=ax)",
        "s.x.hist(bins=8, ax=ax)",
        "sns.histplot(x, bins=8, ax=ax)",
        "c, e = np.histogram(x, bins=8); ax.bar(e[:-1], c, np.diff(e), align='edge')",
    ],
    "boxes": [
        "ax.boxplot([sample, y]); ax.set_xticklabels(['a', 'b'])",
        "ax.boxplot([sample, y], patch_artist=True, vert=False, notch=True); ax.set_yticklabels(['a', 'b'])",
        "sns.boxplot(pd.DataFrame({'g': ['a'] * 41 + ['b'] * 40, 'v': [*sample, *y]}), x='g', y='v', ax=ax)",
        "sns.boxplot({'a': sample, 'b': y}, ax=ax)",
        "pd.DataFrame({'a': pd.Series(sample), 'b': pd.Series(y)}).plot.box(ax=ax)",
        "fig = go.Figure([go.Box(y=sample, name='a'), go.Box(y=y, name='b')])",
        "fig = px.box(pd.DataFrame({'g': ['a'] * 41 + ['b'] * 40, 'v': [*sample, *y]}), x='g', y='v')",
    ],
    "pie": [
        "ax.pie(v, labels=n)",
        "ax.pie(v[::-1], labels=n[::-1], autopct='%.1f%%', startangle=90)",
        "ax.pie(v, labels=n, wedgeprops={'width': .4}, explode=[.1] * 6)",
        "ax.pie(v); ax.legend(n)",
        "f.set_index('n').v.plot.pie(ax=ax)",
        "fig = px.pie(f, names='n', values='v')",
        "fig = px.pie(f, names='n', values='v', hole=.4)",
    ],
    "heat map": [
        "ax.imshow(matrix); ax.set_xticks(p, n); ax.set_yticks(p, n)",
        "ax.pcolormesh(matrix, cmap='Reds'); ax.set_xticks(p + .5, n); ax.set_yticks(p + .5, n); ax.invert_yaxis()",
        "sns.heatmap(pd.DataFrame(matrix, index=n, columns=n), annot=True, ax=ax)",
        "ax.matshow(matrix); ax.set_xticks(p, n); ax.set_yticks(p, n); fig.colorbar(ax.images[0])",
        "fig = px.imshow(matrix, x=n, y=n)",
        "fig = go.Figure(go.Heatmap(z=matrix, x=n, y=n))",
    ],
    "area": [
        "ax.fill_between(years, v)",
        "ax.stackplot(years, v)",
        "pd.Series(v, index=years).plot.area(ax=ax)",
        "fig = px.area(x=years, y=v)",
    ],
    "stacked areas": [
        "ax.stackplot(years, v, w, labels=['m', 'k']); ax.legend()",
        "ax.stackplot(years, w, v, labels=['k', 'm']); ax.legend()",
        "pd.DataFrame({'m': v, 'k': w}, index=years).plot.area(ax=ax)",
        "fig = px.area(pd.DataFrame({'m': v, 'k': w}, index=years))",
    ],
}
TAIL = """
name = {name!r}
fig.savefig(name + ".png") if hasattr(fig, "savefig") else fig.write_json(name + ".json")
plt.close("all")
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_options(parser)
    parser.add_argument("--only", default="", help="groups, with commas between them")
    given = parser.parse_args()
    wanted = {name: GROUPS[name] for name in given.only.split(",")} if given.only else GROUPS
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        draw(folder, python_of(given), wanted)
        report(folder, wanted)


def draw(folder, python, groups):
    programs = "import warnings; warnings.simplefilter('ignore')\n"
    for name, codes in groups.items():
        for place, code in enumerate(codes):
            lines = (HEAD + code + TAIL.format(name=f"{name}-{place}")).splitlines()
            body = "\n".join(f"    {line}" for line in lines)
            programs += f"try:\n{body}\nexcept Exception as error:\n    print({name!r}, {place}, error)\n"
    variables = {**os.environ, "PYTHONPATH": str(CAPTURE), "MPLBACKEND": "Agg"}
    subprocess.run([python, "-c", programs], cwd=folder, env=variables, check=True)


def report(folder, groups):
    """What has less than 1, by group, gold and output, with the first reason; titles and names of axes are left out."""
    rule, right, pairs = ChartRule(("kind", "data", "labels")), 0, 0
    for name, codes in groups.items():
        charts = {}
        for place, code in enumerate(codes):
            path = folder / f"{name}-{place}.chart.json"
            if path.exists():
                charts[code] = read_description(json.loads(path.read_text()))
        for gold, one in charts.items():
            for found, other in charts.items():
                whole = compare_charts(one, other, rule)
                right, pairs = right + (whole.verdict.value == 1), pairs + 1
                if whole.verdict.value < 1:
                    why = next((item for item in whole.verdict.evidence if item.verdict == "wrong"), None)
                    print(
                        f"{name}: {whole.verdict.value:.2f}  gold {gold!r}  output {found!r}: {why.part} {why.reason}"
                    )
    print(f"{right} of {pairs} pairs of {len(groups)} groups have 1")


if __name__ == "__main__":
    main()
