"""The scorer of charts: finds what describes a picture, compares it with the gold's, and says how far to trust it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Any, Final

from benchwright.files import sha256
from benchwright.score import Score, Scored, Unscored
from benchwright.scorers.base import Expected
from benchwright.scorers.chart.companions import read_companions
from benchwright.scorers.chart.compare import Whole, compare_charts, judged_panels
from benchwright.scorers.chart.description import read_description
from benchwright.scorers.chart.judge import PictureJudge
from benchwright.scorers.chart.pages import PAGES, read_page
from benchwright.scorers.chart.panels import Chart, UnreadableChart
from benchwright.scorers.chart.pictures import is_picture
from benchwright.scorers.chart.redraw import verify
from benchwright.scorers.chart.rule import ChartRule
from benchwright.scorers.compare.opening import UnreadableOutput, read_output
from benchwright.trajectory import Submission

_PICTURE_BYTES: Final = 64 << 20
_TEXT_BYTES: Final = 32 << 20
_SHOWN: Final = 40
_ALONE = "nothing describes what the picture shows, and a picture alone cannot be compared with data"

Files = Mapping[str, Path]


class ChartScorer:
    """Compares the chart of a check with its gold charts; with several golds the best one counts.

    `judge` looks at pictures that nothing describes; without one they have no score. `redraw`: whether a description
    is drawn again and compared with its picture.
    """

    name = "chart"
    version = 1

    def __init__(self, judge: PictureJudge | None = None, *, redraw: bool = True) -> None:
        self._judge, self._redraw = judge, redraw

    def score(self, submission: Submission, expected: Expected) -> Score:
        """The mean over panels of the parts that are right, times the share of right series."""
        rule = ChartRule.read(expected.check.options)
        names = expected.check.golds or expected.gold.files
        golds = {name: {one.name: one for one in _around(expected.files, name)} for name in names}
        charts = _gold_charts(golds, rule)
        if isinstance(charts, Unscored):
            return charts
        output = expected.check.output
        if output not in submission.files:
            return Scored(value=0.0, reason=f"no file {output}")
        try:
            picture, copied = _opened(submission.files[output], output, golds)
            chart = None if copied else chart_of(output, submission.files)
        except (UnreadableOutput, UnreadableChart) as error:
            what = "description of " if isinstance(error, UnreadableChart) else ""
            return Scored(value=0.0, reason=f"unreadable {what}{output}: {error}", details=_SELF if what else {})
        if copied:
            return Scored(value=1.0, reason="right", details={"picture": "byte for byte the gold's"})
        if chart is None:
            return self._by_picture(picture, golds, expected)
        scores = [_scored(compare_charts(gold, chart, rule), chart) for gold in charts]
        return self._verified(max(scores, key=lambda score: score.value), chart, picture, output)

    def _by_picture(self, picture: bytes, golds: Mapping[str, Files], expected: Expected) -> Score:
        if self._judge is None:
            return Unscored(reason=f"no description of {expected.check.output}: {_ALONE}", details=_SELF)
        gold = next((files[Path(name).name] for name, files in golds.items() if Path(name).name in files), None)
        if gold is None:
            return Unscored(reason="suite: the gold picture is missing", details={"gold": "missing"})
        return self._judge.judge(picture, gold.read_bytes(), expected.task.question)

    def _verified(self, score: Scored, chart: Chart, picture: bytes, output: str) -> Score:
        """The score, with how far its description can be trusted; none where the picture shows something else."""
        if not score.value or not self._redraw or chart.source == "output":
            return score
        agreement = verify(chart.raw, picture, output)
        if agreement.broken:
            return Scored(value=0.0, reason=f"{output} shows nothing: {agreement.reason}", details=_SELF)
        details = {**score.details, "redraw": agreement.reason}
        if agreement.value is not None:
            details["agreement"] = round(agreement.value, 4)
        if agreement.contradicts:
            return Unscored(
                reason=f"scorer: picture does not show its description ({agreement.reason})", details=details
            )
        if agreement.confirms:
            details["evidence"] = "verified by redraw"
        return score.model_copy(update={"details": details})


_SELF: Final = {"evidence": "self-described"}
_OWN: Final = {"evidence": "read from the output"}


def _around(folder: Path, name: str) -> list[Path]:
    """The gold picture and what describes it, as far as they exist."""
    stem = PurePosixPath(Path(name).name).stem
    wanted = (Path(name).name, f"{stem}.chart.json", f"{stem}.json", f"{stem}.npy")
    return [folder / one for one in wanted if (folder / one).is_file()]


def _opened(path: Path, output: str, golds: Mapping[str, Files]) -> tuple[bytes, bool]:
    """The bytes of a picture, and whether they are a gold's; UnreadableOutput of what is no picture."""
    picture = read_output(path, _PICTURE_BYTES)
    copied = any(_same_bytes(picture, files, Path(name).name) for name, files in golds.items())
    if not copied and not is_picture(picture, output):
        raise UnreadableOutput("it is no picture, whatever describes it")
    return picture, copied


