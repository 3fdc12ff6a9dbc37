import json

import pytest
from typer.testing import CliRunner

from benchwright.cli import app
from benchwright.errors import InputError
from benchwright.labels import Labels
from benchwright.skills.annotation.adjudicating import adjudicate, read_decisions
from benchwright.skills.annotation.agreeing import compare_labels, read_labels
from benchwright.skills.nodes import Hierarchy, SkillNode, by_id, write_hierarchy


def side(field, **tasks):
    return {task: Labels(task_id=task, **{field: value}) for task, value in tasks.items()}


def test_several_labels_are_compared_task_by_task_and_label_by_label():
    first = side("skills", a=("x", "y"), b=("x",), c=("z",))
    second = side("skills", a=("x",), b=("x",), d=("y",))
    found = compare_labels(first, second, "skills", ["x", "y", "w"])
    assert (found.tasks, found.only_first, found.only_second) == (2, ("c",), ("d",))
    assert found.all.n == 2 * 3
    assert found.all.confusion == {"no/no": 3, "yes/no": 1, "yes/yes": 2}
    assert found.overlap == pytest.approx((0.5 + 1) / 2)
    assert found.by_label["x"].kappa is None  # both always said yes: nothing that chance would not give
    assert [(each.task_id, each.label, each.first, each.second) for each in found.disputes] == [("a", "y", "yes", "no")]


def annotated(**tasks):
    extra = {"annotated_by": "a model"}
    return {task: Labels(task_id=task, skills=skills, extra=extra) for task, skills in tasks.items()}


def test_a_model_that_found_no_skill_disagrees_with_one_that_found_some():
    first, second = annotated(a=(), b=(), c=("x",)), annotated(a=("x", "y"), b=(), c=("x",))
    found = compare_labels(first, second, "skills")
    assert (found.tasks, found.all.n, len(found.disputes)) == (3, 6, 2)
    assert found.overlap == pytest.approx((0 + 1 + 1) / 3)
    unlabelled = compare_labels(side("skills", a=(), b=(), c=("x",)), second, "skills")
    assert (unlabelled.tasks, unlabelled.only_second) == (1, ("a", "b"))


def test_a_single_label_is_compared_by_its_words():
    found = compare_labels(side("domain", a="x", b="y", c="x"), side("domain", a="x", b="x", c="x"), "domain")
    assert found.all.accuracy == pytest.approx(2 / 3)
    assert found.overlap is None
    assert [(each.task_id, each.first, each.second) for each in found.disputes] == [("b", "y", "x")]


def test_any_label_of_ones_own_is_compared():
    first = {
        "a": Labels(task_id="a", extra={"cause": ["read", "join"]}),
        "b": Labels(task_id="b", extra={"cause": "read"}),
    }
    found = compare_labels(first, first, "cause")
    assert found.all.kappa == 1.0
    assert found.disputes == ()


@pytest.mark.parametrize("field", ["skills", "nonsense", "task_id"])
def test_nothing_to_compare_is_said(field):
    with pytest.raises(InputError, match="nothing to compare"):
        compare_labels(side("domain", a="x"), side("domain", a="x"), field)


def test_a_task_that_is_labelled_twice_is_refused(tmp_path):
    path = tmp_path / "labels.jsonl"
    path.write_text('{"task_id": "a", "skills": ["x"]}\n{"task_id": "a"}\n')
    with pytest.raises(InputError, match="a task twice"):
        read_labels(path)


def decisions(path, *rows):
    path.write_text("task,label,first,second,decided\n" + "".join(f"{row}\n" for row in rows))
    return read_decisions(path)


def test_what_people_decided_is_put_together_with_what_both_said(tmp_path):
    first = side("skills", a=("x", "y", "z"), b=("x",), c=("z",))
    second = side("skills", a=("w", "x"), b=("x",), d=("y",))
    found = compare_labels(first, second, "skills")
    decided = decisions(tmp_path / "d.csv", "a,w,no,yes,Yes", "a,y,yes,no,no", "a,z,yes,no,yes")
    made = {each.task_id: each.skills for each in adjudicate(first, second, found, decided)}
    assert made == {"a": ("x", "z", "w"), "b": ("x",), "c": ("z",), "d": ("y",)}


