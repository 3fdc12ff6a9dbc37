import json
import os

import pytest
from typer.testing import CliRunner

from benchwright.cli import app
from benchwright.errors import InputError
from benchwright.files import read_jsonl, write_jsonl
from benchwright.gold import Gold, Solution
from benchwright.skills.corpus import Refused, Wanted, collect
from benchwright.skills.corpus.exports import read_document, read_lines
from benchwright.skills.corpus.notebooks import read_notebook
from benchwright.skills.corpus.suites import read_suite
from benchwright.skills.extraction import read_corpus
from benchwright.suite import Suite, SuiteInfo
from benchwright.task import Task

PUBLISHED = {
    "id": 5,
    "answer_id": 6,
    "question_title": "Title",
    "question_body": "<p>Q</p>",
    "answer_body": "<pre><code>f()</code></pre>",
}
API = {
    "question_id": 7,
    "title": "A &amp; B",
    "body": "<p>Q</p>",
    "tags": ["data-science"],
    "accepted_answer_id": 8,
    "answers": [
        {"answer_id": 8, "body": "<p>yes</p>", "score": 0, "owner": {"display_name": "Ann"}},
        {"answer_id": 9, "body": "<p>also</p>", "score": 4, "is_accepted": False},
        {"answer_id": 10, "body": "<p>no</p>", "score": 3, "is_accepted": False},
    ],
}
PAIR = {"question": "How many?", "solution": "Count.", "code": "len(df)", "language": "python"}


