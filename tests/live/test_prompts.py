import pytest

from benchwright.errors import InputError
from benchwright.live.prompts import Prompts, fill
from benchwright.suite import Suite, SuiteInfo
from benchwright.task import DataMount, OutputSpec, Task


def test_places_and_values_must_be_the_same():
    assert fill("$a and $b", "x", a="1", b="2") == "1 and 2"
    for values in ({"a": "1"}, {"a": "1", "b": "2", "c": "3"}):
        with pytest.raises(InputError, match="places"):
            fill("$a and $b", "x", **values)
    with pytest.raises(InputError, match="places"):
        fill("costs $5", "x")


def test_a_dollar_sign_in_a_question_stays_one():
    assert fill("$a", "x", a="is $b more than $5?") == "is $b more than $5?"


def render(task, variant=""):
    return Prompts().task(task, variant)


def test_the_task_prompt_says_where_data_are_and_what_to_hand_in_but_names_no_file():
    task = Task(
        id="t",
        question="How many?",
        guidelines="an integer",
        data=(DataMount(room="shop", target="/data"),),
        outputs=(OutputSpec(), OutputSpec(kind="table", name="out.csv", description="two columns")),
    )
    text = render(task)
    for part in ("How many?", "an integer", "/data", "the final answer", "/workspace/out.csv: two columns"):
        assert part in text
    assert "shop" not in text


def test_an_answer_may_be_written_where_the_task_says_so_and_charts_come_with_their_rule():
    answer, chart = OutputSpec(file="result.txt"), OutputSpec(kind="chart", name="sales.png")
    task = Task(id="t", question="How many?", outputs=(answer, chart), variants={"bare": "How many?"})
    assert "/workspace/result.txt" in render(task)
    assert "Plotprocess" in render(task)
    assert "/workspace/sales.png" in render(task)
    assert "Plotprocess" not in render(Task(id="t", question="How many?", outputs=(answer,)))
    unnamed = task.model_copy(update={"unnamed_outputs_in": ("bare",)})
    assert "/workspace/sales.png" not in render(unnamed, "bare")
    assert "sales.png" in render(unnamed, "bare")  # the rule for charts names them, as the published one does


def test_a_variant_replaces_the_question_and_a_missing_one_is_an_error():
    task = Task(id="t", question="How many?", variants={"raw": "hw many"})
    assert "hw many" in render(task, "raw")
    assert "How many?" not in render(task, "raw")
    with pytest.raises(InputError, match="no variant 'clean'"):
        render(task, "clean")


def test_own_prompts_replace_ours_by_name_and_change_the_digest(tmp_path):
    (tmp_path / "react.txt").write_text("Be brief.")
    own = Prompts(tmp_path)
    assert own.text("react") == "Be brief."
    changed = {name for name, digest in own.digests().items() if digest != Prompts().digests()[name]}
    assert changed == {"react"}


def test_a_folder_without_a_known_prompt_is_refused(tmp_path):
    with pytest.raises(InputError, match="no prompts that we know"):
        Prompts(tmp_path)
    (tmp_path / "raect.txt").write_text("typo")
    with pytest.raises(InputError, match="raect"):
        Prompts(tmp_path)


def test_a_suites_own_wording_is_used_unless_the_user_replaces_it(tmp_path):
    suite = Suite.write(tmp_path / "s", SuiteInfo(name="own", prompt="ask.txt"), [Task(id="t", question="How many?")])
    (suite.folder / "ask.txt").write_text("Q: $question / $guidelines / $data / $outputs")
    assert Prompts().of(suite).task(suite.tasks["t"], "").startswith("Q: How many? / ")
    assert Prompts().of(suite).digests()["task"] != Prompts().digests()["task"]
    folder = tmp_path / "prompts"
    folder.mkdir()
    (folder / "task.txt").write_text("Mine: $question $guidelines $data $outputs")
    assert Prompts(folder).of(suite).task(suite.tasks["t"], "").startswith("Mine: How many?")
