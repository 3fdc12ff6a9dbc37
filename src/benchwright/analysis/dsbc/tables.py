"""Accuracy and its causes by setup, temperature, category, data set and question, each share with its counts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import fmean, median, pstdev
from typing import TYPE_CHECKING, Any

from benchwright.analysis.dsbc.frame import OUTCOMES
from benchwright.analysis.statistics.intervals import score_interval

if TYPE_CHECKING:
    import polars as pl

SETUP = ("model", "approach", "variant")
"""What the paper calls an attempt (Table 7): a model, an approach and a wording, over all temperatures."""

_OFTEN = 0.8
Row = dict[str, Any]


def by_setup(frame: pl.DataFrame) -> list[Row]:
    """Table 7: for each setup the highest and lowest accuracy of a temperature, and accuracy over all of them.

    `sd` is the standard deviation over the temperatures' accuracies with their number as denominator: the one that all
    15 of the paper's values agree with. None where there is but one temperature. Of equal accuracies the lower
    temperature is named.
    """
    rows = []
    for setup, part in _groups(frame, SETUP):
        at = [{**each, **shares(group)} for each, group in _groups(part, ["temperature"])]
        rows.append(
            {
                **setup,
                **shares(part),
                "sd": pstdev(each["accuracy"] for each in at) if len(at) > 1 else None,
                "highest": max(at, key=lambda each: each["accuracy"]),
                "lowest": min(at, key=lambda each: each["accuracy"]),
                "temperatures": at,
            }
        )
    return rows


def by(frame: pl.DataFrame, *columns: str) -> list[Row]:
    """Accuracy for each combination of some columns' values. A question with three categories counts in each."""
    if "category" in columns:
        frame = frame.explode("categories").rename({"categories": "category"})
    return [{**named, **shares(part)} for named, part in _groups(frame, columns)]


def shares(part: pl.DataFrame) -> Row:
    """Right among all planned attempts; `published` leaves out those without a verdict, as the published code does.

    The interval takes all attempts at one question together: asking it again is no independent evidence.
    """
    n, right = part.height, int(part["right"].sum())
    undecided = int(part["outcome"].is_in(["undecided", "harness", "not run"]).sum())
    tasks = part["task_id"].to_list()
    interval = score_interval(part["right"].cast(float).to_list(), tasks) if n else None
    return {
        "n": n,
        "questions": len(set(tasks)),
        "right": right,
        "without_verdict": undecided,
        "accuracy": right / n if n else None,
        "ci95": [interval.low, interval.high] if interval else None,
        "published": right / (n - undecided) if n > undecided else None,
    }


def by_question(frame: pl.DataFrame) -> Row:
    """How often each question is answered rightly over all attempts, and what the rates look like together."""
    rates = [
        {**named, "n": part.height, "right": int(part["right"].sum()), "rate": int(part["right"].sum()) / part.height}
        for named, part in _groups(frame, ["task_id", "dataset"])
    ]
    values = [row["rate"] for row in rates]
    summary = {
        "questions": len(values),
        "mean": fmean(values) if values else None,
        "median": median(values) if values else None,
        "highest": max(values, default=None),
        "above_80": sum(value > _OFTEN for value in values),
        "never_right": sum(value == 0.0 for value in values),
        "always_right": sum(value == 1.0 for value in values),
    }
    return {"summary": summary, "rates": sorted(rates, key=lambda row: (row["rate"], row["task_id"]))}


def causes(frame: pl.DataFrame, *columns: str) -> list[Row]:
    """How many attempts came to what, and the share of each cause among those that are not right."""
    rows = []
    for named, part in _groups(frame, columns):
        found = part["outcome"].value_counts()
        counted = dict(zip(found["outcome"].to_list(), found["count"].to_list(), strict=True))
        counts = {outcome: counted.get(outcome, 0) for outcome in OUTCOMES}
        failed = part.height - counts["right"]
        share = {name: counts[name] / failed for name in OUTCOMES[1:]} if failed else {}
        rows.append({**named, "n": part.height, "counts": counts, "share_of_failures": share})
    return rows


def costs(frame: pl.DataFrame) -> list[Row]:
    """Mean dollars and tokens an attempt for each approach, over the models' means, and how many times single_code's.

    The paper compares equal numbers of attempts, averaged over the models (appendix B). Only attempts that were made
    count; dollars are None where any has no known price, and `models` are those that every approach was played with.
    """
    made = frame.filter(frame["outcome"] != "not run")
    played = [set(part["model"].to_list()) for _, part in _groups(made, ["approach"])]
    common = sorted(set.intersection(*played)) if played else []
    made = made.filter(made["model"].is_in(common))
    rows = [
        {**named, "models": common, **{name: _mean_of_means(part, name) for name in ("cost_usd", "tokens")}}
        for named, part in _groups(made, ["approach"])
    ]
    base: Row = next((row for row in rows if row["approach"].split(" ")[0] == "single_code"), {})
    for row in rows:
        for name in ("cost_usd", "tokens"):
            known = row[name] is not None and base.get(name)
            row[f"{name}_ratio"] = row[name] / base[name] if known else None
    return rows


def _mean_of_means(part: pl.DataFrame, name: str) -> float | None:
    means = [None if each[name].null_count() else each[name].mean() for _, each in _groups(part, ["model"])]
    known = [float(mean) for mean in means if isinstance(mean, int | float)]
    return fmean(known) if known and len(known) == len(means) else None


def ignored_settings(frame: pl.DataFrame) -> list[Row]:
    """For each model the settings that its provider was not sent, and with how many attempts."""
    told = frame.filter(frame["ignored"].is_not_null()).explode("ignored").rename({"ignored": "setting"})
    told = told.filter(told["setting"].is_not_null())
    return [{**named, "attempts": part.height} for named, part in _groups(told, ["model", "setting"])]


def _groups(frame: pl.DataFrame, columns: Sequence[str]) -> Iterator[tuple[Row, pl.DataFrame]]:
    """The parts of a table by some columns' values, in their order; missing values first."""
    names = list(columns)
    if not names:
        yield {}, frame
        return
    ordered = frame.sort(names, nulls_last=False, maintain_order=True)
    for values, part in ordered.group_by(names, maintain_order=True):
        yield dict(zip(names, values, strict=True)), part
