"""Two charts side by side: panel for panel, part for part, series for series."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from benchwright.score import Evidence
from benchwright.scorers.chart.panels import LISTS, TEXTS, Chart, Panel, Series, UnreadableChart
from benchwright.scorers.chart.published import as_rows, as_series
from benchwright.scorers.chart.rule import ChartRule
from benchwright.scorers.chart.tables import by_name, same_rows
from benchwright.scorers.chart.texts import folded, same_text, shared

if TYPE_CHECKING:
    import numpy as np

_MOST_PANELS: Final = 16
_MOST_SERIES: Final = 200
"""Up to so many, every panel (unlabelled series) is tried for every other; more are taken in their order."""
_UNSEEN: Final = 0.01
"""The share of a series that may lie out of view though the gold shows it."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What comparing showed: a value from 0 to 1, and what is right and wrong."""

    value: float
    evidence: tuple[Evidence, ...] = ()


_MISSING: Final = Verdict(0.0, (Evidence(part="panel", verdict="wrong", reason="there is no such panel"),))


@dataclass(frozen=True, slots=True)
class Whole:
    """The verdict on a chart, and the gold panels that hold no data to compare."""

    verdict: Verdict
    without_data: tuple[str, ...]
    panels: int


def compare_charts(gold: Chart, found: Chart, rule: ChartRule) -> Whole:
    """The mean over panels, each paired with the panel that shows it best; surplus panels count as wrong ones.

    Gold panels without data are left out: nothing could be right there. `panels` is how many are left.
    """
    judged = judged_panels(gold, rule)
    without = tuple(panel.name for panel in gold.panels if panel not in judged)
    if not judged:
        return Whole(Verdict(0.0), without, 0)
    others = list(found.panels)
    surplus = max(0, len(others) - len(gold.panels))
    places = [place for place, panel in enumerate(gold.panels) if panel in judged]
    verdicts = _paired(judged, places, others, rule)
    value = sum(verdict.value for verdict in verdicts) / (len(judged) + surplus)
    evidence = tuple(item for verdict in verdicts for item in verdict.evidence)
    if surplus:
        evidence += (Evidence(part="panels", verdict="wrong", expected=str(len(gold.panels)), found=str(len(others))),)
    return Whole(Verdict(value, evidence), without, len(judged))


def _paired(gold: Sequence[Panel], places: Sequence[int], found: Sequence[Panel], rule: ChartRule) -> list[Verdict]:
    """For every gold panel the verdict on its partner: by place if all is right so, else the best pairing."""
    straight = [
        compare_panels(one, found[place], rule) if place < len(found) else _MISSING
        for one, place in zip(gold, places, strict=True)
    ]
    right = all(verdict.value == 1.0 for verdict in straight)
    if right or len(found) <= 1 >= len(gold) or max(len(gold), len(found)) > _MOST_PANELS:
        return straight
    return _best_pairs(gold, places, found, rule) if found else straight


def _best_pairs(gold: Sequence[Panel], places: Sequence[int], found: Sequence[Panel], rule: ChartRule) -> list[Verdict]:
    """The pairing of panels that gives most; of equally good ones the one by place."""
    import numpy as np
    from scipy.optimize import linear_sum_assignment

    every = [[compare_panels(one, other, rule) for other in found] for one in gold]
    values = np.array([[verdict.value for verdict in row] for row in every])
    for row, place in enumerate(places):
        if place < len(found):
            values[row, place] += 1e-9
    pairs = dict(zip(*linear_sum_assignment(-values), strict=True))
    return [every[place][pairs[place]] if place in pairs else _MISSING for place in range(len(gold))]


def judged_panels(gold: Chart, rule: ChartRule) -> list[Panel]:
    """The panels of a gold chart that hold what a check looks at."""
    return [panel for panel in gold.panels if not rule.wants_data or panel.rows is not None or panel.series]


