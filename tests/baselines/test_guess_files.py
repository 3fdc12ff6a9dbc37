import json

import pytest

from benchwright.baselines import Constant, Explorer, KnowNothing, Random
from benchwright.baselines.guess_files import best_document, number_grid
from benchwright.task import OutputSpec, Task


def test_every_kind_of_file_that_can_be_made_of_nothing_is_handed_in():
    kinds = ("table", "document", "predictions", "text", "chart", "database", "answer")
    outputs = tuple(OutputSpec(kind=kind, name=f"out.{kind}") for kind in kinds)
    task = Task(id="t", question='Was it Paris or London? Write {"share_of_all": <float>}.', outputs=outputs)
    files = KnowNothing().files(task)
    assert set(files) == {"out.table", "out.document", "out.predictions", "out.text"}
    assert json.loads(files["out.document"]) == {"share_of_all": 1}
    assert files["out.predictions"] == b"share_of_all\nx\n"
    assert files["out.text"] == b"Paris"
    assert KnowNothing().files(task) == files
    assert not any(baseline.files(task) for baseline in (Constant(), Random(), Explorer()))


def test_the_grid_is_fixed_and_holds_every_whole_number_and_every_bucket_of_one_percent():
    header, *rows = number_grid().decode().splitlines()
    assert len(rows) == 200_001
    columns = [*zip(*(map(float, row.split(",")) for row in rows), strict=True)]
    assert header.count(",") == 2
    assert columns[0] == tuple(range(200_001))
    assert (columns[1][0], columns[1][1], columns[1][120_000]) == (-60, -59.99, 1140)
    assert {1.0, -1.0, 0.0} <= {*columns[2]}
    assert min(map(abs, columns[2])) == 0
    assert max(columns[2]) > 1e17


@pytest.mark.parametrize(
    ("question", "document"),
    [
        ('in the format {"bin_count": <int>, "auc": <float>} with exactly 10 bins', {"bin_count": 10, "auc": 1}),
        (
            'the latest 3 days: {"day_1": {"train": {"AUC": ...}, "eval": {...}}, "day_2": {...}, ...}',
            {f"day_{day}": {"train": {"AUC": 1}, "eval": {"AUC": 1}} for day in (1, 2, 3)},
        ),
        ("{'names': ['a', 'b'], 'n': 5}", {"names": [1], "n": 1}),
        ("give mean_price and max_price", {"mean_price": 1, "max_price": 1}),
        ("nothing is asked {", {}),
        ('{"a": {"b": ', {"a": {"b": 1}}),
        ("the set {1, 2} of {\"k\": 'v'}", {"k": 1}),
    ],
)
def test_a_document_has_the_shape_that_the_question_describes(question, document):
    assert best_document(question) == document
