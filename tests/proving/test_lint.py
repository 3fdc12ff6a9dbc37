"""Faults that people reported of published suites, and their kinds; each beside a task in which nothing is wrong."""

import json
import os
from pathlib import Path

import pytest

from benchwright.files import index_folder
from benchwright.gold import Check, Gold, RequiredFile, Solution
from benchwright.labels import Labels
from benchwright.proving import CheckOptions, check
from benchwright.proving.findings import Finding, Severity
from benchwright.proving.lint import RULES, lint
from benchwright.proving.lint.subsets import contained
from benchwright.suite import RoomInfo, Suite, SuiteInfo, write_room_index
from benchwright.task import DataMount, OutputSpec, Task

KNOWN = {
    "4": {"gold-repeats-guideline", "gold-is-description", "part-count", "foreign-script"},
    "21": {"foreign-script"},
    "24": {"foreign-script"},
    "25": {"foreign-script"},
    "63": {"foreign-script"},
    "240": {"foreign-script"},
    "174": {"gold-in-question"},
    "833": {"gold-equals-example"},
    "496": {"part-count"},
    "500": {"question-and-gold-differ"},
    "534": {"gold-repeats-guideline", "gold-is-description"},
    "855": {"gold-repeats-guideline", "gold-is-description"},
    "558": {"format-repeats"},
    "638": {"format-repeats"},
    "930": {"golds-swapped"},
    "937": {"golds-swapped"},
    "479": {"duplicate-question"},
    "503": {"duplicate-question"},
    "248": {"duplicate-question-other-gold"},
    "249": {"duplicate-question-other-gold"},
}


def _found(suite: Suite, rule: str) -> list[Finding]:
    return [finding for finding in lint(suite) if finding.rule == rule]


def _suite(folder: Path, *pairs: tuple[Task, Gold], labels=(), rooms=()) -> Suite:
    info = SuiteInfo(name="small", rooms={room: RoomInfo() for room in rooms})
    return Suite.write(folder, info, [task for task, _ in pairs], labels, [gold for _, gold in pairs])


def _pair(name="a", question="How many rows?", guidelines="", answer="12345", **gold) -> tuple[Task, Gold]:
    return Task(id=name, question=question, guidelines=guidelines), Gold(task_id=name, answer=answer, **gold)


def test_the_known_faults_of_the_official_file_are_found(coda_findings):
    rules: dict[str, set[str]] = {}
    for finding in coda_findings:
        rules.setdefault(finding.task_id, set()).add(finding.rule)
    assert {name: wanted - rules.get(name, set()) for name, wanted in KNOWN.items()} == {name: set() for name in KNOWN}


def test_no_more_than_three_in_a_hundred_official_tasks_are_alarmed_beyond_the_known_faults(coda, coda_findings):
    alarmed = {finding.task_id for finding in coda_findings if finding.alarming and finding.task_id}
    assert len(alarmed - set(KNOWN)) <= 0.03 * len(coda.tasks)


def test_every_rule_has_a_name_of_its_own_and_a_hint():
    assert len({rule.name for rule in RULES}) == len(RULES)
    assert all(rule.hint for rule in RULES)


@pytest.mark.parametrize("answer", ["", "   ", None])
def test_a_task_with_an_empty_gold_is_named(answer, tmp_path):
    suite = _suite(tmp_path, _pair("a", answer=answer), _pair("b"))
    assert [finding.task_id for finding in _found(suite, "no-gold")] == ["a"]


def test_a_gold_that_is_missing_altogether_is_named_and_the_counts_are_compared(tmp_path):
    suite = _suite(tmp_path, _pair("a"), _pair("b"), labels=[Labels(task_id="a"), Labels(task_id="b")])
    lines = (tmp_path / "gold/gold.jsonl").read_text().splitlines()
    (tmp_path / "gold/gold.jsonl").write_text(lines[0])
    suite = Suite.open(tmp_path)
    assert [finding.task_id for finding in _found(suite, "no-gold")] == ["b"]
    assert "2 tasks, 1 golds, 2 labels" in _found(suite, "counts-differ")[0].evidence


def test_b124_numbers_of_tasks_and_golds_that_do_not_agree_are_told_and_each_task_without_one_is_named(case, tmp_path):
    given = case("B124")["input"]
    suite = _suite(tmp_path, *(_pair(f"t{number:02}", answer=f"{number}5") for number in range(given["metadata"])))
    golds = tmp_path / "gold/gold.jsonl"
    golds.write_text("\n".join(golds.read_text().splitlines()[: given["key"]]))
    suite = Suite.open(tmp_path)
    assert f"{given['metadata']} tasks, {given['key']} golds" in _found(suite, "counts-differ")[0].evidence
    assert len(_found(suite, "no-gold")) == given["metadata"] - given["key"]


