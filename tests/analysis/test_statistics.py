import math
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar as their_mcnemar
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint

from benchwright.analysis.statistics.intervals import bootstrap_interval, score_interval
from benchwright.analysis.statistics.pairs import Flips, difference_interval, flips, holm, mcnemar, sign_flip
from benchwright.analysis.statistics.planning import chance, detectable, needed
from benchwright.analysis.statistics.ranks import letters, ranks
from benchwright.analysis.statistics.repeats import over_tasks, pass_all, pass_at
from benchwright.errors import InputError
from benchwright.scoring.clusters import clustered

shares = st.lists(st.floats(0, 1), min_size=2, max_size=60)


@given(st.integers(1, 500), st.data())
def test_without_clusters_the_interval_is_wilsons(n, data):
    right = data.draw(st.integers(0, n))
    found = score_interval([1.0] * right + [0.0] * (n - right))
    assert (found.low, found.high) == pytest.approx(proportion_confint(right, n, method="wilson"), abs=1e-12)


@given(shares, st.data())
def test_an_interval_holds_its_mean_and_stays_between_0_and_1(values, data):
    clusters = [data.draw(st.integers(0, 5)) for _ in values]
    found = score_interval(values, clusters)
    assert 0 <= found.low <= found.mean + 1e-12
    assert found.mean - 1e-12 <= found.high <= 1
    assert found.n == len(values)
    assert 1 <= found.effective <= max(found.n, found.clusters)


def test_the_robust_variance_is_that_of_statsmodels():
    import statsmodels.api as sm

    chance = np.random.default_rng(1)
    clusters = chance.integers(0, 12, 90)
    values = (chance.random(90) < chance.random(12)[clusters]).astype(float)
    fitted = sm.OLS(values, np.ones_like(values)).fit(
        cov_type="cluster", cov_kwds={"groups": clusters, "use_correction": False}
    )
    count = len(set(clusters))
    assert clustered(values, clusters).variance == pytest.approx(fitted.bse[0] ** 2 * count / (count - 1))


def test_tasks_that_are_copies_of_each_other_tell_no_more_than_one():
    single = score_interval([1, 0, 1, 0, 1, 1], range(6))
    copied = score_interval([1, 0, 1, 0, 1, 1] * 20, [*range(6)] * 20)
    assert (copied.low, copied.high) == pytest.approx((single.low, single.high), abs=0.05)
    naive = score_interval([1, 0, 1, 0, 1, 1] * 20)
    assert naive.high - naive.low < 0.3 * (copied.high - copied.low)


def test_one_cluster_tells_nothing_of_the_spread():
    found = score_interval([1, 1, 0], ["a"] * 3)
    assert (found.mean, found.low, found.high) == (pytest.approx(2 / 3), 0, 1)
    found = bootstrap_interval([1, 1, 0], ["a"] * 3)
    assert (found.low, found.high) == (-math.inf, math.inf)


def test_the_bootstrap_agrees_with_scipys_for_many_single_values():
    values = np.random.default_rng(2).normal(size=400)
    found = bootstrap_interval(values, times=20_000)
    theirs = stats.bootstrap((values,), np.mean, method="percentile", n_resamples=20_000, rng=3).confidence_interval
    assert (found.low, found.high) == pytest.approx(tuple(theirs), abs=0.01)


def test_the_bootstrap_is_repeated_by_its_seed():
    values = list(np.linspace(0, 1, 30))
    assert bootstrap_interval(values, seed=5) == bootstrap_interval(values, seed=5)
    assert bootstrap_interval(values, seed=5) != bootstrap_interval(values, seed=6)


@pytest.mark.parametrize("call", [score_interval, bootstrap_interval, difference_interval, sign_flip])
def test_no_values_are_refused_with_a_reason(call):
    with pytest.raises(InputError, match="statistics of no values"):
        call([])
    with pytest.raises(InputError, match="2 values, 1 clusters"):
        call([1.0, 0.0], ["a"])


@given(st.integers(1, 8), st.data())
def test_pass_at_k_is_the_share_of_choices_with_a_right_one(n, data):
    right, k = data.draw(st.integers(0, n)), data.draw(st.integers(1, n))
    attempts = [True] * right + [False] * (n - right)
    chosen = list(combinations(attempts, k))
    assert pass_at(k, n, right) == pytest.approx(sum(map(any, chosen)) / len(chosen))
    assert pass_all(k, n, right) == pytest.approx(sum(map(all, chosen)) / len(chosen))


