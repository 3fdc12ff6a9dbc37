"""Each kind of fault is planted into clean tasks, of the official file and of our own, and has to be found."""

import random
import re
from collections.abc import Callable

import pytest

from benchwright.gold import Gold
from benchwright.proving.findings import Finding
from benchwright.proving.guideline import shapes, split_parts, without_abstention
from benchwright.proving.lint import lint
from benchwright.suite import Suite
from benchwright.task import Task

Pair = tuple[Task, Gold]
Plant = Callable[[Task, Gold, random.Random], Pair | None]
SAMPLE, GOAL = 60, 0.95


def _task(task: Task, **values: str) -> Task:
    return task.model_copy(update=values)


def _gold(gold: Gold, answer: str) -> Gold:
    return gold.model_copy(update={"answer": answer})


def guideline_as_gold(task: Task, gold: Gold, rng: random.Random) -> Pair | None:
    sentences = [s for s in re.split(r"(?<=\.)\s+", task.guidelines) if len(s.split()) >= 8 and "'" not in s]
    return (task, _gold(gold, rng.choice(sentences))) if sentences else None


def question_as_gold(task: Task, gold: Gold, rng: random.Random) -> Pair | None:
    return task, _gold(gold, task.question)


def description_as_gold(task: Task, gold: Gold, rng: random.Random) -> Pair:
    return task, _gold(
        gold,
        rng.choice(
            [
                "A table with one row for each category and its total, sorted from largest to smallest.",
                "List of the five largest groups with their counts in descending order",
                "The answer should contain the name of the group and its share, rounded to two decimals.",
                "A 12-row dataframe containing month and average value, each row formatted to 2 decimal places.",
                "Bar chart showing the distribution of the values by year, with the highest bar marked.",
                "The output must include the names of both groups and be formatted as integers.",
                "Each row should give the city and the mean price, calculated as total price over items sold.",
                "A matrix of correlation values where rows and columns are the numeric features of the data.",
                "A short summary describing which group is larger and by how much it leads.",
            ]
        ),
    )


def part_dropped(task: Task, gold: Gold, rng: random.Random) -> Pair | None:
    parts = list(split_parts(gold.answer or ""))
    if len(parts) < 2 or not shapes(task.guidelines):
        return None
    parts.pop(rng.randrange(len(parts)))
    return task, _gold(gold, "; ".join(parts))


def part_added(task: Task, gold: Gold, rng: random.Random) -> Pair | None:
    parts = list(split_parts(gold.answer or ""))
    if len(parts) < 2 or not shapes(task.guidelines):
        return None
    return task, _gold(gold, "; ".join([*parts, rng.choice(["17", "North", "3.5%"])]))


def second_answer(task: Task, gold: Gold, rng: random.Random) -> Pair | None:
    single = re.search(r"(?i)must be an? (?:single )?(?:integer|numeric value|percentage)", task.guidelines)
    alone = single and len(split_parts(gold.answer or "")) == 1 and not re.search(r";|semicolon", task.guidelines)
    return (task, _gold(gold, f"{gold.answer}; {rng.choice(['17', 'North', '3.5%'])}")) if alone else None


def gold_in_question(task: Task, gold: Gold, rng: random.Random) -> Pair:
    form = rng.choice(
        ["{q} (The answer is {a}.)", "{q} Expected answer: {a}", "Hint: {a}. {q}", "{q} The result is {a}."]
    )
    return _task(task, question=form.format(q=task.question, a=gold.answer)), gold


def gold_as_example(task: Task, gold: Gold, rng: random.Random) -> Pair:
    bare = re.sub(r"\s*\((?:e\.g\.|for example).*?\)", "", task.guidelines)
    return _task(task, guidelines=f"{bare} For example: '{gold.answer}'."), gold


NOTES = [
    "这部分改成选择题",
    "加上条件",
    "答案待确认",
    "この部分を直す",
    "이 부분 수정",
    "проверить ответ",
    "需要重新计算",
]


def foreign_note_in_gold(task: Task, gold: Gold, rng: random.Random) -> Pair:
    return task, _gold(gold, f"{gold.answer} {rng.choice(NOTES)}") if re.search(
        r"[A-Za-z]", gold.answer or ""
    ) else gold


