import io
import json
import sqlite3
import zipfile
from datetime import timedelta
from decimal import Decimal

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from benchwright.profiles.batches import arrow_frames
from benchwright.profiles.finding_relations import read_tables
from benchwright.profiles.formats import Bounds
from benchwright.profiles.looking import look
from benchwright.profiles.prompt import as_prompt


def entry_of(folder, name, content=None):
    path = folder / name
    if content is not None:
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return look(path, name, Bounds())


def columns_of(entry, table=0):
    return {column.name: column for column in entry.tables[table].columns}


def not_utf8():
    offsets = pa.py_buffer(b"".join(place.to_bytes(4, "little") for place in (0, 2, 4)))
    return pa.Array.from_buffers(pa.string(), 2, [None, offsets, pa.py_buffer(b"ok\xff\xfe")])


def test_decimals_durations_and_dictionaries_of_a_parquet_file_are_measured(tmp_path):
    days = pa.array(["2024-01-01", "2024-01-02", "2024-01-01"]).dictionary_encode()
    prices = pa.array([Decimal("1.10"), None, Decimal("12345678901234567890.12")], pa.decimal128(30, 2))
    waits = pa.array([timedelta(days=n) for n in range(3)])
    pq.write_table(pa.table({"price": prices, "wait": waits, "day": days}), tmp_path / "t.parquet")
    entry = entry_of(tmp_path, "t.parquet")
    assert (entry.error, entry.rows.value) == ("", 3)
    found = columns_of(entry)
    price = found["price"]
    assert (price.kind, price.nulls, price.distinct, price.numbers.min) == ("float", 1, 2, 1.1)
    assert price.numbers.max == 12345678901234567890.12
    assert (found["wait"].kind, found["wait"].distinct) == ("text", 3)
    assert found["day"].text_dates.read == 3


def test_many_decimals_are_told_apart_by_all_their_digits(tmp_path):
    cells = [Decimal(f"1000000000000000000.{n:04}") for n in range(5000)]
    pq.write_table(pa.table({"d": pa.array(cells, pa.decimal128(30, 4))}), tmp_path / "t.parquet")
    column = columns_of(entry_of(tmp_path, "t.parquet"))["d"]
    assert (column.distinct, column.distinct_exact) == (5000, True)


def test_texts_that_are_no_utf8_are_shown_as_far_as_they_are_and_can_be_related(tmp_path):
    pq.write_table(pa.table({"t": not_utf8(), "n": [1, 2]}), tmp_path / "t.parquet")
    entry = entry_of(tmp_path, "t.parquet")
    assert entry.error == ""
    assert columns_of(entry)["t"].first == ("ok", "\ufffd\ufffd")
    assert [table.name for table in read_tables([tmp_path]).read] == ["t.parquet"]


def test_damage_within_nested_texts_is_an_error_and_no_end_of_the_process():
    nested = pa.ListArray.from_arrays(pa.array([0, 2], pa.int32()), not_utf8())
    with pytest.raises(pa.ArrowInvalid, match="UTF8"):
        list(arrow_frames([pa.record_batch({"l": nested})]))


@pytest.mark.parametrize("first", ["sep=;\n", "sep=;\r\n", '"sep=;"\n'])
def test_a_first_line_says_what_cuts_cells(tmp_path, first):
    entry = entry_of(tmp_path, "t.csv", f"{first}a;b\n1;2,5\n3;4,5\n")
    assert entry.facts["delimiter"] == ";"
    assert (entry.rows.value, entry.facts["lines_before_data"]) == (2, 2)
    assert {name: column.kind for name, column in columns_of(entry).items()} == {"a": "integer", "b": "text"}


def test_a_name_that_begins_like_such_a_line_is_a_name(tmp_path):
    entry = entry_of(tmp_path, "t.csv", "sep=a,b\n1,2\n3,4\n")
    assert list(columns_of(entry)) == ["sep=a", "b"]


def test_a_text_of_fixed_width_with_blanks_in_cells_is_not_cut_at_them(tmp_path):
    rows = [("station", "count", "mean"), *((f"st {n}", n * 13, n * 1.25) for n in range(1, 30))]
    text = "".join(f"{name:<12}{count:>8}{mean:>10}\n" for name, count, mean in rows)
    assert entry_of(tmp_path, "blanks.txt", text).tables == ()
    joined = entry_of(tmp_path, "joined.txt", text.replace("st ", "st_"))
    assert list(columns_of(joined)) == ["station", "count", "mean"]
    assert columns_of(joined)["count"].numbers.max == 29 * 13


