import pytest
from statsmodels.stats.proportion import proportion_confint

from benchwright.labels import Labels
from benchwright.score import Scored, Unscored
from benchwright.scoring import Discovery, Judged, TaskScores, wilson
from benchwright.scoring.aggregate import discovery_accuracy, reference_accuracy, sound_accuracy
from benchwright.scoring.intervals import score_interval

RIGHT, WRONG = Scored(value=1.0), Scored(value=0.0)
LOST = Unscored(reason="scorer: time limit")
NOT_MEASURED = Discovery(known=True, measured=False, score=Unscored(reason="not measured: no tracer ran"))


def found(value=1.0, known=True, **details):
    score = Scored(value=value, details=details) if known else Unscored(reason="suite: not known")
    return Discovery(known=known, measured=True, opened=3, swept=False, score=score)


def row(name, sound=RIGHT, discovery=NOT_MEASURED, **more):
    return Judged(TaskScores(task_id=name, answered=True, reference=sound, sound=sound, discovery=discovery), **more)


@pytest.mark.parametrize(("right", "n"), [(0, 1), (1, 1), (0, 20), (7, 20), (20, 20), (617, 1009), (59, 119)])
def test_the_interval_is_wilsons(right, n):
    assert wilson(right / n, n) == pytest.approx(proportion_confint(right, n, method="wilson"), abs=1e-12)


def test_nothing_counted_has_no_interval():
    assert wilson(0.0, 0) is None
    assert sound_accuracy([])["mean"] is None
    assert discovery_accuracy([])["reference"]["mean"] is None


def test_an_attempt_that_broke_or_has_no_verdict_stays_in_the_denominator():
    summary = sound_accuracy([row("1"), row("2", LOST, broke="model")])
    assert (summary["mean"], summary["n"], summary["scored"], summary["unscored"]) == (0.5, 2, 1, 1)
    assert (summary["broke"], summary["mean_scored"]) == (1, 1.0)


def test_a_task_whose_gold_is_broken_is_counted_apart_for_every_agent():
    broken = Unscored(reason="the gold is its guideline", details={"gold": "broken"})
    rows = [row("1"), row("2", WRONG), row("3", broken), row("4", Unscored(reason="suite: no gold"))]
    summary = sound_accuracy(rows)
    assert (summary["mean"], summary["n"], summary["unscorable"], summary["unscored"]) == (0.5, 2, 2, 2)
    assert reference_accuracy(rows)["mean"] == 0.25


def test_attempts_at_one_task_do_not_narrow_the_interval():
    once = sound_accuracy([row("1"), row("2", WRONG)])
    thrice = sound_accuracy(
        [row(name, sound, epoch=epoch) for name, sound in (("1", RIGHT), ("2", WRONG)) for epoch in (1, 2, 3)]
    )
    assert thrice["ci95"] == once["ci95"]
    assert (thrice["n"], thrice["tasks"]) == (6, 2)


def test_discovery_has_both_denominators():
    rows = [
        row("1", discovery=found()),
        row("2", discovery=found(0.0)),
        row("3", discovery=found(known=False)),
        row("4", discovery=NOT_MEASURED),
    ]
    summary = discovery_accuracy(rows)
    assert (summary["reference"]["mean"], summary["reference"]["n"]) == (0.25, 4)
    sound = summary["sound"]
    assert (sound["found"], sound["n"], sound["measured"], sound["not_measured"]) == (1, 3, 2, 1)
    assert (sound["mean"], sound["mean_measured"]) == (1 / 3, 0.5)


def test_where_no_tracer_ran_discovery_is_not_measured_and_never_zero():
    summary = discovery_accuracy([row("1"), row("2")])
    assert summary["sound"]["mean"] is None
    assert summary["reference"]["mean"] == 0.0
    assert (summary["files_opened"], summary["swept"], summary["precision"]) == (None, None, None)


def test_an_estimate_is_in_no_measured_number():
    guess = Scored(value=1.0, details={"estimated": True, "strict": True, "precision": 1.0})
    estimated = Discovery(known=True, measured=False, estimated=True, opened=2, score=guess)
    summary = discovery_accuracy([row("1", discovery=estimated), row("2", discovery=found(0.0))])
    assert (summary["sound"]["found"], summary["sound"]["measured"], summary["reference"]["found"]) == (0, 1, 0)
    assert (summary["precision"], summary["files_opened"]) == (None, 3)
    told = summary["estimated"]
    assert (told["mean"], told["n"], told["told"], told["mean_told"]) == (0.5, 2, 1, 1.0)
    assert "estimated" not in discovery_accuracy([row("2", discovery=found())])


def test_a_variant_that_cannot_be_told_is_not_counted_as_missed():
    rows = [
        row("1", discovery=found(content=None, basename=True)),
        row("2", discovery=found(content=True, basename=True)),
    ]
    variants = discovery_accuracy(rows)["variants"]
    assert variants["basename"] == {"mean": 1.0, "found": 2, "told": 2}
    assert (variants["content"]["found"], variants["content"]["told"]) == (1, 1)


def test_files_count_in_the_exact_and_numeric_accuracies_by_being_right():
    answer = Scored(value=0.0, details={"exact": False, "numeric": True})
    summary = reference_accuracy([row("1", answer), row("2", RIGHT), row("3", WRONG), row("4", LOST)])
    assert (summary["exact_accuracy"], summary["numeric_accuracy"]) == (0.25, 0.5)


def test_the_interval_goes_over_datasets_where_tasks_of_one_are_alike():
    labels = {f"t{n}": Labels(task_id=f"t{n}", dataset=f"d{n // 5}") for n in range(50)}
    rows = [row(name, RIGHT if int(labels[name].dataset[1:]) % 2 else WRONG) for name in labels]
    alone, together = sound_accuracy(rows), sound_accuracy(rows, labels)
    assert (alone["cluster_by"], alone["clusters"]) == ("task", 50)
    assert (together["cluster_by"], together["clusters"], together["tasks"]) == ("dataset", 10, 50)
    assert alone["ci95"] == list(wilson(0.5, 50))
    worth = score_interval([float(n // 5 % 2) for n in range(50)], [n // 5 for n in range(50)])
    assert together["ci95"] == [worth.low, worth.high]
    assert together["ci95"][1] - together["ci95"][0] > 1.8 * (alone["ci95"][1] - alone["ci95"][0])
    assert discovery_accuracy(rows, labels)["reference"]["ci95"] != discovery_accuracy(rows)["reference"]["ci95"]