def foreign_note_in_question(task: Task, gold: Gold, rng: random.Random) -> Pair:
    return _task(
        task, question=rng.choice(["{n}，{q}", "{q}（{n}）", "{n}{q}"]).format(n=rng.choice(NOTES), q=task.question)
    ), gold


def editor_note(task: Task, gold: Gold, rng: random.Random) -> Pair:
    note = rng.choice(
        [
            "TODO: check the rounding",
            "FIXME",
            "[note: ask the author]",
            "(annotator: unclear)",
            "TBD",
            "please check this again",
            "needs review",
            "change this to a multiple-choice question",
            "old answer: 12",
            "to be confirmed",
            "note to self: recompute",
            "[comment] wrong year?",
            "???? ",
        ]
    )
    where = rng.choice(["question", "guidelines", "gold"])
    if where == "gold":
        return task, _gold(gold, f"{gold.answer} {note}")
    return _task(task, **{where: f"{getattr(task, where)} {note}"}), gold


def empty_gold(task: Task, gold: Gold, rng: random.Random) -> Pair:
    return task, _gold(gold, rng.choice(["", "  ", "\n"]))


def path_in_prompt(task: Task, gold: Gold, rng: random.Random) -> Pair:
    path = rng.choice(
        [
            "sales_2019.csv",
            "/data/community_3/orders/source/orders.xlsx",
            "shop/source/items.parquet",
            "C:\\data\\trips.csv",
            "the file 'stations 2.json'",
            "~/work/input/flows.tsv",
            "../input/rivers/flow.csv",
        ]
    )
    return _task(task, question=f"Using {path}: {task.question}"), gold


def fraction_for_integer(task: Task, gold: Gold, rng: random.Random) -> Pair | None:
    if not re.match(r"(?i)(?:the )?answer must be an? (?:single )?integer(?! (?:percent|followed))", task.guidelines):
        return None
    if not re.fullmatch(r"[\d,]+", gold.answer or "") or ";" in task.guidelines:
        return None
    return task, _gold(gold, f"{gold.answer}.{rng.randint(1, 99)}")


def percent_sign_lost(task: Task, gold: Gold, rng: random.Random) -> Pair | None:
    text = without_abstention(task.guidelines)
    asks = re.match(r"(?i)(?:the )?answer must be (?:a|an|two|three) (?:single |integer )?percentages?", text)
    if not asks or "%" not in (gold.answer or "") or re.search(r"without|not include|\bor\b", text):
        return None
    return task, _gold(gold, (gold.answer or "").replace("%", ""))


def more_decimals(task: Task, gold: Gold, rng: random.Random) -> Pair | None:
    stated = re.findall(r"rounded to (?:\d|one|two|three|four) decimal", task.guidelines)
    if len(stated) != 1 or not re.fullmatch(r"-?\d+\.\d+%?", gold.answer or ""):
        return None
    return task, _gold(gold, re.sub(r"(\d)(%?)$", r"\g<1>7361\2", gold.answer or ""))


def date_in_another_form(task: Task, gold: Gold, rng: random.Random) -> Pair | None:
    match = re.search(r"(\d{4})-(\d{2})-(\d{2})", gold.answer or "")
    if not match or "YYYY-MM-DD" not in task.guidelines:
        return None
    return task, _gold(gold, (gold.answer or "").replace(match[0], f"{match[3]}.{match[2]}.{match[1]}", 1))


PLANTS: dict[str, tuple[Plant, set[str]]] = {
    "guideline as gold": (guideline_as_gold, {"gold-repeats-guideline"}),
    "question as gold": (question_as_gold, {"gold-repeats-question"}),
    "description as gold": (description_as_gold, {"gold-is-description"}),
    "part dropped": (part_dropped, {"part-count", "format-repeats"}),
    "part added": (part_added, {"part-count", "format-repeats"}),
    "second answer": (second_answer, {"part-count", "gold-type"}),
    "gold in question": (gold_in_question, {"gold-in-question", "prompt-speaks-of-gold"}),
    "gold as example": (gold_as_example, {"gold-equals-example"}),
    "foreign note in gold": (foreign_note_in_gold, {"foreign-script"}),
    "foreign note in question": (foreign_note_in_question, {"foreign-script"}),
    "editor note": (editor_note, {"editor-note"}),
    "empty gold": (empty_gold, {"no-gold"}),
    "path in prompt": (path_in_prompt, {"prompt-names-path"}),
    "fraction for integer": (fraction_for_integer, {"gold-type"}),
    "percent sign lost": (percent_sign_lost, {"gold-type"}),
    "more decimals": (more_decimals, {"gold-type"}),
    "date in another form": (date_in_another_form, {"gold-type"}),
}


