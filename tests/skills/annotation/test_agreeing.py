import pytest

from benchwright.errors import InputError
from benchwright.labels import Labels
from benchwright.skills.annotation.agreeing import compare_labels, read_labels


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