def test_a_suite_whose_golds_are_all_empty_says_so_once(tmp_path):
    suite = _suite(tmp_path, _pair("a", answer=""), _pair("b", answer=""))
    assert [finding.evidence for finding in _found(suite, "no-gold")] == [
        "no gold available for 2 of 2 tasks: export a submission instead of scoring"
    ]


def test_a_withheld_gold_is_a_note_and_no_alarm(tmp_path):
    suite = Suite.write(tmp_path, SuiteInfo(name="small"), [_pair()[0]])
    assert [(finding.rule, finding.severity) for finding in lint(suite)] == [("gold-withheld", Severity.NOTE)]


def test_a_gold_that_two_sources_tell_differently_is_found(tmp_path):
    right, wrong = Check(scorer="answer", options={"answer": "12"}), Check(scorer="answer", options={"answer": "13"})
    suite = _suite(tmp_path, _pair("a", answer="12", checks=(wrong,)), _pair("b", answer="12", checks=(right,)))
    assert ["mismatch between sources" in finding.evidence for finding in _found(suite, "gold-wiring")] == [True]


def test_checks_that_name_what_is_not_there_are_found(tmp_path):
    output, file = Check(scorer="answer", output="other.txt"), Check(scorer="table", golds=("lost.csv",))
    suite = _suite(tmp_path, _pair("a", checks=(output,)), _pair("b", checks=(file,)), _pair("c", files=("lost.csv",)))
    assert [finding.task_id for finding in _found(suite, "gold-wiring")] == ["a", "b"]
    assert [finding.task_id for finding in _found(suite, "gold-missing")] == ["c"]


@pytest.mark.parametrize(
    ("answer", "found"),
    [
        ('{"matches": [90], "a_wins": [40], "b_wins": [31], "draws": [20]}', True),
        ('{"matches": [91], "a_wins": [40], "b_wins": [31], "draws": [20]}', False),
        ("total: 90; won: 40; lost: 31; drawn: 20", True),
        ("total: 91; won: 40; lost: 31; drawn: 20", False),
        ("2019: 40; 2020: 31; 2021: 20; 2022: 7", False),
    ],
)
def test_parts_that_contradict_their_total_are_found(answer, found, tmp_path):
    assert bool(_found(_suite(tmp_path, _pair(answer=answer)), "total-contradicts-parts")) is found


@pytest.mark.parametrize(
    ("description", "found"),
    [("Save the result to result.csv", True), ("Save p_val and result, in these columns, to result.csv", False)],
)
def test_a_table_whose_columns_the_task_does_not_name_is_found(description, found, tmp_path):
    (tmp_path / "gold/files/a").mkdir(parents=True)
    (tmp_path / "gold/files/a/gold.csv").write_text("p_val,result\n0.03,reject\n")
    output = OutputSpec(kind="table", name="result.csv", description=description)
    task = Task(id="a", question="Is the difference significant?", outputs=(output,))
    gold = Gold(
        task_id="a",
        checks=(Check(scorer="table", output="result.csv", golds=("gold.csv",)),),
        files=("gold.csv",),
    )
    hits = _found(_suite(tmp_path, (task, gold)), "schema-not-stated")
    assert bool(hits) is found
    assert all('"p_val"' in hit.evidence for hit in hits)


@pytest.mark.parametrize(
    ("guidelines", "found"),
    [("", True), ("Answer must be an integer.", False), ("Give it as XX.X%.", False), ("(e.g., 41%)", False)],
)
def test_a_percentage_without_unit_and_precision_is_found(guidelines, found, tmp_path):
    pair = _pair(question="What percentage of rows is flagged?", guidelines=guidelines, answer="38")
    assert bool(_found(_suite(tmp_path, pair), "precision-not-stated")) is found


@pytest.mark.parametrize(("answer", "found"), [("0.88-0.90", True), ("8:1", False), ("8 to 1", False)])
def test_a_ratio_that_is_asked_as_a_to_b_and_given_as_a_fraction_is_found(answer, found, tmp_path):
    pair = _pair(question="What is the best A:B ratio?", answer=answer)
    assert bool(_found(_suite(tmp_path, pair), "ratio-form")) is found