def plant_all(pairs: list[Pair], plant: Plant, rng: random.Random, count: int | None = None) -> dict[str, Pair]:
    """Up to `count` tasks with the fault, by id; pairs that the plant leaves as they are do not count."""
    planted: dict[str, Pair] = {}
    for task, gold in rng.sample(pairs, len(pairs)):
        changed = plant(task, gold, rng)
        if changed and changed != (task, gold):
            planted[task.id] = changed
        if len(planted) == count:
            break
    return planted


@pytest.fixture(scope="module")
def clean(coda: Suite, coda_findings: tuple[Finding, ...]) -> list[Pair]:
    alarmed = {finding.task_id for finding in coda_findings if finding.alarming}
    return [(task, coda.golds[task.id]) for task in coda.tasks.values() if task.id not in alarmed]


@pytest.mark.parametrize("kind", PLANTS)
def test_a_fault_planted_into_official_tasks_is_found(kind, clean, suite_of):
    plant, rules = PLANTS[kind]
    planted = plant_all(clean, plant, random.Random(len(kind)), SAMPLE)
    rest = [pair for pair in clean if pair[0].id not in planted][:200]
    found = {finding.task_id for finding in lint(suite_of([*planted.values(), *rest])) if finding.rule in rules}
    missed = {name: planted[name][1].answer for name in planted if name not in found}
    assert len(planted) >= 3
    assert len(missed) <= (1 - GOAL) * len(planted), missed
    assert not found - set(planted)


@pytest.mark.parametrize("kind", PLANTS)
def test_a_fault_planted_into_tasks_of_our_own_is_found(kind, own_pairs, suite_of):
    plant, rules = PLANTS[kind]
    planted = plant_all(own_pairs, plant, random.Random(7), 1)
    assert planted
    rest = [pair for pair in own_pairs if pair[0].id not in planted]
    found = {finding.task_id for finding in lint(suite_of([*planted.values(), *rest])) if finding.rule in rules}
    assert found == set(planted)


@pytest.mark.parametrize("same_gold", [True, False])
def test_questions_asked_twice_are_found_however_they_are_written(same_gold, clean, suite_of):
    rng = random.Random(3)
    pairs = rng.sample(clean, 120)
    copies = [
        (
            _task(
                task,
                id=f"copy-{task.id}",
                question=rng.choice([task.question, task.question.upper(), f" {task.question} "]),
            ),
            Gold(task_id=f"copy-{task.id}", answer=gold.answer if same_gold else f"{gold.answer}1"),
        )
        for task, gold in pairs[:30]
    ]
    rule = "duplicate-question" if same_gold else "duplicate-question-other-gold"
    found = {finding.task_id for finding in lint(suite_of([*pairs, *copies])) if finding.rule == rule}
    assert found == {task.id for task, _ in (*pairs[:30], *copies)}


def test_golds_and_guidelines_that_were_swapped_are_found(suite_of):
    pairs = [
        ("Which industry has the most openings?", "Format: Salary Band; Currency.", "10k-20k; EUR"),
        ("Which salary band is the most common, and in which currency?", "Format: Industry; Count.", "Banking; 41"),
        ("How many people work in Banking?", "Answer must be a single integer.", "412"),
    ]
    suite = suite_of(
        [
            (Task(id=str(i), question=q, guidelines=g), Gold(task_id=str(i), answer=a))
            for i, (q, g, a) in enumerate(pairs)
        ]
    )
    assert {finding.task_id for finding in lint(suite) if finding.rule == "golds-swapped"} == {"0", "1"}


def test_clean_tasks_of_our_own_raise_no_alarm(own_pairs, suite_of):
    assert [finding for finding in lint(suite_of(own_pairs)) if finding.alarming] == []
