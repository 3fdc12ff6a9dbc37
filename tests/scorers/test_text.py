import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.errors import SuiteError
from benchwright.gold import Check, Gold
from benchwright.score import Scored, Unscored
from benchwright.scorers.base import Expected
from benchwright.scorers.text import TextScorer, folded
from benchwright.task import Task
from benchwright.trajectory import Submission


@pytest.fixture
def score(tmp_path):
    def run(found, *golds, **options):
        folder = tmp_path / "gold"
        folder.mkdir(exist_ok=True)
        for number, text in enumerate(golds):
            (folder / f"{number}.txt").write_text(text, encoding="utf-8")
        files = {}
        if found is not None:
            (tmp_path / "out.txt").write_bytes(found if isinstance(found, bytes) else found.encode())
            files = {"out.txt": tmp_path / "out.txt"}
        names = tuple(f"{number}.txt" for number in range(len(golds)))
        check = Check(scorer="text", output="out.txt", golds=names, options=options)
        return TextScorer().score(
            Submission(files=files), Expected(Task(id="t", question="q"), Gold(task_id="t"), check, folder)
        )

    return run


@pytest.mark.parametrize(
    "found",
    ["17.2–18.3 miles", " 17.2-18.3   MILES\n", "\ufeff17.2—18.3\nmiles", "17.2\u201318.3 miles".encode("utf-16"), "１７.2-18.3 miles"],
)  # fmt: skip
def test_accidents_of_typing_do_not_count(score, found):
    assert score(found, "17.2–18.3 miles").value == 1.0


@pytest.mark.parametrize("found", ["", "17.2-18.4 miles", "17.2-18.3", "18.3-17.2 miles", "miles"])
def test_another_text_is_wrong(score, found):
    assert score(found, "17.2–18.3 miles").value == 0.0


def test_an_accent_is_a_letter_of_its_own(score):
    assert score("n\u0303ao", "ñao").value == 1.0
    assert score("nao", "não").value == 0.0


GOLD = "Stroke prevalence in females in their 60s: 6.2%"


@pytest.mark.parametrize(
    ("found", "value", "reason"),
    [
        ("Stroke prevalence of females in their 60s: 6.20 %", 1.0, "right"),
        ("The stroke prevalence in females in their 60s: 6.2%.", 1.0, "right"),
        ("Stroke prevalence in females in their 60s: 6.3%", 0.0, "other numbers"),
        ("Stroke prevalence in females in their 60s: 6.2", 0.0, "other numbers"),
        ("Stroke prevalence in females in their 70s: 6.2%", 0.0, "other numbers"),
        ("Diabetes among all male patients, aged 60: 6.2%", 0.0, "other words"),
        ("Not stroke prevalence in females in their 60s: 6.2%", 0.0, "denial"),
    ],
)
def test_fuzzy_means_similar_words_and_the_same_numbers(score, found, value, reason):
    result = score(found, GOLD, mode="fuzzy", threshold=0.85)
    assert (result.value, reason in result.reason) == (value, True), result
    assert result.details["threshold"] == 0.85


def test_numbers_that_look_alike_are_not_alike(score):
    gold = "the silhouette score of the best model that was found is 0.42"
    assert score(gold.replace("0.42", "0.43"), gold, mode="fuzzy", threshold=0.5).value == 0.0
    assert score(gold.replace("0.42", "-0.42"), gold, mode="fuzzy", threshold=0.5).value == 0.0
    assert score(gold.replace("0.42", "0.420"), gold, mode="fuzzy").value == 1.0
    assert score("a total of 1,234 rows", "a total of 1234 rows", mode="fuzzy").value == 1.0


@pytest.mark.parametrize(
    "found",
    [
        "the share of group A decreased, and is higher than that of group B",
        "the share of group A increased, and is lower than that of group B",
        "the share of group B increased, and is higher than that of group A",
    ],
)
def test_words_that_mean_the_opposite_or_changed_places_are_another_text(score, found):
    gold = "the share of group A increased, and is higher than that of group B"
    assert score(found, gold, mode="fuzzy", threshold=0.8).value == 0.0
    assert score(gold.replace("share", "shares"), gold, mode="fuzzy", threshold=0.8).value == 1.0


def test_long_texts_are_equal_or_not_and_never_compared_letter_by_letter(score):
    gold = " ".join(f"{'abcdefghij'[n % 10]}{'klmnopqrst'[n // 10 % 10]}{'uvwxyz'[n % 6]}word" for n in range(20_000))
    assert score(f" {gold.upper()}\n", gold, mode="fuzzy").value == 1.0
    assert "too long" in score(gold.replace("a", "e"), gold, mode="fuzzy", threshold=0.5).reason
    assert score(gold[:30_000].replace("akuword", "akuwords"), gold[:30_000], mode="fuzzy").value == 1.0


def test_without_mode_words_must_be_the_same(score):
    assert score("Stroke prevalence of females in their 60s: 6.2%", GOLD).value == 0.0


def test_the_best_of_several_golds_counts(score):
    assert score("two", "one", "two").value == 1.0


def test_what_cannot_be_read_is_wrong_and_a_gold_that_cannot_is_unscored(score, tmp_path):
    assert score(None, "a").reason == "no file out.txt"
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to(tmp_path / "gold" / "0.txt")
    (tmp_path / "large").touch()
    os.truncate(tmp_path / "large", 1 << 40)
    check = Check(scorer="text", output="o", golds=("0.txt",))
    for name in ("pipe", "link", "large", "nothing", "gold"):
        expected = Expected(Task(id="t", question="q"), Gold(task_id="t"), check, tmp_path / "gold")
        result = TextScorer().score(Submission(files={"o": tmp_path / name}), expected)
        assert isinstance(result, Scored)
        assert (result.value, result.reason.startswith("unreadable o")) == (0.0, True)
    assert isinstance(score("a"), Unscored)


def test_options_that_mean_nothing_are_refused(score):
    for options in ({"mod": "exact"}, {"mode": "near"}, {"threshold": 0}, {"threshold": "high"}, {"threshold": True}):
        (name,) = options
        with pytest.raises(SuiteError, match=f"option '{name}'"):
            score("a", "a", **options)
    assert score("a", "a", published={"function": "compare_text", "arguments": {}}).value == 1.0


@given(st.text())
def test_folding_again_changes_nothing(text):
    assert folded(folded(text)) == folded(text)