def test_different_blobs_are_different(tmp_path):
    with sqlite3.connect(tmp_path / "t.sqlite") as database:
        database.execute("""create table "it's" (id integer primary key, b blob)""")
        database.executemany("""insert into "it's" values (?, ?)""", [(n, bytes([n % 4, 0])) for n in range(12)])
    database.close()
    entry = entry_of(tmp_path, "t.sqlite")
    assert entry.tables[0].name == "it's"
    assert columns_of(entry)["b"].distinct == 4
    assert columns_of(entry)["b"].first[0].startswith("[2 bytes ")


def test_what_is_no_number_is_missing_in_every_form_of_json(tmp_path):
    cells = ["NaN", "Infinity", "-Infinity", "1e999", "3.5"]
    lines = "".join(f'{{"x": {cell}}}\n' for cell in cells)
    document = "[" + ", ".join(f'{{"x": {cell}}}' for cell in cells) + "]"
    for name, text in (("t.jsonl", lines), ("t.json", document)):
        column = columns_of(entry_of(tmp_path, name, text))["x"]
        assert (column.kind, column.nulls, column.distinct, column.numbers.max) == ("float", 4, 1, 3.5)


def test_keys_that_stand_twice_are_told(tmp_path):
    entry = entry_of(tmp_path, "t.json", '[{"a": 1, "a": 2}, {"a": 5}]')
    assert entry.notes == ("a key stands twice in 1 objects: the last one counts",)
    assert columns_of(entry)["a"].numbers.min == 2
    assert entry_of(tmp_path, "u.json", json.dumps([{"a": 1}, {"a": 2}])).notes == ()


ODD = {
    "semicolons and decimal commas": ("t.csv", "n;p\n1;2,5\n2;3,5\n3;4,5\n", {"n": "integer", "p": "text"}, 3),
    "tabs under another name": ("t.csv", "a\tb\n1\tx\n2\ty\n3\tz\n", {"a": "integer", "b": "text"}, 3),
    "old line ends": ("t.csv", b"a,b\r1,x\r2,y\r3,z\r", {"a": "integer", "b": "text"}, 3),
    "thousands": ("t.csv", 'a,b\nx,"1,000"\ny,"2,500"\nz,"3,750"\n', {"a": "text", "b": "text"}, 3),
    "a mark of order within": ("t.csv", b"a,b\n1,2\n\xef\xbb\xbf3,4\n5,6\n", {"a": "text", "b": "integer"}, 3),
    "two bytes a character": ("t.csv", "a,b\nä,1\nö,2\nü,3\n".encode("utf-16"), {"a": "text", "b": "integer"}, 3),
}


@pytest.mark.parametrize("name", ODD)
def test_odd_delimited_files_have_the_columns_that_a_person_sees(tmp_path, name):
    file, content, kinds, rows = ODD[name]
    entry = entry_of(tmp_path, file, content)
    assert (entry.error, entry.rows.value) == ("", rows)
    assert {name: column.kind for name, column in columns_of(entry).items()} == kinds


def test_a_sheet_of_more_rows_than_a_spreadsheet_holds_is_refused(tmp_path):
    import xlsxwriter

    with xlsxwriter.Workbook(tmp_path / "t.xlsx") as book:
        book.add_worksheet("s").write_row("A1", ["a", "b"])
    few = (tmp_path / "t.xlsx").read_bytes()
    with (
        zipfile.ZipFile(io.BytesIO(few)) as parts,
        zipfile.ZipFile(tmp_path / "u.xlsx", "w", zipfile.ZIP_DEFLATED) as more,
    ):
        for name in parts.namelist():
            content = parts.read(name)
            if name.endswith("sheet1.xml"):
                row = b"<row><c><v>1</v></c></row>"
                content = content.replace(b"</sheetData>", row * ((1 << 20) + 1) + b"</sheetData>")
            more.writestr(name, content)
    assert "spreadsheets hold up to" in entry_of(tmp_path, "u.xlsx").error
    assert entry_of(tmp_path, "t.xlsx").error == ""


def test_nested_values_are_not_counted_and_nobody_is_told_that_there_are_none(tmp_path):
    pq.write_table(pa.table({"l": [[1], [2], None], "n": [1, 2, 3]}), tmp_path / "t.parquet")
    entry = entry_of(tmp_path, "t.parquet")
    column = columns_of(entry)["l"]
    assert (column.kind, column.nulls, column.distinct_exact) == ("nested", 1, False)
    assert "0 different" not in as_prompt([entry])
    assert "3 different" in as_prompt([entry])