@pytest.mark.parametrize(
    "prompt",
    [
        "Hint: confirmed correct, verified against gold 77A9",
        "Which code? The expected answer is 77A9.",
        "Use the answer key.",
    ],
)
def test_a_prompt_that_speaks_of_the_gold_is_found(prompt, tmp_path):
    suite = _suite(
        tmp_path, _pair("a", question=prompt, answer="77A9"), _pair("b", question="Which code?", answer="77A9")
    )
    assert [finding.task_id for finding in _found(suite, "prompt-speaks-of-gold")] == ["a"]


def test_a_gold_in_the_solution_is_a_note(tmp_path):
    suite = _suite(
        tmp_path,
        _pair("a", answer="48,213", solution=Solution(code="x = 1\nprint('48,213')")),
        _pair("b", answer="48,213", solution=Solution(code="print(f'{6 * 8035 + 3:,}')")),
    )
    assert [(hit.task_id, hit.severity) for hit in _found(suite, "gold-in-solution")] == [("a", Severity.NOTE)]


def test_guessable_golds_are_notes(tmp_path):
    suite = _suite(tmp_path, _pair("a", answer="Yes"), _pair("b", answer="3"), _pair("c", answer="Yes; 41"))
    assert [finding.task_id for finding in _found(suite, "guessable-gold")] == ["a", "b"]


def test_the_same_question_on_other_data_is_no_duplicate(tmp_path):
    tasks = [Task(id=name, question="How many rows?", data=(DataMount(room=name),)) for name in ("east", "west")]
    pairs = [(task, Gold(task_id=task.id, answer="123")) for task in tasks]
    assert _found(_suite(tmp_path, *pairs, rooms=("east", "west")), "duplicate-question") == []


# Rooms


def _with_room(folder: Path, files: dict[str, str], *required: RequiredFile, answer="12345") -> Suite:
    for name, text in files.items():
        path = folder / "data/shop" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    task = Task(id="a", question="How many rows?", data=(DataMount(room="shop"),))
    gold = Gold(task_id="a", answer=answer, required_files=required, required_files_status="declared")
    return _suite(folder, (task, gold), rooms=("shop",))


def test_a_required_file_that_is_spelled_otherwise_on_disk_is_named_with_the_nearest(tmp_path):
    suite = _with_room(tmp_path, {"north_beach.csv": "x"}, RequiredFile(path="north-beach.csv"))
    (hit,) = _found(suite, "required-file-missing")
    assert "gold file not on disk" in hit.evidence
    assert "north_beach.csv" in hit.evidence


def test_a_pattern_stands_for_the_files_that_it_matches(tmp_path):
    files = {"sat/wu113-2014.csv": "x", "sat/wu200-2015.csv": "x"}
    there, lost = RequiredFile(path="sat/wu1*-*.csv", glob=True), RequiredFile(path="sat/wu9*.csv", glob=True)
    assert _found(_with_room(tmp_path / "x", files, there), "required-file-missing") == []
    assert len(_found(_with_room(tmp_path / "y", files, lost), "required-file-missing")) == 1


def test_a_whole_folder_that_is_missing_is_told_apart_from_a_file(tmp_path):
    suite = _with_room(
        tmp_path, {"orders/a.csv": "x"}, RequiredFile(path="riders/b.csv"), RequiredFile(path="orders/b.csv")
    )
    assert [len(_found(suite, rule)) for rule in ("target-folder-missing", "required-file-missing")] == [1, 1]


def test_the_index_of_a_room_that_is_away_is_enough_to_miss_a_file(tmp_path):
    suite = _with_room(tmp_path, {"orders/a.csv": "x"}, RequiredFile(path="riders/b.csv"))
    write_room_index(tmp_path, "shop", index_folder(tmp_path / "data/shop"))
    (tmp_path / "data").rename(tmp_path / "elsewhere")
    suite = Suite.open(tmp_path)
    assert {hit.rule for hit in lint(suite)} == {"rooms-absent", "target-folder-missing"}


def test_a_room_from_which_the_gold_can_be_read_is_found(tmp_path):
    info = SuiteInfo(name="small", rooms={"cache": RoomInfo(path=str(tmp_path)), "shop": RoomInfo()})
    (tmp_path / "data/shop").mkdir(parents=True)
    (tmp_path / "data/shop/copy.csv").write_text("name,total\nana,3\n")
    (tmp_path / "gold/files/a").mkdir(parents=True)
    (tmp_path / "gold/files/a/gold.csv").write_text("name,total\nana,3\n")
    task = Task(
        id="a", question="Which name and total?", data=(DataMount(room="cache"), DataMount(room="shop", target="/shop"))
    )
    suite = Suite.write(tmp_path, info, [task], (), [Gold(task_id="a", files=("gold.csv",), checks=())])
    evidence = [hit.evidence for hit in _found(suite, "room-holds-gold")]
    assert len(evidence) == 2
    assert "holds the suite's gold folder" in evidence[0]
    assert "copy of the gold file gold.csv" in evidence[1]


