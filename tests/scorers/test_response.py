"""Free responses: what rules decide, and what they leave to a judge."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright.gold import Check, Gold
from benchwright.scorers.base import Expected
from benchwright.scorers.reference.dsbc import DsbcScorer
from benchwright.scorers.response import ResponseScorer
from benchwright.suites.base import BuildRequest
from benchwright.suites.dsbc import DsbcLoader
from benchwright.task import Task
from benchwright.trajectory import Submission


def verdict(gold, answer, question="?", scorer=ResponseScorer, **options):
    text = gold if isinstance(gold, str) and not options else json.dumps(gold)
    check = Check(scorer="response", options=options)
    expected = Expected(Task(id="t", question=question), Gold(task_id="t", answer=text), check, files=None)
    score = scorer().score(Submission(answer=answer), expected)
    return score.value if score.kind == "scored" else "judge" if score.reason.startswith("judge:") else score.reason


REWORDINGS = {
    "1": ["3.77", "3.7700", "The ratio is 3.77.", "Smokers pay on average 3.77 times as much.", '{"factor": 3.7712}'],
    "2": [
        '{"removed": 1, "skew_before": 1.49, "skew_after": -0.1}',
        '{"skew_after": -0.10, "removed": 1, "skew_before": 1.4893}',
        "removed: 1, skew_before: 1.49, skew_after: -0.1",
        "1 repeated record was removed; the skewness is 1.49 before and -0.10 after log1p.",
        "1; 1.49; −0.1",
    ],
    "4": [
        '{"column": "smoker", "r": 0.79}',
        "smoker (0.79)",
        "Smoker, r = 0.79",
        "The column smoker has the strongest correlation with charges, with a coefficient of 0.79.",
        "SMOKER: 0.7901",
    ],
    "5": [
        '{"distinct": 23, "top": "Mainly Clear", "hours": 2076}',
        "23 distinct conditions; Mainly Clear is present in 2,076 hours",
        "distinct: 23\ntop: mainly clear\nhours: 2076",
        "There are 23 single conditions. The one in most hours is 'Mainly Clear' (2076).",
        '{"n": 23, "condition": "Mainly Clear", "count": 2076}',
    ],
    "7": ["-0.15", "−0.15", "rho = -0.15", "Spearman's correlation is -0.153.", "The daily means correlate at -0.15"],
    "8": [
        '{"hour": 14, "mean": 1398.82}',
        "Hour 14 with 1398.82",
        "hour: 14; mean: 1,398.82",
        "Demand peaks at hour 14, at 1398.8204 on average.",
        "14, 1398.82",
    ],
    "10": ["6.72", "6.72%", "6.72 percent", "6.72 % of the patients have both.", '{"percent": 6.7201}'],
    "11": [
        '{"month": "June", "deaths": 241}',
        "June: 241",
        "June saw the most deaths, 241",
        "The month with the most deaths was june (241).",
        '{"deaths": 241, "month": "June"}',
    ],
    "13": [
        '{"dropped": ["BP (mmHg)"], "complete_rows": 7236}',
        "BP (mmHg) is dropped; 7,236 complete rows remain",
        "dropped: BP (mmHg); complete_rows: 7236",
        "After dropping 'BP (mmHg)', 7236 rows have no missing value.",
        '{"columns": "BP (mmHg)", "rows": 7236}',
    ],
    "14": ["39", "39 days", "There were 39 such days.", "39.0", '{"days": 39}'],
    "16": [
        '{"country": "Rwanda", "year": 1994, "drop": 28.07}',
        "Rwanda, 1994, 28.07",
        "Rwanda lost 28.07 years in 1994",
        "The largest drop was in Rwanda in 1994: 28.07 years.",
        "country: Rwanda; year: 1994; drop: 28.070",
    ],
    "17": [
        '{"pair": ["INTC", "NVDA"], "r": 0.37}',
        '{"pair": ["NVDA", "INTC"], "r": 0.37}',
        "INTC and NVDA, 0.37",
        "NVDA / INTC: r = 0.37",
        "INTC and NVDA are most correlated, with a coefficient of 0.3712.",
    ],
    "19": [
        '{"country": "Nepal", "points": 0.92}',
        "Nepal, 0.92",
        "Nepal gained 0.92 percentage points",
        "Nepal accelerated most, by 0.92 points.",
        "country: Nepal\npoints: 0.92",
    ],
    "20": [
        '{"province": "SK", "percent": 34.39}',
        "SK, 34.39%",
        "SK has the largest share: 34.39 %",
        "The largest province is SK with 34.39 percent.",
        "percent: 34.39; province: SK",
    ],
}


@pytest.fixture(scope="module")
def worked(shared, tmp_path_factory):
    folder = shared / "data" / "dsbc"
    sources = {"queries": folder / "questions_sample.jsonl", "data": folder}
    suite = DsbcLoader().load(BuildRequest(out=tmp_path_factory.mktemp("dsbc") / "suite", sources=sources))
    naive = {}
    for line in (folder / "questions_sample.jsonl").read_text().splitlines():
        record = json.loads(line)
        naive[str(record["id"])] = record.get("naive_answer")
    return suite, naive


def judged(suite, task_id, answer, scorer=ResponseScorer):
    gold = suite.golds[task_id]
    expected = Expected(suite.tasks[task_id], gold, gold.checks[0], files=None)
    score = scorer().score(Submission(answer=answer), expected)
    return score.value if score.kind == "scored" else score.reason


@pytest.mark.parametrize("task_id", REWORDINGS)
def test_gold_answers_are_accepted_in_five_rewordings_without_a_model(worked, task_id):
    suite, _ = worked
    assert {text: judged(suite, task_id, text) for text in REWORDINGS[task_id]} == dict.fromkeys(
        REWORDINGS[task_id], 1.0
    )
    assert judged(suite, task_id, suite.golds[task_id].answer) == 1.0
    assert judged(suite, task_id, suite.golds[task_id].answer, DsbcScorer) == 1.0


@pytest.mark.parametrize("task_id", REWORDINGS)
def test_what_a_careless_reading_gives_is_refused(worked, task_id):
    suite, naive = worked
    if naive[task_id] is None:
        pytest.skip("the question has no careless answer")
    value = naive[task_id]
    texts = [json.dumps(value)]
    if isinstance(value, dict):
        texts.append(", ".join(f"{key}: {item}" for key, item in value.items()))
    for text in texts:
        assert judged(suite, task_id, text) == 0.0
        assert judged(suite, task_id, text, DsbcScorer) == 0.0


def test_the_rain_question_tells_its_neighbour_apart_only_in_sound():
    assert verdict("0.635", "0.635") == 1.0
    assert verdict("0.635", "The probability is 0.6354") == 1.0
    assert verdict("0.635", "0.642") == 0.0
    assert verdict("0.635", "0.642", scorer=DsbcScorer) == 1.0
    assert verdict("63.5%", "64.2%", scorer=DsbcScorer) == 0.0


PUBLISHED = [
    ("Strong Positive (0.883)", "strong positive, 0.883", 1.0),
    ("Strong Positive (0.883)", "The correlation is 0.883, a strong positive one.", 1.0),
    ("Strong Positive (0.883)", "0.883", "judge"),
    ("Strong Positive (0.883)", "weak negative (-0.2)", 0.0),
    ("Wheat, durum", "Wheat, durum", 1.0),
    ("Wheat, durum", "Oats", 0.0),
    ("January", "January", 1.0),
    ("January", "The coldest month is January.", 1.0),
    ("January", "March", 0.0),
    ("January", "It is not January but March", "judge"),
    ("January", "January or March", "judge"),
    ("January", "January, February, March", "judge"),
    ("June 21 2012 , Jan 15 2012", "2012-06-21, 2012-01-15", 1.0),
    ("June 21 2012 , Jan 15 2012", "2012-01-15 and 2012-06-21", "judge"),
    ("June 21 2012 , Jan 15 2012", "2012-06-21, 2012-01-16", 0.0),
    ("NS, 846100", "NS with 846,100 acres", 1.0),
    ("NS, 846100", "NS, 940250", 0.0),
    ("25-25 weeks", "week 24", 0.0),
    ("Sales rise because holidays fall into the last weeks of the year and people buy gifts", "They fall.", "judge"),
    ("42", "", 0.0),
    ("42", "41, 42 or 43", "judge"),
    ("42", "I could not find it", 0.0),
]


@pytest.mark.parametrize(("gold", "answer", "expected"), PUBLISHED)
def test_published_golds_are_decided_where_facts_decide(gold, answer, expected):
    assert verdict(gold, answer) == expected


def test_values_under_each_others_names_are_wrong():
    gold = {"before": 1.49, "after": -0.1}
    options = {"answer_type": "record", "tolerance": "round2"}
    assert verdict(gold, '{"before": -0.1, "after": 1.49}', **options) == 0.0
    assert verdict(gold, "-0.1 before and 1.49 after", **options) == "judge"


def test_a_suite_without_gold_or_with_an_unknown_option_is_unscored():
    assert verdict("", "1") == "suite: no gold answer"
    assert "no option" in verdict("1", "1", cleverness=3)


numbers = st.decimals(min_value=-(10**6), max_value=10**6, places=3).filter(lambda value: abs(value) > 1)


@settings(deadline=None)
@given(numbers)
def test_a_number_is_itself_in_a_sentence_and_not_its_neighbour(value):
    assert verdict(str(value), f"The result is {value}.") == 1.0
    assert verdict(str(value), f"The result is {value + 1}.") == 0.0
    assert verdict(str(value), f"The result is {-value}.") == 0.0


@settings(deadline=None)
@given(st.text(max_size=60), st.text(max_size=200))
def test_no_text_makes_the_scorers_fail(gold, answer):
    for scorer in (ResponseScorer, DsbcScorer):
        first = verdict(gold, answer, scorer=scorer)
        assert first in (0.0, 1.0, "judge", "suite: no gold answer")
        assert verdict(gold, answer, scorer=scorer) == first