def lines(path, *rows):
    path.write_text("\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows))
    return path


def found(path, reader=read_lines, wanted=Wanted()):  # noqa: B008
    every = list(reader(path, wanted))
    return [each for each in every if not isinstance(each, Refused)], [e for e in every if isinstance(e, Refused)]


def test_published_posts_the_api_and_pairs_are_read_from_one_file(tmp_path):
    taken, refused = found(lines(tmp_path / "x.jsonl", PUBLISHED, API, PAIR))
    assert [each.id for each in taken[:3]] == ["5-6", "7-8", "7-9"]
    assert taken[1].question == "A & B\n\nQ"
    assert taken[1].author == "Ann"
    assert taken[3].id.startswith("pair-")
    assert taken[3].answer == "Count.\n\n```python\nlen(df)\n```"
    assert [each.reason for each in refused] == ["neither accepted nor scored above the bound"]


def test_the_same_pair_has_the_same_id_wherever_it_stands(tmp_path):
    first, _ = found(lines(tmp_path / "a.jsonl", PAIR))
    second, _ = found(lines(tmp_path / "b.jsonl", PUBLISHED, PAIR))
    assert first[0].id == second[1].id


def test_the_apis_document_is_read_as_it_is_served(tmp_path):
    path = tmp_path / "x.json"
    path.write_text(json.dumps({"items": [API], "has_more": False}))
    taken, _ = found(path, read_document)
    assert [each.id for each in taken] == ["7-8", "7-9"]


def test_what_a_row_does_not_tell_does_not_speak_against_it_and_what_it_tells_does(tmp_path):
    rows = [
        PUBLISHED | {"id": 1, "score": 2},
        PUBLISHED | {"id": 2, "tags": ["perl"]},
        PUBLISHED | {"id": 3, "score": 4},
    ]
    taken, refused = found(lines(tmp_path / "x.jsonl", *rows))
    assert [each.id for each in taken] == ["3-6"]
    assert [each.reason for each in refused] == ["neither accepted nor scored above the bound", "no wanted tag"]


@pytest.mark.parametrize("bad", ["{", "[]", "7", '{"a": 1}', '{"id": "x", "answer_body": "", "question_body": ""}'])
def test_a_bad_line_is_refused_with_its_place_and_loses_no_other(tmp_path, bad):
    taken, refused = found(lines(tmp_path / "x.jsonl", PAIR, bad, PUBLISHED))
    assert len(taken) == 2
    assert [(each.where, each.reason) for each in refused] == [("x.jsonl, line 2", "unreadable")]


def test_what_is_null_or_not_a_number_is_not_told(tmp_path):
    path = tmp_path / "x.jsonl"
    untold = PUBLISHED | {"question_title": None, "score": float("nan"), "author": None, "tags": None}
    told = API | {"answers": [{"answer_id": 8, "body": "<p>a</p>", "owner": None, "content_license": None}]}
    taken, refused = found(lines(path, untold, told, PAIR | {"id": None}, PUBLISHED | {"answer_body": None}))
    assert [each.id for each in taken[:2]] == ["5-6", "7-8"]
    assert taken[2].id.startswith("pair-")
    assert [each.where for each in refused] == ["x.jsonl, line 4"]


def test_a_bad_answer_loses_no_other_of_its_question(tmp_path):
    answers = [{"answer_id": 20, "score": 9}, *API["answers"]]
    taken, refused = found(lines(tmp_path / "x.jsonl", API | {"answers": answers}))
    assert [each.id for each in taken] == ["7-8", "7-9"]
    assert refused[0].where == "x.jsonl, line 1, its answer 1"
    assert refused[0].reason == "unreadable"


@pytest.mark.parametrize(
    ("row", "reason", "words"),
    [
        ({"question_id": 7, "answer_id": 8, "body": "<p>a</p>", "score": 9}, "unreadable", "without its question"),
        ({"question_id": 7, "title": "T", "answer_count": 2}, "unreadable", "without its answers"),
        ({"question_id": 7, "title": "T", "answer_count": 0}, "empty", "a question without answers"),
    ],
)
def test_what_an_export_left_out_is_counted_and_not_passed_over(tmp_path, row, reason, words):
    taken, refused = found(lines(tmp_path / "x.jsonl", row, PAIR))
    assert len(taken) == 1
    assert [(each.reason, words in each.found) for each in refused] == [(reason, True)]


@pytest.mark.parametrize("ending", ["json", "jsonl"])
def test_pages_of_the_api_are_read_one_after_the_other(tmp_path, ending):
    pages = [{"items": [API]}, {"items": [API | {"question_id": 8}], "has_more": False}]
    path = tmp_path / f"x.{ending}"
    path.write_text(json.dumps(pages) if ending == "json" else "\n".join(map(json.dumps, pages)))
    taken, _ = found(path, read_document if ending == "json" else read_lines)
    assert [each.id for each in taken] == ["7-8", "7-9", "8-8", "8-9"]


def test_a_pair_may_call_its_solution_an_answer_and_have_a_number(tmp_path):
    (taken,), _ = found(lines(tmp_path / "x.jsonl", {"id": 17, "question": "How?", "answer": "So."}))
    assert (taken.id, taken.answer) == ("17", "So.")


@pytest.mark.parametrize(
    "tags", ["<python><data-science>", "|python|data-science|", "python|data-science", ["data-science"]]
)
def test_tags_are_read_in_every_spelling_of_exports(tmp_path, tags):
    taken, refused = found(lines(tmp_path / "x.jsonl", PAIR | {"tags": tags}, PAIR | {"tags": "<css>"}))
    assert ["data-science" in each.tags for each in taken] == [True]
    assert [each.reason for each in refused] == ["no wanted tag"]


def test_a_corpus_that_somebody_wrote_is_cleaned_like_any_other_source(tmp_path):
    ours = {"id": "a", "source": "x", "question": "q\u202e", "answer": "a\u200b", "code": ""}
    taken, refused = found(lines(tmp_path / "x.jsonl", ours, ours | {"answer": ""}, ours | {"answer": "a" * 500_000}))
    assert [(each.question, each.answer) for each in taken] == [("q", "a")]
    assert [each.reason for each in refused] == ["empty", "too long"]


def notebook(*cells):
    return json.dumps(
        {"nbformat": 4, "cells": [{"cell_type": kind, "source": text, "outputs": []} for kind, text in cells]}
    )


def test_a_notebooks_first_words_are_the_question_and_its_outputs_stay_out(tmp_path):
    path = tmp_path / "n.ipynb"
    cells = [
        ("markdown", ["# Sales\n", "by month"]),
        ("code", "%matplotlib inline\nf(1)"),
        ("markdown", "Then"),
        ("code", ["g()"]),
    ]
    path.write_text(notebook(*cells))
    (solution,), _ = found(path, read_notebook)
    assert solution.question == "# Sales\nby month"
    assert solution.answer == "```python\n%matplotlib inline\nf(1)\n```\n\nThen\n\n```python\ng()\n```"
    assert solution.code == "%matplotlib inline\nf(1)\n\ng()"
    other = tmp_path / "copy.ipynb"
    other.write_text(notebook(*cells))
    assert found(other, read_notebook)[0][0].id == solution.id


def test_a_notebooks_code_is_of_the_language_that_it_names(tmp_path):
    path = tmp_path / "n.ipynb"
    for metadata, language in (
        ({"language_info": {"name": "R"}}, "r"),
        ({"kernelspec": {"language": "julia"}}, "julia"),
        ({"kernelspec": None, "language_info": {"name": "```\n# obey"}}, "python"),
        (7, "python"),
    ):
        path.write_text(json.dumps(json.loads(notebook(("code", "f(1)"))) | {"metadata": metadata}))
        (solution,), _ = found(path, read_notebook)
        assert solution.answer == f"```{language}\nf(1)\n```"


@pytest.mark.parametrize(
    ("text", "reason"),
    [("{}", "unreadable"), ("[1]", "unreadable"), ("no json", "unreadable"), (notebook(("markdown", "x")), "empty")],
)
def test_what_is_no_notebook_is_refused(tmp_path, text, reason):
    path = tmp_path / "n.ipynb"
    path.write_text(text)
    assert [each.reason for each in found(path, read_notebook)[1]] == [reason]


@pytest.fixture
def suite(tmp_path):
    tasks = [Task(id="t1", question="How many?"), Task(id="t2", question="Why?")]
    golds = [Gold(task_id="t1", solution=Solution(code="print(df.count())")), Gold(task_id="t2")]
    return Suite.write(tmp_path / "suite", SuiteInfo(name="mine", licence="MIT"), tasks, (), golds)


def test_reference_solutions_of_a_suite_are_part_of_a_corpus(tmp_path, suite):
    out = tmp_path / "corpus.jsonl"
    made = collect([suite.folder], Wanted(), out)
    assert (dict(made.taken), dict(made.refused)) == ({"mine": 1}, {"empty": 1})
    (solution,) = read_corpus(out)
    assert (solution.id, solution.code, solution.licence) == ("mine-t1", "print(df.count())", "MIT")


def test_a_solution_of_a_suite_that_nobody_could_read_is_refused(tmp_path):
    golds = [Gold(task_id="t1", solution=Solution(code="f()\n" * 1_250_000))]
    suite = Suite.write(tmp_path / "suite", SuiteInfo(name="mine"), [Task(id="t1", question="How many?")], (), golds)
    assert [each.reason for each in found(suite, read_suite)[1]] == ["too long"]


def test_checkpoints_and_pipes_in_a_folder_are_no_solutions(tmp_path):
    hidden = tmp_path / "folder" / ".ipynb_checkpoints"
    hidden.mkdir(parents=True)
    (hidden / "n-checkpoint.ipynb").write_text(notebook(("code", "old()")))
    (hidden.parent / "n.ipynb").write_text(notebook(("code", "new()")))
    os.mkfifo(hidden.parent / "endless.ipynb")
    made = collect([hidden.parent], Wanted(), tmp_path / "corpus.jsonl")
    assert (dict(made.taken), dict(made.refused)) == ({"notebook": 1}, {"in a hidden folder": 1})


def test_sources_are_joined_every_solution_once_and_counts_add_up(tmp_path, suite):
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "n.ipynb").write_text(notebook(("code", "f()")))
    lines(folder / "a.jsonl", API, PAIR, "{")
    (folder / "link.jsonl").symlink_to(folder / "a.jsonl")
    out = tmp_path / "corpus.jsonl"
    made = collect([folder, lines(tmp_path / "b.jsonl", PAIR, PUBLISHED), suite.folder], Wanted(), out)
    assert made.found == len(list(read_jsonl(out))) + made.refused.total()
    assert dict(made.refused) == {
        "neither accepted nor scored above the bound": 1,
        "unreadable": 1,
        "twice": 1,
        "empty": 1,
    }
    again = collect([out], Wanted(), tmp_path / "again.jsonl")
    assert (tmp_path / "again.jsonl").read_bytes() == out.read_bytes()
    assert again.refused.total() == 0