@pytest.mark.parametrize(("name", "found"), [("test/a/solution_trace.log", True), ("test/a/readings.log", False)])
def test_a_file_of_the_room_that_gives_the_answer_away_is_found(name, found, tmp_path):
    suite = _with_room(tmp_path, {name: "step 9: value 48213\n"}, answer="48213")
    assert bool(_found(suite, "gold-in-data")) is found


def test_a_room_that_lost_files_since_it_was_described_is_found(tmp_path):
    suite = _with_room(tmp_path, {"a.csv": "x"})
    info = suite.info.model_copy(update={"rooms": {"shop": RoomInfo(files=2)}})
    suite = Suite.write(tmp_path, info, suite.tasks.values(), (), suite.golds.values())
    assert len(_found(suite, "room-count-differs")) == 1


@pytest.mark.parametrize(("text", "found"), [("x", []), ("y", ["room shop: 1 changed (a.csv)"])])
def test_a_room_whose_file_changed_is_found_without_any_proof(text, found, tmp_path, monkeypatch):
    monkeypatch.setenv("BENCHWRIGHT_HOME", str(tmp_path / "home"))
    suite = _with_room(tmp_path / "suite", {"a.csv": "x", "b.csv": "x"})
    index = index_folder(suite.room_path("shop"))
    write_room_index(suite.folder, "shop", index)
    info = suite.info.model_copy(update={"rooms": {"shop": RoomInfo.of_index(index)}})
    suite = Suite.write(suite.folder, info, suite.tasks.values(), (), suite.golds.values())
    (suite.room_path("shop") / "a.csv").write_text(text)
    report = check(suite, CheckOptions(proofs=None, privacy=None))
    differs = [finding for finding in report.findings if finding.rule == "room-differs"]
    assert [finding.evidence for finding in differs] == found
    assert all(finding.severity is Severity.ERROR for finding in differs)


def test_a_prompt_that_names_the_file_to_be_found_is_found(tmp_path):
    required = RequiredFile(path="orders/orders_2019.csv")
    for question, found in (("What is in orders_2019?", True), ("How many orders were there in 2019?", False)):
        task = Task(id="a", question=question)
        gold = Gold(task_id="a", answer="12345", required_files=(required,), required_files_status="declared")
        assert bool(_found(_suite(tmp_path / question[:6], (task, gold)), "prompt-names-required-file")) is found


def test_the_name_of_an_output_is_no_leak(tmp_path):
    output = OutputSpec(kind="table", name="result.csv")
    task = Task(id="a", question="Save the totals to result.csv", outputs=(output,))
    assert _found(_suite(tmp_path, (task, Gold(task_id="a", answer="x"))), "prompt-names-path") == []


# Subsets


def test_a_subset_in_a_file_of_its_own_is_matched_by_content_and_never_by_id(tmp_path):
    full = _suite(tmp_path / "full", *(_pair(str(i), question=f"How many {i}?", answer=f"{i}00") for i in range(4)))
    part = _suite(
        tmp_path / "part",
        _pair("0", question="How many 0?", answer="000"),
        _pair("1", question="How many 3?", answer="300"),
        _pair("2", question="How many 9?", answer="900"),
    )
    found = {finding.task_id: (finding.rule, finding.related) for finding in contained(part, full)}
    assert found == {"1": ("subset-renumbered", ("3",)), "2": ("subset-not-contained", ())}


def test_the_official_hard_file_is_contained_and_renumbered_throughout(coda, shared, tmp_path):
    rows = json.loads((shared / "data/coda_bench/coda_bench_hard.json").read_text("utf-8"))
    part = _suite(
        tmp_path,
        *(_pair(str(row["instance_id"]), row["question"], row["answer_guidelines"], row["answer"]) for row in rows),
    )
    assert [finding.rule for finding in contained(part, coda)] == ["subset-renumbered"] * 119


