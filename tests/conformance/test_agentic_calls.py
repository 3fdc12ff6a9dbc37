"""AgenticDataBench's published scores of everything but tables and predictions, and of small hand-made cases."""

import pytest

FUNCTIONS = {
    "compare_image": 1599,
    "compare_json": 985,
    "compare_json_normalized": 550,
    "compare_text": 95,
    "compare_sqlite": 66,
}
"""How many rows there are of each."""


@pytest.mark.slow
@pytest.mark.timeout(1200)
@pytest.mark.parametrize(("function", "count"), FUNCTIONS.items())
def test_every_call_has_the_published_score_or_raises_the_published_error(function, count, recorded, differing):
    rows = [row for row in recorded("expected") if row["function"] == function]
    assert differing(rows) == []
    assert len(rows) == count


def test_every_crafted_case_has_the_published_score_and_no_code_of_it_runs(recorded, crafted, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    cases = recorded("crafted")
    assert [difference for case in cases if (difference := crafted(case))] == []
    assert len(cases) == 65
    assert [*tmp_path.rglob("conformance_marker")] == []


def test_all_rows_are_looked_at_by_one_file_or_another(recorded):
    assert (
        len(recorded("expected")) == sum(FUNCTIONS.values()) + 304 + 5386
    )  # predictions and tables: their files have the rest