def test_a_single_label_is_decided_by_its_name_and_other_fields_stay(tmp_path):
    first, second = side("domain", a="x", b="y"), side("domain", a="z", b="y")
    first["a"] = first["a"].model_copy(update={"skills": ("s",)})
    found = compare_labels(first, second, "domain")
    made = adjudicate(first, second, found, decisions(tmp_path / "d.csv", "a,,x,z,Z and X"))
    assert [(each.domain, each.skills) for each in made] == [("Z and X", ("s",)), ("y", ())]


def test_a_label_of_ones_own_is_decided_too(tmp_path):
    first = {"a": Labels(task_id="a", extra={"cause": ["read", "join"], "note": 1})}
    second = {"a": Labels(task_id="a", extra={"cause": ["read"]})}
    found = compare_labels(first, second, "cause")
    made = adjudicate(first, second, found, decisions(tmp_path / "d.csv", "a,join,yes,no,no"))
    assert made[0].extra == {"cause": ["read"], "note": 1}


@pytest.mark.parametrize(
    ("row", "words"),
    [("a,y,yes,no,", "nothing decided"), ("a,y,yes,no,maybe", "'maybe'"), ("b,y,yes,no,yes", "not in the list")],
)
def test_a_difference_without_a_decision_is_named(tmp_path, row, words):
    first, second = side("skills", a=("x", "y")), side("skills", a=("x",))
    with pytest.raises(InputError, match=words):
        adjudicate(first, second, compare_labels(first, second, "skills"), decisions(tmp_path / "d.csv", row))


def test_a_pair_that_is_decided_twice_is_refused(tmp_path):
    with pytest.raises(InputError, match="decided twice"):
        decisions(tmp_path / "d.csv", "a,y,yes,no,yes", "a,y,yes,no,no")


def test_decided_labels_are_written_by_command_and_never_over_others(tmp_path):
    for name, skills in (("one", ["x", "y"]), ("two", ["x"])):
        (tmp_path / f"{name}.jsonl").write_text(json.dumps({"task_id": "a", "skills": skills}) + "\n")
    words = ["skills", "agree", str(tmp_path / "one.jsonl"), str(tmp_path / "two.jsonl")]
    listed, out = tmp_path / "list.csv", tmp_path / "labels.jsonl"
    assert CliRunner().invoke(app, [*words, "--out", str(listed)]).exit_code == 0
    listed.write_text(listed.read_text("utf-8-sig").replace("yes,no,", "yes,no,no"))
    more = ["--decided", str(listed), "--labels", str(out)]
    done = CliRunner().invoke(app, [*words, *more])
    assert done.exit_code == 0, done.output
    assert read_labels(out)["a"].skills == ("x",)
    assert isinstance(CliRunner().invoke(app, [*words, *more]).exception, InputError)


def test_candidates_of_categories_are_the_categories_of_the_skills(tmp_path):
    for name, categories in (("one", ["Loading"]), ("two", ["Drawing"])):
        (tmp_path / f"{name}.jsonl").write_text(json.dumps({"task_id": "a", "categories": categories}) + "\n")
    kinds = ("Loading", "Drawing", "Joining")
    nodes = [SkillNode(id=f"1-{n}", name=f"Doing {n}", category=(*kinds, "")[n % 4]) for n in range(9)]
    write_hierarchy(tmp_path / "skills", Hierarchy(by_id(nodes)))
    words = ["skills", "agree", str(tmp_path / "one.jsonl"), str(tmp_path / "two.jsonl"), "--json"]
    words += ["--skills", str(tmp_path / "skills"), "--label", "categories"]
    found = json.loads(CliRunner().invoke(app, words).stdout)
    assert sorted(found["by_label"]) == sorted(kinds)
    assert found["all"]["n"] == 3
