"""Gold files that hold nothing, are missing, or cannot be judged by; each beside one in which nothing is wrong."""

import io
import json

import numpy as np
import pytest

from benchwright.gold import Check, Gold
from benchwright.proving.gold_outputs import as_handed_in, golds_of
from benchwright.proving.lint import lint
from benchwright.suite import Suite, SuiteInfo
from benchwright.task import OutputSpec, Task

KINDS = {"table": "table", "document": "document", "chart": "chart", "model_metric": "predictions"}


def suite_of(folder, name="result.csv", content=b"a\n1\n", scorer="table", question="Write output.csv", **options):
    """A suite of one task whose one gold file holds `content`; None: the file is not there."""
    output = OutputSpec(kind=KINDS[scorer], name="output.csv")
    files = (name, "result.npy") if scorer == "chart" else (name,)
    gold = Gold(
        task_id="t", files=files, checks=(Check(scorer=scorer, output=output.name, golds=(name,), options=options),)
    )
    contents = content if isinstance(content, dict) else {name: content}
    (folder / "gold/files/t").mkdir(parents=True)
    for each, data in contents.items():
        if data is not None:
            (folder / "gold/files/t" / each).write_bytes(data)
    return Suite.write(
        folder, SuiteInfo(name="small"), [Task(id="t", question=question, outputs=(output,))], (), [gold]
    )


def rules(suite):
    return {finding.rule for finding in lint(suite)} - {"schema-not-stated", "no-gold", "counts-differ"}


@pytest.mark.parametrize(
    ("name", "content", "scorer", "found"),
    [
        ("result.csv", None, "table", {"gold-missing"}),
        ("result.csv", b"", "table", {"gold-empty"}),
        ("result.csv", b"a,b\n", "table", {"gold-empty"}),
        ("result.csv", b"a,b\n,NaN\n", "table", {"gold-empty"}),
        ("result.csv", b"\xef\xbb\xbfa,b\r\n1,\r\n", "table", set()),
        ("result.csv", b"a,b\n5,x\n5,x\n", "table", {"gold-constant"}),
        ("result.csv", b"a,b\n5,x\n5,y\n", "table", set()),
        ("result.csv", b"id,y\n1,0.5\n2,0.5\n", "model_metric", set()),
        ("result.json", b"{}", "document", {"gold-empty"}),
        ("result.json", b'{"a": [], "b": {}}', "document", {"gold-empty"}),
        ("result.json", b"\xef\xbb\xbf[1, 2]", "document", set()),
        ("result.json", b"[0, 0, 0]", "document", {"gold-constant"}),
        ("result.json", b"{broken", "document", set()),
        ("result.json", b"[" * 100_000, "document", set()),
        ("result.csv", b'a\n"\x00' + b"x" * 200_000, "table", set()),
        ("result.csv", b"a,b\n1\n2,3,4\n", "table", set()),
    ],
)
def test_golds_that_are_missing_empty_or_constant_are_found(tmp_path, name, content, scorer, found):
    assert rules(suite_of(tmp_path, name, content, scorer)) == found


def test_only_scored_columns_count(tmp_path):
    assert rules(suite_of(tmp_path / "a", content=b"a,b\n,1\n,2\n", columns=["a"])) == {"gold-empty"}
    assert rules(suite_of(tmp_path / "b", content=b"a,b\n,1\n,2\n", columns=["b"])) == set()
    assert rules(suite_of(tmp_path / "c", content=b"a,b\n5,1\n5,2\n", columns=["a"])) == {"gold-constant"}
    assert rules(suite_of(tmp_path / "d", content=b"a,b\n5,1\n", columns=["c"])) == {"gold-lacks-column"}


def test_rows_that_the_published_rule_does_not_read_concern_its_verdict_alone(tmp_path):
    table = b"a\n" + b"".join(b"%d\n" % number for number in range(10_001))
    assert rules(suite_of(tmp_path / "own", content=table)) == set()
    suite = suite_of(tmp_path / "published", content=table, published={"function": "compare_csv", "arguments": {}})
    (finding,) = [each for each in lint(suite) if each.rule in rules(suite)]
    assert (finding.rule, finding.modes, "10001 rows" in finding.evidence) == ("rows-beyond-cap", ("reference",), True)


def test_text_among_numbers_is_told_from_columns_of_text(tmp_path):
    table = b'month,total,name\n1,5%,x\n2,"1,000",y\nALL,-1e3,3\n'
    (finding,) = lint(suite_of(tmp_path, content=table, question="Write month, total and name to output.csv"))
    assert (finding.rule, '"ALL" in month' in finding.evidence, "(1)" in finding.evidence) == (
        "text-among-numbers",
        True,
        True,
    )