def _hard(name: str, files: int, lines: int, *subsets: str) -> tuple[Task, Gold, Labels]:
    required = tuple(RequiredFile(path=f"{index}.csv") for index in range(files))
    solution = Solution(code="\n".join(["print(1)"] * lines + ["# a comment", ""]))
    task, gold = _pair(name, solution=solution, required_files=required, required_files_status="declared")
    return task, gold, Labels(task_id=name, subsets=("full", *subsets))


def test_members_of_hard_that_break_its_rule_are_notes(tmp_path):
    triples = [_hard(f"h{index}", 2, 31, "hard") for index in range(8)]
    triples += [_hard("short", 2, 30, "hard"), _hard("left-out", 3, 40), _hard("easy", 1, 40)]
    suite = _suite(tmp_path, *((task, gold) for task, gold, _ in triples), labels=[labels for *_, labels in triples])
    assert [hit.task_id for hit in _found(suite, "hard-rule")] == ["short", "left-out"]


def test_a_task_outside_full_and_labels_of_no_task_are_found(tmp_path):
    suite = _suite(tmp_path, _pair("a"), labels=[Labels(task_id="a", subsets=("hard",)), Labels(task_id="ghost")])
    assert [len(_found(suite, rule)) for rule in ("outside-full", "stray-labels")] == [1, 1]


# Other scripts


@pytest.mark.parametrize(
    ("question", "answer", "code", "found"),
    [
        ("What is the revenue of 农业银行 in 2023?", "41.2", "d[d.name == '农业银行'].revenue.sum()", False),
        ("What is the revenue of 农业银行 in 2023?", "41.2", "d[d.name == 'ABC'].revenue.sum()", True),
        ("Which name is '東京' in the table?", "Tokyo", "print(1)", False),
        ("Which city is largest?", "東京", "print(1)", False),
        ("Which city is largest?", "Tokyo 改成首都", "print(1)", True),
        ("Which city is largest? проверить", "Tokyo", "print(1)", True),
        ("How much is 5 µg/m³ above naïve Ω or π?", "Tokyo", "print(1)", False),
    ],
)
def test_letters_of_another_script_are_residue_unless_they_are_values(question, answer, code, found, tmp_path):
    pair = _pair(question=question, answer=answer, solution=Solution(code=code))
    assert bool(_found(_suite(tmp_path, pair), "foreign-script")) is found


def test_a_column_of_the_gold_table_in_another_script_is_a_value(tmp_path):
    (tmp_path / "gold/files/a").mkdir(parents=True)
    (tmp_path / "gold/files/a/gold.csv").write_text("流动比率\n1.2\n")
    pair = _pair(question="Save column 流动比率 of 燕京啤酒.", answer=None, files=("gold.csv",), checks=())
    assert _found(_suite(tmp_path, pair), "foreign-script") == []


def test_a_suite_in_another_language_is_not_taken_for_residue(tmp_path):
    questions = ["最大的城市是哪个？", "人口总数是多少？", "哪一年最高？"]
    pairs = [_pair(str(index), question=text) for index, text in enumerate(questions)]
    assert _found(_suite(tmp_path, *pairs), "foreign-script") == []


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("What share of posts has one annotator only?", False),
        ("Is the note to investors longer than the report?", False),
        ("How many items need reviews (Note: count drafts, too)?", False),
        ("How many items? [note: ask again]", True),
        ("How many items? (annotator: unclear)", True),
    ],
)
def test_words_of_the_field_are_no_editors_notes(question, found, tmp_path):
    assert bool(_found(_suite(tmp_path, _pair(question=question)), "editor-note")) is found


@pytest.mark.parametrize(
    ("guidelines", "arity", "found"),
    [
        ("Answer as: date; revenue; weekday. Example: 2015-02-30; 123.45;\nMonday", 3, False),
        ("Answer as: city; rise. Only cities with 12 known months in both years.", 2, False),
        ("Answer as: city; rise. Only cities with 12 known months in both years.", 3, True),
        ("Format: Region's Name; Count (integer, e.g. 5); Share (%).", 3, False),
        ("Give three values: - mean\n- median\n- mode, separated by semicolons.", 3, False),
        ("Answer format: 'City: Value%', separated by semicolons. Round to 1 decimal.", 4, False),
        ("Two integers separated by a hyphen (e.g., 10-20).", 1, False),
        ("List the names, separated by semicolons (e.g., A; B; C).", 5, False),
        ("List the three names, separated by semicolons (e.g., A; B; C).", 2, True),
        ("Country1; Count1; Country2; Count2...", 10, False),
        ("Answer must be a single number.", 2, True),
    ],
)
def test_the_number_of_parts_is_read_from_however_the_guideline_states_it(guidelines, arity, found, tmp_path):
    answer = "; ".join(["Alpha", "12", "3.5", "North", "7", "8", "9", "10", "11", "13"][:arity])
    assert bool(_found(_suite(tmp_path, _pair(guidelines=guidelines, answer=answer)), "part-count")) is found


