import json

import pytest

from benchwright.coda_bench import evaluate, load_predictions, load_tasks
from benchwright.errors import InputError


@pytest.fixture
def predictions(tmp_path):
    def write(text):
        path = tmp_path / "predictions.jsonl"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


def test_the_protocols_own_snippet_works_on_the_real_file(shared, predictions):
    tasks = load_tasks(str(shared / "data" / "coda_bench" / "coda_bench.json"))
    golds = [{"instance_id": task.instance_id, "prediction": task.answer} for task in tasks]
    result = evaluate(tasks, load_predictions(predictions("\n".join(map(json.dumps, golds)))))
    assert f"Execution Accuracy: {result.exact_accuracy:.2%}" == "Execution Accuracy: 100.00%"
    assert (result.n_gold, result.n_pred, result.n_scored, result.numeric_accuracy) == (1009, 1009, 1009, 1.0)
    assert result.per_instance[0].release_community == "community_26"


def test_the_hard_file_loads_too(shared):
    assert len(load_tasks(shared / "data" / "coda_bench" / "coda_bench_hard.json")) == 119


def test_half_of_the_predictions_give_half_of_the_score(shared, predictions):
    tasks = load_tasks(shared / "data" / "coda_bench" / "coda_bench.json")
    lines = [json.dumps({"instance_id": task.instance_id, "prediction": task.answer}) for task in tasks[:500]]
    result = evaluate(tasks, load_predictions(predictions("\n".join(lines))))
    assert result.exact_accuracy == 500 / 1009
    assert result.missing_ids == list(range(500, 1009))


@pytest.mark.parametrize(
    ("line", "number"),
    [
        ('{"instance_id": 7, "prediction": "x"}', 7),
        ('{"instance_id": "7", "prediction": "x"}', 7),
        ('{"instance_id": 7.0, "prediction": "x", "new": 1}', 7),
        ('{"instance_id": true, "prediction": ""}', 1),
        ('{"instance_id": 7, "prediction": "x", "metadata": {"a": 1}, "method": "m"}', 7),
    ],
)
def test_lines_that_the_published_loader_takes_are_taken(predictions, line, number):
    (found,) = load_predictions(predictions("\n" + line + "\n\n"))
    assert found.instance_id == number


@pytest.mark.parametrize(
    "line",
    [
        '{"instance_id": 7, "prediction": 150}',
        '{"instance_id": 7, "prediction": null}',
        '{"instance_id": 7, "prediction": ["x"]}',
        '{"instance_id": 0.5, "prediction": "x"}',
        '{"prediction": "x"}',
        '{"instance_id": 7, "prediction": "x", "metadata": []}',
        '[{"instance_id": 7, "prediction": "x"}]',
        "{",
        "NaN",
    ],
)
def test_a_bad_line_is_reported_with_its_number_and_loses_no_other(predictions, line):
    path = predictions('{"instance_id": 1, "prediction": "a"}\n' + line + '\n{"instance_id": 2, "prediction": "b"}\n')
    with pytest.warns(UserWarning, match="1 bad lines are left out: line 2: "):
        found = load_predictions(path)
    assert [item.instance_id for item in found] == [1, 2]
    assert [bad.line for bad in found.bad_lines] == [2]
    with pytest.raises(InputError, match="invalid prediction at line 2"):
        load_predictions(path, strict=True)


def test_a_byte_order_mark_is_no_error(predictions):
    assert len(load_predictions(predictions(b'\xef\xbb\xbf{"instance_id": 1, "prediction": "a"}\r\n'))) == 1


def test_an_empty_file_scores_zero(shared, predictions):
    tasks = load_tasks(shared / "data" / "coda_bench" / "coda_bench.json")
    assert evaluate(tasks, load_predictions(predictions(""))).exact_accuracy == 0.0


def test_a_missing_file_is_one_clear_error(tmp_path):
    with pytest.raises(InputError, match=r"cannot read .*none\.jsonl"):
        load_predictions(tmp_path / "none.jsonl")
    with pytest.raises(InputError, match="no such file"):
        load_tasks(tmp_path / "none.json")