def npy(value):
    stream = io.BytesIO()
    np.save(stream, np.array(value, dtype=object), allow_pickle=True)
    return stream.getvalue()


@pytest.mark.parametrize(
    ("plots", "found"),
    [
        ({"subplot_0": np.array([1.0, 2.0, 3.0])}, set()),
        ({"subplot_0": np.array([1.0, np.nan]), "subplot_1": np.array([1.0])}, {"chart-holds-nan"}),
        ({"subplot_0": np.array([2.0, 2.0, 2.0])}, {"gold-constant"}),
        ({"subplot_0": np.array(["a", "b"])}, set()),
    ],
)
def test_charts_are_looked_into_without_running_what_their_files_say(tmp_path, plots, found):
    files = {"result.png": b"x", "result.npy": npy(plots)}
    assert rules(suite_of(tmp_path, "result.png", files, "chart")) == found


class Evil:
    def __reduce__(self):
        return (__import__("os").mkdir, (self.marker,))


def test_a_chart_whose_array_file_is_a_program_runs_nothing(tmp_path):
    evil = Evil()
    evil.marker = str(tmp_path / "ran")
    files = {"result.png": b"x", "result.npy": npy({"subplot_0": evil})}
    assert rules(suite_of(tmp_path / "suite", "result.png", files, "chart")) == set()
    assert not (tmp_path / "ran").exists()
    np.load(io.BytesIO(files["result.npy"]), allow_pickle=True)  # the control: an ordinary reader runs it
    assert (tmp_path / "ran").exists()


def test_figures_that_an_agent_states_of_itself_are_an_error_where_nothing_else_is_looked_at(tmp_path):
    suite = suite_of(tmp_path / "only", "result.json", b'{"auc": 1}', "document", self_reported=True)
    assert rules(suite) == {"self-reported-only"}
    claim, other = suite.golds["t"].checks[0], Check(scorer="table", output="output.csv", golds=("result.json",))
    gold = suite.golds["t"].model_copy(update={"checks": (claim, other)})
    both = Suite.write(tmp_path / "only", suite.info, suite.tasks.values(), (), [gold])
    assert rules(both) == {"self-reported"}


@pytest.mark.parametrize(
    ("question", "named"),
    [("Write OUTPUT.csv.", True), ("Write the table to result.csv.", False), ("Write a table.", False)],
)
def test_files_that_the_question_does_not_name_are_found(tmp_path, question, named):
    assert ("output-not-named" not in rules(suite_of(tmp_path, question=question, content=b"a\n1\n2\n"))) == named


def test_a_file_that_the_guidelines_name_is_named(tmp_path):
    suite = suite_of(tmp_path, question="Write a table.", content=b"a\n1\n2\n")
    assert "output-not-named" in rules(suite)
    told = [task.model_copy(update={"guidelines": "Write Output.csv."}) for task in suite.tasks.values()]
    named = Suite.write(suite.folder, suite.info, told, (), suite.golds.values())
    assert "output-not-named" not in rules(named)


def test_each_output_has_its_gold_and_charts_what_lies_beside_them(tmp_path):
    outputs = [
        OutputSpec(kind="chart", name="o.png"),
        OutputSpec(kind="document", name="o2.json"),
        OutputSpec(kind="table", name="o3.csv"),
    ]
    checks = (
        Check(scorer="chart", output="o.png", golds=("r.png",)),
        Check(scorer="document", output="o2.json"),
        Check(scorer="table", output="o3.csv", golds=("b.csv", "a.csv")),
    )
    task = Task(id="t", question="Draw.", outputs=tuple(outputs))
    gold = Gold(task_id="t", files=("r.png", "r2.json", "a.csv", "r.json", "r.npy"), checks=checks)
    assert golds_of(task, gold) == {"o.png": "r.png", "o2.json": "r2.json", "o3.csv": "b.csv"}
    suite = Suite.write(tmp_path, SuiteInfo(name="small"), [task], (), [gold])
    handed = {name: path.name for name, path in as_handed_in(suite, task, gold).items()}
    assert handed == {
        "o.png": "r.png", "o.json": "r.json", "o.npy": "r.npy", "o2.json": "r2.json", "o3.csv": "b.csv",
    }  # fmt: skip


def test_findings_stay_readable_as_json(tmp_path):
    found = lint(suite_of(tmp_path, content=None))
    assert found
    assert [json.loads(json.dumps(finding.to_json())) for finding in found] == [finding.to_json() for finding in found]