def test_a_file_about_the_metal_gold_is_no_leak(tmp_path):
    suite = _with_room(tmp_path, {"gold_silver.csv": "day,price\n1,48213\n"}, answer="48213")
    assert _found(suite, "gold-in-data") == []


def test_an_output_of_the_same_name_as_a_required_file_is_what_the_prompt_means(tmp_path):
    task = Task(id="a", question="Write continents.csv", outputs=(OutputSpec(kind="table", name="continents.csv"),))
    required = RequiredFile(path="world/continents.csv")
    gold = Gold(task_id="a", answer="x", required_files=(required,), required_files_status="declared")
    assert _found(_suite(tmp_path, (task, gold)), "prompt-names-required-file") == []


@pytest.mark.parametrize(
    ("table", "found"),
    [
        ("helper,label\nnone,0\nann,1\nnone,0\nbob,1\n", True),
        ("helper,label\nnone,0\nann,1\nnone,1\nbob,1\n", False),
        ("id,label\n1,0\n2,1\n3,0\n4,1\n", False),
        ("helper,label\nnone,1\nann,1\nnone,1\nbob,1\n", False),
        ("helper,other\nnone,0\nann,1\nnone,0\nbob,1\n", False),
    ],
)
def test_a_column_that_reveals_what_is_to_be_predicted_is_found(table, found, tmp_path):
    (tmp_path / "data/shop").mkdir(parents=True)
    (tmp_path / "data/shop/train.csv").write_text(table)
    (tmp_path / "gold/files/a").mkdir(parents=True)
    (tmp_path / "gold/files/a/gold.csv").write_text("label\n0\n1\n")
    output = OutputSpec(kind="predictions", name="pred.csv", description="column label")
    task = Task(id="a", question="Predict the label.", outputs=(output,), data=(DataMount(room="shop"),))
    gold = Gold(task_id="a", files=("gold.csv",), checks=())
    hits = _found(_suite(tmp_path, (task, gold), rooms=("shop",)), "feature-reveals-label")
    assert [hit.evidence.startswith('column "helper" predicts "label" with accuracy 1.0') for hit in hits] == [
        True
    ] * found


@pytest.mark.parametrize(
    ("answer", "found"),
    [
        ("nan", True),
        ("XXX", True),
        ("KeyError: 'price'", True),
        ("#REF!", True),
        ("...", True),
        ("None", False),
        ("Nantes", False),
    ],
)
def test_a_placeholder_or_an_error_message_is_no_gold(tmp_path, answer, found):
    assert bool(_found(_suite(tmp_path, _pair(answer=answer)), "no-gold")) is found


@pytest.mark.parametrize(("answer", "found"), [("75%（四舍五入）", True), ("5; 万科", False), ("万科", False)])
def test_another_script_beside_a_number_is_a_remark_though_a_comment_of_the_solution_has_it(tmp_path, answer, found):
    pair = _pair(answer=answer, solution=Solution(code="print(1)  # 四舍五入"))
    assert bool(_found(_suite(tmp_path, pair), "foreign-script")) is found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("How many rows? (reviewer: please rephrase before release)", True),
        ("How many rows? Pls reword.", True),
        ("How many rows have the author Smith and the editor Jones?", False),
    ],
)
def test_a_remark_to_a_colleague_is_found_by_whom_it_addresses(tmp_path, text, found):
    assert bool(_found(_suite(tmp_path, _pair(question=text)), "editor-note")) is found


def test_links_and_special_files_of_a_room_are_told_and_folders_are_not(tmp_path):
    suite = _with_room(tmp_path, {"a.csv": "x", "sub/b.csv": "x"})
    assert _found(suite, "room-holds-links") == []
    (suite.room_path("shop") / "sub" / "passwd.csv").symlink_to("/etc/passwd")
    (suite.room_path("shop") / "more").symlink_to(tmp_path)
    os.mkfifo(suite.room_path("shop") / "pipe")
    (finding,) = [each for each in lint(suite) if each.rule == "room-holds-links"]
    assert finding.evidence == "room shop: 3 links or special files: more, pipe, sub/passwd.csv"