def test_tasks_with_too_few_attempts_are_counted_and_left_out():
    assert over_tasks(2, [(4, 2), (1, 1), (4, 4)]) == (pytest.approx((5 / 6 + 1) / 2), 2)
    assert over_tasks(2, [(4, 2)], every=True) == (pytest.approx(1 / 6), 1)
    assert over_tasks(2, [(1, 1)]) == (None, 0)
    with pytest.raises(InputError, match="k=3, n=2"):
        pass_at(3, 2, 1)


@given(st.lists(st.tuples(st.booleans(), st.booleans()), max_size=80))
def test_mcnemar_is_statsmodels_exact_test(pairs):
    found = mcnemar([a for a, _ in pairs], [b for _, b in pairs])
    table = [[sum(pair == cell for pair in pairs) for cell in row] for row in ([(1, 1), (1, 0)], [(0, 1), (0, 0)])]
    if found.first + found.second:
        assert found.p == pytest.approx(float(their_mcnemar(table, exact=True).pvalue), abs=1e-9)
    else:
        assert found.p == 1


@given(st.lists(st.sampled_from([-1.0, 0.0, 1.0]), min_size=1, max_size=12))
def test_flipped_signs_of_single_tasks_are_the_binomial_test(differences):
    won, lost = differences.count(1.0), differences.count(-1.0)
    expected = stats.binomtest(won, won + lost).pvalue if won + lost else 1.0
    assert sign_flip(differences) == pytest.approx(expected, abs=1e-9)


@given(st.lists(st.integers(-3, 3).map(float), min_size=2, max_size=9), st.data())
def test_flipped_signs_of_clusters_are_every_choice_of_signs(differences, data):
    clusters = [data.draw(st.integers(0, 3)) for _ in differences]
    sums = list(clustered(differences, clusters).sums)
    every = [
        abs(sum(sign * value for sign, value in zip(signs, sums, strict=True)))
        for signs in product((-1, 1), repeat=len(sums))
    ]
    assert sign_flip(differences, clusters) == pytest.approx(
        sum(x >= abs(sum(sums)) - 1e-9 for x in every) / len(every)
    )


def test_drawn_signs_come_near_every_choice():
    differences = list(np.random.default_rng(3).normal(0.3, 1, 16))
    drawn = Flips(clustered(differences), np.random.default_rng(0).choice([-1.0, 1.0], size=(9_999, 16)))
    assert drawn.p() == pytest.approx(sign_flip(differences), abs=0.02)


@given(st.lists(st.sampled_from([-1.0, -0.5, 0.0, 0.5, 1.0]), min_size=1, max_size=10), st.sampled_from([0.8, 0.95]))
def test_the_interval_holds_no_difference_exactly_where_the_test_does_not_refuse_it(differences, level):
    found = flips(differences)
    low, high = found.interval(level)
    assert low <= found.data.mean + 1e-6
    assert high >= found.data.mean - 1e-6
    assert (low <= 0 <= high) == (found.p() > 1 - level)


def test_the_interval_of_many_tasks_comes_near_students():
    differences = np.random.default_rng(6).choice([-1, 0, 1], size=400, p=[0.1, 0.7, 0.2])
    ours, students = flips(differences).interval(0.95), difference_interval(differences)
    assert ours == pytest.approx((students.low, students.high), abs=0.01)


@settings(max_examples=15)  # theirs collects garbage at every call
@given(st.dictionaries(st.integers(0, 99), st.floats(0, 1), max_size=12))
def test_holm_is_statsmodels(p):
    expected = multipletests(list(p.values()), method="holm")[1] if p else []
    assert list(holm(p).values()) == pytest.approx(list(expected))
    assert list(holm(p)) == list(p)


def test_a_difference_is_that_of_the_means():
    first, second = [1, 1, 0, 1, 1, 0, 1, 1], [0, 1, 0, 0, 1, 0, 1, 0]
    found = difference_interval([a - b for a, b in zip(first, second, strict=True)], [0, 0, 1, 1, 2, 2, 3, 3])
    assert found.mean == pytest.approx(np.mean(first) - np.mean(second))
    assert found.low <= found.mean <= found.high


@given(st.lists(st.floats(-1, 1), min_size=2, max_size=40))
def test_the_interval_of_a_difference_of_single_tasks_is_students(differences):
    found = difference_interval(differences)
    half = stats.sem(differences) * stats.t.ppf(0.975, len(differences) - 1)
    assert found.low == pytest.approx(max(-1, np.mean(differences) - half), abs=1e-9)
    assert found.high == pytest.approx(min(1, np.mean(differences) + half), abs=1e-9)


