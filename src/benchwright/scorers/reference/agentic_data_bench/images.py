"""The published comparison of charts: what the plotting hook wrote beside the picture, subplot by subplot."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchwright.score import Evidence
from benchwright.scorers.reference.agentic_data_bench.arrays import chart_data
from benchwright.scorers.reference.agentic_data_bench.aspects import aspect_agrees
from benchwright.scorers.reference.agentic_data_bench.calls import SHOWN, Call, Verdict, finding
from benchwright.scorers.reference.agentic_data_bench.pixels import same_picture
from benchwright.scorers.reference.agentic_data_bench.shapes import difference

_SUBPLOT = "subplot_"
_WHOLE = "single"


class _Matches(NamedTuple):
    """By subplot, whether it matches; and what does not."""

    by_subplot: dict[str, bool]
    evidence: list[Evidence]


def compare_image(call: Call) -> Verdict:
    """The share of subplots whose data and whose named aspects match; 1 for equal pictures of equal names.

    Raises AssertionError where a gold file is missing, and whatever broken companions of an output lead to.
    """
    aspects = call.arguments.get("calculate_columns", ["type"])
    gold = call.gold
    exact_size = "figsize" in aspects
    _there(gold)
    # The published test looks for the gold's name in the output's path; ours differ between machines, but for the name.
    if gold.name in call.name and call.output is not None and same_picture(call.output, gold, exact_size):
        return Verdict(1.0, "the same picture")
    stem = os.path.splitext(call.name)[0]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        data = _data(call.files.get(f"{stem}.npy"), gold.with_suffix(".npy"))
    info = _info(call.files.get(f"{stem}.json"), gold.with_suffix(".json"), aspects)
    names = data.by_subplot.keys() | info.by_subplot.keys()
    matched = [data.by_subplot.get(name, False) and info.by_subplot.get(name, False) for name in names]
    evidence = (*data.evidence, *info.evidence)
    reason = "; ".join(f"{item.part}: {item.reason}" for item in evidence[:3])
    return Verdict(sum(matched) / (len(names) or 1), reason, evidence[:SHOWN])


def _there(gold: Path) -> None:
    if not gold.exists():
        raise AssertionError(f"the gold {gold.name} does not exist")


def _data(output: Path | None, gold: Path) -> _Matches:
    if output is None or not output.exists():
        return _Matches({_WHOLE: False}, [finding("data", "no file with the chart's data")])
    _there(gold)
    found, wanted = (chart_data(path.read_bytes()) for path in (output, gold))
    if not (isinstance(found, dict) and isinstance(wanted, dict) and any(key.startswith(_SUBPLOT) for key in found)):
        found, wanted = (_upright(side) if hasattr(side, "ndim") else side for side in (found, wanted))
        if hasattr(found, "shape") and hasattr(wanted, "shape") and found.shape != wanted.shape:
            return _Matches({_WHOLE: False}, [_other_shape("data", found, wanted)])
        return _one(_WHOLE, found, wanted)
    if len(found) != len(wanted):
        return _Matches({}, [finding("data", f"{len(found)} subplots, the gold has {len(wanted)}")])
    matches = _Matches({}, [])
    for name, values in found.items():
        part = _subplot_data(name, values, wanted)
        matches.by_subplot.update(part.by_subplot)
        matches.evidence.extend(part.evidence)
    return matches


def _subplot_data(name: str, values: Any, wanted: dict[str, Any]) -> _Matches:
    if name not in wanted:
        return _Matches({name: False}, [finding(name, "no such subplot in the gold")])
    ours, golds = _upright(values), _upright(wanted[name])
    if ours.shape != golds.shape:
        return _Matches({name: False}, [_other_shape(name, ours, golds)])
    return _one(name, ours, golds)


def _one(name: str, found: Any, wanted: Any) -> _Matches:
    """Equal values in any order along the first axis, or equal shares of their sums; both are looked at, as either may
    raise.
    """
    apart, shares_apart = difference(found, wanted), difference(found, wanted, shares=True)
    if apart and shares_apart:
        return _Matches({name: False}, [finding(name, apart)])
    return _Matches({name: True}, [])


def _upright(values: Any) -> Any:
    """One axis becomes a column. Anything but an array is an AttributeError, as published."""
    return values.reshape(-1, 1) if values.ndim == 1 else values


def _other_shape(name: str, found: Any, wanted: Any) -> Evidence:
    return finding(name, "another shape", wanted.shape, found.shape)


def _info(output: Path | None, gold: Path, aspects: Sequence[str] | None) -> _Matches:
    if output is None or not output.exists():
        return _Matches({}, [finding("description", "no file with the chart's description")])
    _there(gold)
    found, wanted = (_parsed(path) for path in (output, gold))
    if "total_subplots" not in found and "total_subplots" not in wanted:
        return _described(_WHOLE, found, wanted, aspects)
    ours, golds = (
        {name: value for name, value in side.items() if name.startswith(_SUBPLOT)} for side in (found, wanted)
    )
    if len(ours) != len(golds):
        return _Matches({}, [finding("description", f"{len(ours)} subplots, the gold has {len(golds)}")])
    matches = _Matches({}, [])
    for name in sorted(ours):
        if name in golds:
            part = _described(name, ours[name], golds[name], aspects)
        else:
            part = _Matches({name: False}, [finding(name, "no such subplot in the gold")])
        matches.by_subplot.update(part.by_subplot)
        matches.evidence.extend(part.evidence)
    return matches


def _parsed(path: Path) -> Any:
    with path.open(encoding="utf-8") as stream:
        return json.load(stream)


def _described(name: str, found: Any, wanted: Any, aspects: Sequence[str] | None) -> _Matches:
    """Whether every aspect agrees; each is looked at, since one may raise."""
    wrong = [
        finding(name, f"another {aspect}", wanted.get(aspect, ""), found.get(aspect, ""))
        for aspect in (wanted if aspects is None else aspects)
        if not aspect_agrees(aspect.lower(), found, wanted)
    ]
    return _Matches({name: not wrong}, wrong)
