"""Failures counted: by agent and by domain, over fixed denominators."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from benchwright.agreement import cohen_kappa
from benchwright.analysis.failures.classes import CLASSES, OF_PAPER, title_of
from benchwright.analysis.failures.record import Failure


def shares(rows: Sequence[Failure]) -> dict[str, Any]:
    """How often each class occurs among some attempts, in the order of `CLASSES`.

    `n` are the attempts that count, `failed` those of them worth less than 1. `of_attempts` divides by the first,
    `of_failures` by the second; attempts of the class `suite` count in neither, and have no shares. `estimated` are
    those of which no model was asked and no rule is sure.
    """
    counted = [row for row in rows if row.counted]
    failed = sum(row.failed for row in counted)
    found = Counter(row.failure for row in rows if row.failure)
    guessed = Counter(row.failure for row in rows if row.basis == "estimate")
    return {
        "n": len(counted),
        "failed": failed,
        "classes": {
            name: {
                "n": found[name],
                "of_attempts": None if name == "suite" or not counted else found[name] / len(counted),
                "of_failures": None if name == "suite" or not failed else found[name] / failed,
                "estimated": guessed[name],
            }
            for name in sorted(found, key=_place)
        },
    }


def by(rows: Iterable[Failure], group: Callable[[Failure], str]) -> dict[str, dict[str, Any]]:
    """`shares` of each group; attempts in none (an empty name) are left out."""
    found: dict[str, list[Failure]] = {}
    for row in rows:
        if name := group(row):
            found.setdefault(name, []).append(row)
    return {name: shares(some) for name, some in found.items()}


def agreement(rows: Iterable[Failure]) -> dict[str, Any] | None:
    """How far a model agrees with the rules, where it was asked as well: where a rule is sure, and with the guesses.

    `kappa` is Cohen's, None where either names one class only; `confusion` counts pairs "rules/model". The whole is
    None where no model was asked.
    """
    both = [row for row in rows if row.by_model]
    if not both:
        return None
    sure = [(row.by_rules, row.by_model) for row in both if row.basis == "rule"]
    guessed = [(row.by_rules, row.by_model) for row in both if row.basis == "model"]
    return {"rules": _agreement(sure), "guesses": _agreement(guessed)}


def _agreement(pairs: Sequence[tuple[str, str]]) -> dict[str, Any]:
    confusion = Counter(f"{rules}/{model}" for rules, model in pairs)
    agreed = sum(rules == model for rules, model in pairs)
    return {
        "n": len(pairs),
        "agreed": agreed,
        "kappa": cohen_kappa(pairs),
        "confusion": dict(sorted(confusion.items())),
    }


def legend(rows: Iterable[Failure]) -> list[dict[str, Any]]:
    """The classes that occur, in their order, in words, and whether they are of the paper's ten."""
    names = {row.failure for row in rows if row.failure}
    return [
        {"failure": name, "title": title_of(name), "of_paper": name in OF_PAPER} for name in sorted(names, key=_place)
    ]


def _place(name: str) -> int:
    return CLASSES.index(name)
