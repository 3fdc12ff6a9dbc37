"""Several attempts at each task: what one of k would reach, and what all of k would."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb

from benchwright.errors import InputError


def pass_at(k: int, n: int, right: int) -> float:
    """The chance that at least one of k attempts is right, unbiased from `right` of n (Chen et al. 2021)."""
    _check(k, n, right)
    return 1 - comb(n - right, k) / comb(n, k)


def pass_all(k: int, n: int, right: int) -> float:
    """pass^k: the chance that all of k attempts are right, unbiased from `right` of n (Yao et al. 2024)."""
    _check(k, n, right)
    return comb(right, k) / comb(n, k)


def over_tasks(k: int, attempts: Sequence[tuple[int, int]], every: bool = False) -> tuple[float | None, int]:
    """The mean over tasks, given as (n, right), and how many have k attempts: the others say nothing of k."""
    rule = pass_all if every else pass_at
    told = [rule(k, n, right) for n, right in attempts if n >= k]
    return (sum(told) / len(told) if told else None), len(told)


def _check(k: int, n: int, right: int) -> None:
    if not 1 <= k <= n or not 0 <= right <= n:
        raise InputError(
            "attempts at a task",
            found=f"k={k}, n={n}, right={right}",
            expected="1 <= k <= n and 0 <= right <= n",
            hint="make more epochs",
        )
