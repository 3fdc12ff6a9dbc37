"""The paper's own counts, fed into the tables, give the paper's tables."""

import itertools
import math
import re

import pytest

from benchwright.analysis.dsbc import OUTCOMES, tables
from benchwright.analysis.dsbc.document import tables_of
from benchwright.analysis.dsbc.frame import frame_of

QUESTIONS, TEMPERATURES = 303, [number / 10 for number in range(11)]
BY_CATEGORIES = {1: (63, 55.86), 2: (154, 43.13), 3: (86, 25.46)}


@pytest.fixture(scope="module")
def table7(shared):
    """The rows of Table 7: setup, highest and lowest accuracy with count and temperature, overall, sd."""
    text = (shared / "reference" / "dsbc.md").read_text()
    cell = r"([\d.]+) \((\d+)\) ([\d.]+)"
    row = re.compile(
        rf"^\| ([\w.-]+) \| (\w+) \| (clean|raw) \| {cell} \| {cell} \| ([\d.]+) \((\d+)\) \| ([\d.]+) \|$",
        re.MULTILINE,
    )
    found = row.findall(text)
    assert len(found) == 15
    return found


def squares(total: int, sd: float, denominator: int = 11) -> list[int]:
    """The sums of squares of eleven whole counts that give this standard deviation of their accuracies."""
    near = round(denominator * (sd * QUESTIONS / 100) ** 2 + total**2 / 11)
    return [
        value
        for value in range(near - 40, near + 40)
        if (value - total) % 2 == 0
        and round(math.sqrt((value - total**2 / 11) / denominator) / QUESTIONS * 100, 3) == sd
    ]


def eleven(low: int, high: int, total: int, wanted: int) -> list[int]:
    """Eleven counts with this lowest and highest one, each once, this sum and this sum of squares."""
    least = {}

    def search(left, rest, rest_squares, bound):
        if left == 0:
            return [] if rest == rest_squares == 0 else None
        if (
            not left * low <= rest <= left * bound
            or rest_squares * left < rest**2
            or (left, rest, rest_squares, bound) in least
        ):
            return None
        for value in range(bound, low, -1):
            found = search(left - 1, rest - value, rest_squares - value**2, value)
            if found is not None:
                return [value, *found]
        least[left, rest, rest_squares, bound] = True
        return None

    middle = search(9, total - low - high, wanted - low**2 - high**2, high - 1)
    assert middle is not None
    return [high, *middle, low]


def placed(counts: list[int], highest_at: float, lowest_at: float) -> dict[float, int]:
    """The counts at the eleven temperatures, the ends where the paper has them."""
    high, *middle, low = counts
    rest = iter(middle)
    at = {highest_at: high, lowest_at: low}
    return {value: at[value] if value in at else next(rest) for value in TEMPERATURES}


@pytest.fixture(scope="module")
def frame(table7):
    """Every attempt of the paper: which are right is free, how many by setup, temperature and number of categories not."""
    ids = list(itertools.chain(*([n] * count for n, (count, _) in BY_CATEGORIES.items())))
    tasks = [(f"q{number}", n) for number, n in enumerate(ids)]
    left = {n: round(count * 165 * accuracy / 100) for n, (count, accuracy) in BY_CATEGORIES.items()}
    rows = []
    for model, approach, variant, _, high, high_at, _, low, low_at, _, total, sd in table7:
        (wanted,) = squares(int(total), float(sd))
        counts = eleven(int(low), int(high), int(total), wanted)
        for temperature, right in placed(counts, float(high_at), float(low_at)).items():
            share = shared_out(right, left)
            left = {n: left[n] - share[n] for n in left}
            setup = {"model": model, "approach": approach, "variant": variant, "temperature": temperature, "epoch": 1}
            for task, n in tasks:
                share[n] -= 1
                outcome = "right" if share[n] >= 0 else "incorrect"
                rows.append(
                    {**setup, "task_id": task, "n_categories": n, "outcome": outcome, "right": outcome == "right"}
                )
    return frame_of(rows)


def shared_out(right: int, left: dict[int, int]) -> dict[int, int]:
    """So many right answers over the numbers of categories, in proportion to what is left of each."""
    whole = sum(left.values())
    share = {n: right * rest // whole for n, rest in left.items()}
    for n in sorted(left, key=lambda n: share[n] - right * left[n] / whole)[: right - sum(share.values())]:
        share[n] += 1
    return share


def test_the_papers_counts_give_every_figure_of_its_table_7(frame, table7):
    found = {(row["model"], row["approach"], row["variant"]): row for row in tables.by_setup(frame)}
    assert len(found) == 15
    for model, approach, variant, high, _, high_at, low, _, low_at, overall, total, sd in table7:
        row = found[model, approach, variant]
        assert (row["n"], row["right"]) == (3333, int(total))
        shown = [
            100 * value for value in (row["highest"]["accuracy"], row["lowest"]["accuracy"], row["accuracy"], row["sd"])
        ]
        assert [f"{value:.3f}" for value in shown] == [high, low, overall, sd]
        assert (row["highest"]["temperature"], row["lowest"]["temperature"]) == (float(high_at), float(low_at))


def test_the_papers_deviations_have_the_number_of_temperatures_as_denominator(table7):
    given = [(int(total), float(sd)) for *_, total, sd in table7]
    assert all(len(squares(total, sd)) == 1 for total, sd in given)
    assert sum(not squares(total, sd, denominator=10) for total, sd in given) == 12


def test_the_papers_identities_hold_for_its_counts(frame):
    document = tables_of(frame)
    overall, summary = document["overall"], document["questions"]["summary"]
    assert (overall["n"], overall["right"]) == (49_995, 20_379)
    assert round(100 * overall["accuracy"], 2) == 40.76
    assert round(100 * summary["mean"], 2) == 40.76
    found = {
        row["n_categories"]: (row["questions"], round(100 * row["accuracy"], 2)) for row in document["n_categories"]
    }
    assert found == BY_CATEGORIES
    mean = sum(row["accuracy"] for row in document["accuracy"]) / 15
    assert round(100 * mean, 2) == 40.76


def test_the_accuracies_of_data_sets_weighted_by_their_questions_are_the_overall_accuracy(shared):
    text = (shared / "reference" / "dsbc.md").read_text()
    listed = re.findall(r"^\| (\w+)(?: \(life\))? \|(?:[^|\n]+\|){9} ([\d.]+) \| (\d+) \|$", text, re.MULTILINE)
    assert len(listed) == 11
    rows = []
    for name, accuracy, questions in listed:
        attempts = [(f"{name}{n}", epoch) for epoch in range(165) for n in range(int(questions))]
        right = round(len(attempts) * float(accuracy) / 100)
        rows += [
            {
                "dataset": name,
                "task_id": task,
                "epoch": epoch,
                "right": place < right,
                "outcome": OUTCOMES[place >= right],
            }
            for place, (task, epoch) in enumerate(attempts)
        ]
    frame = frame_of(rows)
    found = {row["dataset"]: f"{100 * row['accuracy']:.2f}" for row in tables.by(frame, "dataset")}
    assert found == {name: accuracy for name, accuracy, _ in listed}
    assert round(100 * tables.shares(frame)["accuracy"], 1) == 40.8