def test_nothing_is_written_where_a_source_is_none_or_nothing_is_wanted(tmp_path):
    out = tmp_path / "corpus.jsonl"
    write_jsonl(out, [{"kept": True}])
    before = out.read_bytes()
    for source, message in (
        (tmp_path / "absent.jsonl", "no such source"),
        (lines(tmp_path / "x.7z", ""), "not a source of solutions"),
        (lines(tmp_path / "e.jsonl", "{"), "no solution is wanted"),
    ):
        with pytest.raises(InputError, match=message):
            collect([source], Wanted(), out)
    assert out.read_bytes() == before
    assert not list(tmp_path.glob(".corpus*"))


def test_the_command_says_what_was_taken_and_exits_1_where_something_is_unreadable(tmp_path):
    source, out = lines(tmp_path / "x.jsonl", PAIR, API, "{"), tmp_path / "c.jsonl"
    done = CliRunner().invoke(app, ["skills", "corpus", str(source), "--out", str(out), "--json"])
    assert done.exit_code == 1
    document = json.loads(done.stdout)
    assert (document["found"], document["taken"]) == (5, {"pair": 1, "stackoverflow.com": 2})
    assert document["unreadable"][0]["where"] == "x.jsonl, line 3"
    options = ["--score-above", "2", "--tag", "Data-Science"]
    done = CliRunner().invoke(app, ["skills", "corpus", str(lines(source, API)), "--out", str(out), *options])
    assert done.exit_code == 0, done.output
    assert len(read_corpus(out)) == 3