def compare_panels(gold: Panel, found: Panel, rule: ChartRule) -> Verdict:
    """The share of parts that are right, times the share of right series: no text makes up for wrong data."""
    if gold.upright is not None and found.upright is (not gold.upright):
        found = found.turned
    parts = [(part, *_part(part, gold, found)) for part in rule.parts if part != "data" and _asked(part, gold, found)]
    evidence = [
        Evidence(
            part=f"{gold.name}: {part}",
            verdict="right" if value == 1.0 else "wrong",
            expected=expected[:200],
            found=shown[:200],
        )
        for part, value, expected, shown in parts
    ]
    values = [value for _, value, _, _ in parts]
    if not rule.wants_data:
        return Verdict(sum(values) / len(values) if values else 1.0, tuple(evidence))
    share, reason = _data(gold, found, rule)
    evidence.append(
        Evidence(
            part=f"{gold.name}: data", verdict="right" if share == 1.0 else "wrong", reason=reason, found=f"{share:.3g}"
        )
    )
    return Verdict(share * (1.0 + sum(values)) / (1 + len(values)), tuple(evidence))


def _asked(part: str, gold: Panel, found: Panel) -> bool:
    """Whether the gold says anything about a part: an empty title asks for none, and forbids none.

    That both count evenly along both axes is nothing to tell.
    """
    if part == "scale":
        both = gold.scales is not None and found.scales is not None
        return both and {*(gold.scales or ()), *(found.scales or ())} != {"linear"}
    if part in TEXTS:
        return bool(folded(gold.texts.get(part, "")))
    return part not in LISTS or bool(gold.lists.get(part))


def _part(part: str, gold: Panel, found: Panel) -> tuple[float, str, str]:
    """How far a part is right, what was expected and what is there."""
    if part in TEXTS:
        expected, shown = gold.texts.get(part, ""), found.texts.get(part, "")
        return float(same_text(expected, shown)), expected, shown
    if part == "scale":
        return float(gold.scales == found.scales), " and ".join(gold.scales or ()), " and ".join(found.scales or ())
    if part in LISTS:
        texts = gold.lists.get(part, ()), found.lists.get(part, ())
        return shared(*texts), ", ".join(texts[0]), ", ".join(texts[1])
    if gold.kinds and found.kinds:
        ours, theirs = _families(gold.kinds), _families(found.kinds)
        return len(ours & theirs) / len(ours | theirs), ", ".join(sorted(ours)), ", ".join(sorted(theirs))
    return float(gold.kind == found.kind), gold.kind, found.kind


def _families(kinds: frozenset[str]) -> frozenset[str]:
    return frozenset({"histogram": "bar", "wireframe": "surface"}.get(kind, kind) for kind in kinds)


def _data(gold: Panel, found: Panel, rule: ChartRule) -> tuple[float, str]:
    """The share of series that are right, and what is wrong with the first that is not."""
    if gold.rows is None:
        return compare_series(gold.series, found.series, rule) if found.series else (0.0, "no data with their places")
    kind = gold.kind or found.kind
    expected = as_series(gold.rows, gold, kind)
    best = (0.0, "no data of that kind")
    try:
        for rows in as_rows(found, kind):
            shown = as_series(_conformed(rows, gold.rows), found, kind)
            best = max(best, compare_series(expected, shown, rule))
    except UnreadableChart as error:
        return 0.0, str(error)
    return best