def _same_bytes(picture: bytes, files: Files, name: str) -> bool:
    path = files.get(name)
    return path is not None and path.stat().st_size == len(picture) and sha256(path.read_bytes()) == sha256(picture)


def _gold(name: str, files: Files) -> Chart:
    chart = chart_of(name, files)
    if chart is None:
        raise UnreadableChart(f"nothing describes {name}")
    return chart


def _gold_charts(golds: Mapping[str, Files], rule: ChartRule) -> list[Chart] | Unscored:
    """The gold charts, or why nothing can be judged by them, whatever is handed in."""
    if not golds:
        return Unscored(reason="suite: the check has no gold file", details={"gold": "missing"})
    charts: list[Chart] = []
    try:
        for name, files in golds.items():
            chart = _gold(Path(name).name, files)
            if not judged_panels(chart, rule):
                return Unscored(reason="suite: the gold chart holds no data", details={"gold": "no data"})
            charts.append(chart)
    except UnreadableChart as error:
        return Unscored(reason=f"suite: the gold chart cannot be used: {error}", details={"gold": "unreadable"})
    return charts


def chart_of(name: str, files: Files) -> Chart | None:
    """The chart of an output: a page's or JSON's own, else what lies beside a picture, our description before the
    published pair of files.

    A pair of which one file is missing describes nothing. None where nothing does; UnreadableChart where what is there
    cannot be used.
    """
    try:
        return _chart_of(name, files)
    except RecursionError as error:
        raise UnreadableChart("it is nested too deeply") from error


def _chart_of(name: str, files: Files) -> Chart | None:
    own = files.get(name)
    if own is not None and PurePosixPath(name).suffix.lower() in PAGES:
        page = read_page(name, _bytes(own))
        if page is not None:
            return page
    stem = str(PurePosixPath(name).with_suffix(""))
    described, texts, data = (files.get(f"{stem}{end}") for end in (".chart.json", ".json", ".npy"))
    failure: UnreadableChart | None = None
    if described is not None:
        try:
            return read_description(_parsed(described))
        except UnreadableChart as error:
            failure = error
    if texts is not None and data is not None:
        return read_companions(_parsed(texts), _bytes(data))
    if failure is not None:
        raise failure
    return None


def _bytes(path: Path) -> bytes:
    try:
        return read_output(path)
    except UnreadableOutput as error:
        raise UnreadableChart(f"{path.suffix} file: {error}") from error


def _parsed(path: Path) -> Any:
    try:
        return json.loads(read_output(path, _TEXT_BYTES).decode("utf-8-sig"))
    except UnreadableOutput as error:
        raise UnreadableChart(str(error)) from error
    except (ValueError, RecursionError) as error:
        raise UnreadableChart(f"not valid JSON: {error}"[:200]) from error


def _scored(whole: Whole, chart: Chart) -> Scored:
    evidence = _OWN if chart.source == "output" else _SELF
    details: dict[str, Any] = {**evidence, "source": chart.source, "panels": whole.panels}
    if whole.without_data:
        details["gold_without_data"] = list(whole.without_data)
    wrong = [item for item in whole.verdict.evidence if item.verdict == "wrong"]
    reason = (
        "right"
        if not wrong
        else f"{len(wrong)} parts are not right, the first: {wrong[0].part} {wrong[0].reason}".strip()
    )
    value = min(1.0, max(0.0, whole.verdict.value))
    return Scored(value=value, reason=reason, evidence=whole.verdict.evidence[:_SHOWN], details=details)
