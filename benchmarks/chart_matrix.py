"""Which charts are described, judged and drawn again as they should be: kinds of charts, by library that draws them.

Every chart is drawn four times with the capture of the sandbox: plainly; in another style, size and order; with other values;
with the labels of two series exchanged. The description of the plain one is the gold. What should be: its own value 1, that of the
other style 1, less than 1 for other values and exchanged labels; the plain picture bears its description out, the picture
with other values contradicts it.
Usage: python benchmarks/chart_matrix.py [--python PROGRAM | --matplotlib RELEASE] [--library NAME] [--only KINDS] [--keep FOLDER]
(a Python that has matplotlib, pandas, seaborn and plotly, to draw with; what it lacks is left out; or a release, "toolbox" for what
sandboxes hold, for which an environment is made)
"""

import argparse
import json
import os
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from _chart_environments import add_options, python_of

from benchwright.files import sha256
from benchwright.sandbox import holder
from benchwright.scorers.chart.compare import compare_charts
from benchwright.scorers.chart.description import read_description
from benchwright.scorers.chart.panels import UnreadableChart
from benchwright.scorers.chart.redraw import verify
from benchwright.scorers.chart.rule import ChartRule

CAPTURE = Path(holder.__file__).with_name("capture")
PROGRAM = Path(__file__).with_name("_chart_matrix_kinds.py")
VARIANTS = ("plain", "restyled", "other", "exchanged")


@dataclass(frozen=True)
class Row:
    """What one chart showed."""

    name: str
    fault: str = ""
    values: tuple[float, ...] = ()
    own: object = None
    forged: object = None
    scaled: object = None
    swapped: object = None

    @property
    def faults(self):
        """What is not as it should be."""
        if self.fault:
            return [self.fault]
        itself, restyled, other, exchanged = self.values
        return [
            *(["its own value is not 1"] if itself != 1 else []),
            *([f"another style has {restyled:.2f}"] if restyled != 1 else []),
            *([f"other values have {other:.2f}"] if other > 0.5 else []),
            *([f"exchanged labels have {exchanged:.2f}"] if exchanged is not None and exchanged == 1 else []),
            *([f"contradicts itself ({self.own.reason})"] if self.own.contradicts else []),
            *(["forged is borne out"] if self.forged.confirms else []),
        ]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_options(parser)
    parser.add_argument("--library", default="", help="only this library's")
    parser.add_argument("--only", default="", help="kinds, with commas between them")
    parser.add_argument("--keep", type=Path, help="where pictures and descriptions are kept, to be looked at")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = given.keep or Path(name)
        folder.mkdir(parents=True, exist_ok=True)
        variables = {**os.environ, "PYTHONPATH": str(CAPTURE), "MPLBACKEND": "Agg"}
        command = [python_of(given), PROGRAM, given.library, given.only]
        done = subprocess.run(command, cwd=folder, env=variables, check=True, stdout=subprocess.PIPE, text=True)
        lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
        report([judged(folder, line) for line in lines])


def judged(folder, line):
    """The row of one chart that was drawn, or why it was not."""
    name, end = line["name"], line["end"]
    if "fault" in line:
        return Row(name, f"not drawn: {line['fault']}")
    try:
        texts = {
            variant: json.loads((folder / f"{name}-{variant}.chart.json").read_text()) for variant in line["variants"]
        }
        charts = {variant: read_description(value) for variant, value in texts.items()}
    except (OSError, UnreadableChart) as error:
        return Row(name, f"not described: {error}"[:160])
    if '"failed"' in json.dumps(texts["plain"]) or not charts["plain"].panels:
        return Row(name, "no panel, or a part failed")
    gold = charts["plain"]
    if not all(panel.series for panel in gold.panels):
        return Row(name, "a panel without data")
    values = [
        compare_charts(gold, charts[variant], ChartRule()).verdict.value if variant in charts else None
        for variant in VARIANTS
    ]
    pictures = {variant: (folder / f"{name}-{variant}{end}").read_bytes() for variant in ("plain", "other")}
    forged = {**texts["plain"], "pictures": {f"{name}-plain{end}": sha256(pictures["other"])}}
    exchanged = swapped(texts["plain"]) if "exchanged" in texts else None
    return Row(
        name,
        values=tuple(values),
        own=verify(texts["plain"], pictures["plain"], f"{name}-plain{end}"),
        forged=verify(forged, pictures["other"], f"{name}-plain{end}"),
        scaled=verify(scaled(texts["plain"]), pictures["plain"], f"{name}-plain{end}"),
        swapped=verify(exchanged, pictures["plain"], f"{name}-plain{end}") if exchanged is not None else None,
    )


def scaled(description):
    """The description of a chart with values a thousand times as large, which looks the same but for its ticks."""
    value = json.loads(json.dumps(description))
    for axes in value.get("axes", []):
        for name in ("x", "y"):
            axis = axes.get(name, {})
            if axis.get("type") == "number" and not axis.get("fixed"):
                axis["labels"] = [f"{label}000" if label else "" for label in axis.get("labels", [])]
    return value


def swapped(description):
    """The description of a chart in which two labels of its legends changed places; None where no legend has them."""
    value = json.loads(json.dumps(description))
    others = {"m": "n", "n": "m"}
    legends = [
        *value.get("figure", {}).get("legends", []),
        *(axes.get("legend") or {} for axes in value.get("axes", [])),
    ]
    if not any(label in others for legend in legends for label in legend.get("labels", [])):
        return None
    for legend in legends:
        legend["labels"] = [others.get(label, label) for label in legend.get("labels", [])]
    for axes in value.get("axes", []):
        for item in axes.get("series", []):
            item["label"] = others.get(item.get("label"), item.get("label"))
    return value


def report(rows):
    print(
        "| chart | itself, restyled, other, exchanged | own picture | other values | other scale | swapped labels | not as it should be |"
    )
    print("|---|---|---|---|---|---|---|")
    for row in rows:
        values = ", ".join("-" if value is None else f"{value:.2f}" for value in row.values)
        print(
            f"| {row.name} | {values} | {said(row.own)} | {said(row.forged)} | {said(row.scaled)} | {said(row.swapped)} | {'; '.join(row.faults)} |"
        )
    own = [row.own for row in rows if row.own is not None and row.own.value is not None]
    forged = [row.forged for row in rows if row.forged is not None and row.forged.value is not None]
    labels = [row.swapped for row in rows if row.swapped is not None and row.swapped.value is not None]
    larger = [row.scaled for row in rows if row.scaled is not None and row.scaled.value is not None]
    print(
        f"\n{len(rows)} charts, {sum(not row.faults for row in rows)} without a fault; of {len(own)} pictures "
        f"{sum(one.confirms for one in own)} bear out their own description and {sum(one.contradicts for one in own)} contradict it; "
        f"of {len(forged)} pictures with other values {sum(one.contradicts for one in forged)} contradict it, "
        f"{sum(one.confirms for one in forged)} bear it out; of {len(larger)} with another scale {sum(one.contradicts for one in larger)} "
        f"and {sum(one.confirms for one in larger)}; of {len(labels)} with swapped labels {sum(one.contradicts for one in labels)} "
        f"and {sum(one.confirms for one in labels)}."
    )


def said(agreement):
    if agreement is None:
        return ""
    if agreement.value is None:
        return agreement.reason[:60]
    word = "contradicts" if agreement.contradicts else "borne out" if agreement.confirms else "open"
    return f"{agreement.value:.2f} {word}"


if __name__ == "__main__":
    main()
