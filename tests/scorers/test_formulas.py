"""Formulas that a workbook holds without their results."""

import io

import openpyxl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.scorers.compare.formulas import Formula, FormulaCells, FormulaFailed
from benchwright.scorers.compare.tables import read_table

VALUES = {("S", 1, 1): 2, ("S", 2, 1): 3.5, ("S", 3, 1): "word", ("S", 4, 1): True, ("Other one", 1, 2): 7}


def value(text, **cells):
    more = {("S", 9, column): Formula(content) for column, content in enumerate(cells.values(), 1)}
    return FormulaCells({**VALUES, **more, ("S", 8, 8): Formula(text)}).value(("S", 8, 8))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("=2+3", 5),
        ("=2+3*4^2", 50),
        ("=(2+3)*4", 20),
        ("=-2^2", 4),
        ("=10-4-3", 3),
        ("=8/2/2", 2),
        ("=50%", 0.5),
        ("=7/2", 3.5),
        ("=A1*A2", 7),
        ("=$A$1+'Other one'!B1", 9),
        ("=SUM(A1:A4)", 5.5),
        ("=SUM(A1:A2, 1, 2)", 8.5),
        ("=SUM(A:A)", 7.5),
        ("=AVERAGE(A1:A2)", 2.75),
        ("=MAX(A1:A2)-MIN(A1:A2)", 1.5),
        ("=COUNT(A1:A9)", 3),
        ("=COUNTA(A1:A9)", 5),
        ("=ROUND(2.345, 2)", 2.35),
        ("=ROUND(-2.5, 0)", -3),
        ('=IF(A1>1, "yes", "no")', "yes"),
        ("=IF(A1>=3, 1)", False),
        ("=AND(A1=2, NOT(A2<1))", True),
        ('="a"&A1&"b"', "a2b"),
        ("=UPPER(A3)", "WORD"),
        ('="ABC"="abc"', True),
        ("=MOD(-3, 2)", 1),
        ("=SQRT(16)+ABS(-1)", 5),
        ("=B9+1", 4),
    ],
)
def test_formulas_give_what_a_spreadsheet_gives(text, expected):
    found = value(text, a="=A1", b="=A9+1")
    assert found == expected
    assert type(found) is type(expected)


@pytest.mark.parametrize(
    "text",
    ["=1/0", "=A3+1", "=H8", "=NOW()", '=WEBSERVICE("http://a")', "=(1", "=1+", "=A1:A2", "=9^9^9^9", "=#REF!", "=name", "=1 2", "=ZZZZ1", "=SUM(A1:XFD1048576)", "=LN(0)", "=LEFT()"],
)  # fmt: skip
def test_what_cannot_be_computed_says_why(text):
    with pytest.raises(FormulaFailed) as caught:
        value(text)
    assert str(caught.value)


def test_formulas_that_depend_on_each_other_in_a_circle_or_in_a_long_chain_end():
    with pytest.raises(FormulaFailed, match="depends on itself"):
        value("=A9", a="=B9", b="=A9")
    chain = {("S", row, 1): Formula(f"=A{row + 1}+1") for row in range(1, 20_000)}
    with pytest.raises(FormulaFailed, match="RecursionError"):
        FormulaCells(chain).value(("S", 1, 1))
    grown = FormulaCells({("S", row, 1): Formula(f"=A{row - 1}+1") if row > 1 else 1 for row in range(1, 2000)})
    assert [grown.value(("S", row, 1)) for row in range(1, 2000)][-1] == 1999  # from the top, as tables are read


def test_cells_that_are_looked_at_are_counted():
    cells = FormulaCells({("S", 1, column): Formula("=SUM(A2:IV5000)") for column in (1, 2)})
    assert cells.value(("S", 1, 1)) == 0
    with pytest.raises(FormulaFailed, match="2,000,000 cells"):
        cells.value(("S", 1, 2))


def refused_or_plain(text):
    try:
        found = value(text)
    except FormulaFailed as refusal:
        return str(refusal) != ""
    return found is None or isinstance(found, str | int | float)


@given(st.text("=+-*/^&<>()%,:!$'\"A1B9 SUMIF.{}", max_size=30))
def test_any_text_is_computed_or_refused(text):
    assert refused_or_plain("=" + text)


def workbook(*rows):
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def test_a_workbook_of_formulas_is_read_as_their_results(tmp_path):
    (tmp_path / "f.xlsx").write_bytes(
        workbook(
            ["item", "n", "share"], ["a", 1, "=B2/SUM(B$2:B$3)"], ["b", "=1+2", "=B3/SUM(B$2:B$3)"], ["c", "=NOW()", 1]
        )
    )
    table = read_table(tmp_path / "f.xlsx")
    assert table.rows == (("a", "1", "0.25"), ("b", "3", "0.75"), ("c", "", "1"))
    assert "3 formulas computed, for their results were not stored" in table.notes
    assert any("NOW" in note for note in table.notes)