def test_ranks_know_what_can_be_told_apart():
    chance = np.random.default_rng(4)
    level = chance.random(200)
    scores = {
        "best": [float(x < 0.9) for x in level],
        "twin": [float(x < 0.9) for x in level[::-1]],
        "worst": [float(x < 0.2) for x in level],
    }
    found = {rank.name: rank for rank in ranks(scores, times=2_000)}
    assert found["best"].place == found["twin"].place == 1
    assert (found["best"].low, found["best"].high) == (1, 2)
    assert found["best"].group == found["twin"].group == "a"
    assert (found["worst"].place, found["worst"].low, found["worst"].high, found["worst"].group) == (3, 3, 3, "b")
    with pytest.raises(InputError, match="unequal tasks"):
        ranks({"a": [1.0], "b": [1.0, 0.0]})
    assert ranks({}) == ()


@given(st.integers(1, 7), st.data())
def test_names_share_a_letter_exactly_where_they_are_not_apart(count, data):
    order = [f"agent{place}" for place in range(count)]
    apart = frozenset(frozenset(pair) for pair in combinations(order, 2) if data.draw(st.booleans()))
    found = letters(order, apart)
    for first, second in combinations(order, 2):
        assert bool(set(found[first]) & set(found[second])) == (frozenset((first, second)) not in apart)
    assert all(found.values())


def test_the_tasks_that_a_difference_needs_are_those_of_the_published_formula():
    # Connor (1987), for p12 + p21 = 0.3 and a difference of 0.1 at 5 % and 80 %
    assert needed(0.1, 0.3) == 234
    assert needed(0.0, 0.3) == needed(0.4, 0.3) == math.inf


def test_the_planned_power_is_what_a_simulation_finds():
    drawn, tasks = np.random.default_rng(5), int(needed(0.15, 0.4))
    found = 0
    for _ in range(600):
        kinds = drawn.choice(3, tasks, p=[0.275, 0.125, 0.6])
        first, second = kinds == 0, kinds == 1
        found += stats.binomtest(int(first.sum()), int(first.sum() + second.sum())).pvalue <= 0.05
    assert 0.72 <= found / 600 <= 0.88  # the exact test is a little weaker than the formula


@given(st.integers(1, 7), st.sampled_from([0.3, 0.6, 1.0]), st.floats(0.05, 1))
@settings(max_examples=25)
def test_the_chance_to_find_a_difference_is_summed_over_every_outcome(tasks, discordant, share):
    difference = share * discordant
    shares = {1.0: (discordant + difference) / 2, -1.0: (discordant - difference) / 2, 0.0: 1 - discordant}
    expected = sum(
        math.prod(shares[each] for each in outcome)
        for outcome in product(shares, repeat=tasks)
        if sign_flip(outcome) <= 0.05
    )
    assert chance(difference, tasks, discordant) == pytest.approx(expected, abs=1e-9)


def test_the_detectable_difference_is_the_smallest_that_is_found_four_times_in_five():
    smallest = detectable(120, 0.4)
    assert chance(smallest, 120, 0.4) >= 0.8 > chance(smallest - 1e-6, 120, 0.4)
    assert detectable(120, 0.4, design_effect=2) == detectable(60, 0.4) > smallest
    assert detectable(120, 0.4, alpha=0.01) > smallest
    assert detectable(5, 1.0) == detectable(120, 0.0) == 1.0  # five tasks that all point one way have p = 0.06
    many = detectable(4_001, 0.4)
    assert many == pytest.approx(detectable(4_000, 0.4), rel=0.02)
    assert needed(many, 0.4) == pytest.approx(4_001, abs=1)


def test_all_tasks_won_leave_a_doubt_and_so_do_none():
    """Tango's score interval (1998) at the edges, where every task or none is discordant: (n - z²) / (n + z²), z² / (n + z²)."""
    square = stats.norm.ppf(0.975) ** 2
    assert flips([1.0] * 9).interval(0.95) == pytest.approx(((9 - square) / (9 + square), 1), abs=1e-6)
    assert flips([0.0] * 9).interval(0.95) == pytest.approx((-square / (9 + square), square / (9 + square)), abs=1e-6)
    low, high = flips([1.0] * 6, list("abcdef")).interval(0.95)  # p = 0.03: few clusters, hardly apart
    assert 0 < low < 0.01
    assert high == 1


@pytest.mark.parametrize(("first", "second"), [(0.97, 0.05), (0.03, 0.01), (0.9, 0.2), (0.5, 0.5)])
def test_intervals_of_differences_hold_the_true_one(first, second):
    drawn, held, rounds = np.random.default_rng(7), 0, 150
    for _ in range(rounds):
        differences = (drawn.random(14) < first).astype(float) - (drawn.random(14) < second)
        low, high = flips(differences.tolist()).interval(0.95)
        held += low - 1e-6 <= first - second <= high + 1e-6
    assert held / rounds >= 0.95 - 3 * math.sqrt(0.05 * 0.95 / rounds)