def _conformed(rows: np.ndarray[Any, Any], gold: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Rows as wide as the gold's: the zeros that fill short ones up depend on the longest."""
    import numpy as np

    if rows.ndim != 2 or gold.ndim != 2 or rows.shape[1] == gold.shape[1]:
        return rows
    if rows.shape[1] < gold.shape[1]:
        return np.pad(rows, ((0, 0), (0, gold.shape[1] - rows.shape[1])))
    return rows if rows[:, gold.shape[1] :].any() else rows[:, : gold.shape[1]]


def compare_series(gold: Sequence[Series], found: Sequence[Series], rule: ChartRule) -> tuple[float, str]:
    """The share of series that are right: those of one label belong together, the others pair up as they fit."""
    named = _by_label(gold, found)
    both = {folded(one.label) for one in gold} & {folded(one.label) for one in found} - {""}
    rest = [one for place, one in enumerate(gold) if place not in named]
    free = [one for place, one in enumerate(found) if place not in named.values()]
    wrong = [gold[place].label for place, other in named.items() if not same_series(gold[place], found[other], rule)]
    right = len(named) - len(wrong)
    for one in rest:
        candidates = (other for other in _candidates(rest, free) if _may_pair(one, other, both))
        partner = next((other for other in candidates if same_series(one, other, rule)), None)
        if partner is None:
            wrong.append(one.label or f"a {one.kind}")
        else:
            free.remove(partner)
            right += 1
    reason = f"not as it should be: {', '.join(wrong[:5])}"[:200] if wrong else ""
    if len(found) > len(gold):
        reason += f"; {len(found)} series instead of {len(gold)}"
    return right / max(len(gold), len(found), 1), reason.strip("; ")


def _candidates(gold: Sequence[Series], free: Sequence[Series]) -> Iterator[Series]:
    if len(gold) <= _MOST_SERIES:
        yield from list(free)
    elif len(free) > 0:
        yield free[0]


def _may_pair(one: Series, other: Series, both: set[str]) -> bool:
    """Whether series may be the same by their labels; `both` are the labels that both sides have."""
    names = folded(one.label), folded(other.label)
    return names[0] == names[1] or not both.intersection(names)


def _by_label(gold: Sequence[Series], found: Sequence[Series]) -> dict[int, int]:
    """Pairs of places of series with the same label, where labels tell series apart."""
    sides = []
    for side in (gold, found):
        places: dict[str, list[int]] = {}
        for place, one in enumerate(side):
            places.setdefault(folded(one.label), []).append(place)
        sides.append({label: found[0] for label, found in places.items() if label and len(found) == 1})
    return {sides[0][label]: sides[1][label] for label in sides[0].keys() & sides[1].keys()}


def same_series(gold: Series, found: Series, rule: ChartRule) -> bool:
    """Whether two series show the same things in the same places, spans of time by their beginnings or their ends."""
    return any(_same_things(one, other, rule) for one in _forms(gold) for other in _forms(found))


def _forms(series: Series) -> Iterator[Series]:
    yield series
    if series.ends:
        table = series.table.copy()
        table[:, 0] = series.ends
        yield replace(series, table=table)


def _same_things(gold: Series, found: Series, rule: ChartRule) -> bool:
    if found.unseen > gold.unseen + _UNSEEN * len(gold.table):
        return False
    if found.spans and not gold.spans and found.table.shape[1] > gold.table.shape[1]:  # nobody asked for error bars
        found = replace(found, table=found.table[:, : -found.spans], spans=0)
    if gold.summary or found.summary:
        return gold.summary == found.summary and _same(gold, found.table, rule, ordered=True)
    if gold.keys and (found.keys or gold.certain):
        order = by_name(gold.keys, found.keys)
        if order is not None:
            return _same(gold, found.table[order], rule, ordered=True)
        if gold.certain or set(map(folded, gold.keys)) & set(map(folded, found.keys)):
            return False
    if gold.path and found.path:
        return _same_path(gold, found.table, rule)
    return _same(gold, found.table, rule, ordered=gold.ordered)


def _same_path(gold: Series, found: np.ndarray[Any, Any], rule: ChartRule) -> bool:
    """Whether two lines go the same way, from either end. A gold that goes to and fro is also met along its axis."""
    if any(_same(gold, table, rule, ordered=True) for table in (found, found[::-1])):
        return True
    return not _goes_on(gold.table) and _goes_on(found) and _same(gold, found, rule, ordered=False)


def _goes_on(table: np.ndarray[Any, Any]) -> bool:
    """Whether the places of rows only rise, or only fall."""
    steps = table[1:, 0] - table[:-1, 0]
    return bool((steps >= 0).all() or (steps <= 0).all())


def _same(gold: Series, found: np.ndarray[Any, Any], rule: ChartRule, *, ordered: bool) -> bool:
    import numpy as np

    if gold.table.shape != found.shape:
        return False
    if rule.scale_free:
        with np.errstate(invalid="ignore", divide="ignore"):
            factor = np.nansum(np.abs(gold.table), axis=0) / np.nansum(np.abs(found), axis=0)
        factor[: gold.places] = 1.0
        found = found * np.where(np.isfinite(factor), factor, 1.0)
    return same_rows(gold.table, found, gold.allowed, ordered=ordered)
