import json
import os
import sqlite3

import polars as pl
import pytest
from tests.profiles.entries import entry_of, kinds, written

from benchwright.errors import InputError
from benchwright.profiles.folders import Looking, profile_paths


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("data")
    (folder / "sub").mkdir()
    written(folder, "a.csv", "country,2019,2020\nA,1.5,2\nB,3,4\n")
    written(folder, "sub/odd.bin", b"\x00\x01\x02\x99junk")
    written(folder, "broken.parquet", b"PAR1 and nothing more")
    written(folder, "empty.csv", b"")
    os.mkfifo(folder / "pipe")
    (folder / "link.csv").symlink_to("/etc/passwd")
    return folder


def test_every_file_of_a_folder_is_listed_whatever_it_is(folder, tmp_path):
    entries = {entry.path: entry for entry in profile_paths([folder], Looking(cache=tmp_path))}
    assert list(entries) == ["a.csv", "broken.parquet", "empty.csv", "link.csv", "pipe", "sub/odd.bin"]
    assert kinds(entries["a.csv"]) == [("country", "text"), ("2019", "float"), ("2020", "integer")]
    assert (entries["a.csv"].rows.value, entries["a.csv"].rows.exact) == (2, True)
    odd = entries["sub/odd.bin"]
    assert (odd.format, odd.magic, odd.bytes, odd.error) == ("unknown", "000102996a756e6b", 8, "")
    assert entries["broken.parquet"].format == "parquet"
    assert entries["broken.parquet"].error
    assert entries["empty.csv"].error == ""
    for name in ("pipe", "link.csv"):
        assert "not a regular file" in entries[name].error
    assert "root" not in json.dumps([entry.to_json() for entry in entries.values()])


def test_known_content_is_taken_from_the_cache_and_failures_are_not_kept(folder, tmp_path):
    looking = Looking(cache=tmp_path)
    first = list(profile_paths([folder], looking))
    kept = sorted(tmp_path.rglob("*.json"))
    assert len(kept) == 3
    for place in kept:
        document = json.loads(place.read_text())
        place.write_text(json.dumps({**document, "notes": ["from the cache"]}))
    again = list(profile_paths([folder], looking))
    assert {entry.path for entry in again if "from the cache" in entry.notes} == {"a.csv", "empty.csv", "sub/odd.bin"}
    kept[0].write_text("broken")
    assert [entry.path for entry in profile_paths([folder], looking)] == [entry.path for entry in first]


def test_a_path_that_is_not_there_is_an_input_error(tmp_path):
    with pytest.raises(InputError, match="no such file or folder"):
        list(profile_paths([tmp_path / "none"]))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "gbk", "cp1252"])
def test_names_survive_every_encoding(tmp_path, encoding):
    text = "stück,größe\nMüller,1\n" if encoding == "cp1252" else "城市,人口数量\n北京,1\n上海,2\n"
    entry = entry_of(written(tmp_path, "t.csv", text.encode(encoding)))
    assert [column.name for column in entry.tables[0].columns] == text.split("\n", maxsplit=1)[0].split(",")


def test_leading_zeros_are_kept_wherever_they_first_appear(tmp_path):
    early = entry_of(written(tmp_path, "early.csv", "code,n,x\n007,10,0.5\n012,20,1.5\n"))
    assert kinds(early) == [("code", "text"), ("n", "integer"), ("x", "float")]
    assert early.tables[0].sample[0]["code"] == "007"
    late = entry_of(written(tmp_path, "late.csv", "code,t\n" + f"123,{'x' * 900}\n" * 40_000 + "012,y\n"))
    assert kinds(late) == [("code", "text"), ("t", "text")]
    assert (late.rows.value, late.tables[0].columns[0].counts) == (40_001, (("123", 40_000), ("012", 1)))


def test_quoted_newlines_are_no_rows(tmp_path):
    rows = "".join(f'{number},"one\ntwo, ""three"""\n' for number in range(500))
    entry = entry_of(written(tmp_path, "t.csv", "id,text\n" + rows))
    assert entry.rows.value == 500
    assert entry.tables[0].sample[0]["text"] == 'one\ntwo, "three"'


def test_a_preamble_and_missing_names_are_told(tmp_path):
    entry = entry_of(written(tmp_path, "t.csv", "Report\nof: x\n\nid,name\n1,a\n2,b\n"))
    assert entry.facts["preamble"] == ["Report", "of: x"]
    assert kinds(entry) == [("id", "integer"), ("name", "text")]
    bare = entry_of(written(tmp_path, "u.csv", "1,a\n2,b\n"))
    assert (bare.facts["header"], bare.rows.value) == (False, 2)
    assert kinds(bare) == [("column_1", "integer"), ("column_2", "text")]


def test_a_text_that_is_a_table_is_read_as_one(tmp_path):
    entry = entry_of(written(tmp_path, "t.txt", "x   y\n1   2.5\n3   4.5\n5   6\n"))
    assert (entry.facts["delimiter"], entry.rows.value) == ("spaces", 3)
    assert kinds(entry) == [("x", "integer"), ("y", "float")]
    prose = entry_of(written(tmp_path, "p.txt", "Some words, and more.\nAnother line\nAnd yet another, longer one\n"))
    assert (prose.tables, prose.facts["lines"], prose.facts["layout"]) == ((), 3, "text")


def test_one_bad_line_of_json_lines_is_counted_and_costs_no_other(tmp_path):
    entry = entry_of(written(tmp_path, "t.jsonl", '{"a":1}\nnope\n{"a":2,"b":"x"}\n[3]\n'))
    assert (entry.rows.value, entry.facts["bad_lines"], entry.facts["other_values"]) == (3, 1, 1)
    assert entry.facts["first_bad_lines"][0].startswith("line 2: not valid JSON")
    assert [(column.name, column.nulls) for column in entry.tables[0].columns] == [("a", 0), ("b", 1)]
    assert entry.facts["common_keys"] == ["a"]


def test_a_json_document_tells_its_shape_and_its_tables(tmp_path):
    document = {"meta": {"deep": {"deeper": []}}, "rows": [{"a": 1}, {"a": 2}]}
    entry = entry_of(written(tmp_path, "t.json", json.dumps(document)))
    assert (entry.facts["top_level"], entry.facts["depth"]) == ("object", {"value": 4, "exact": True})
    assert [(table.name, table.rows.value) for table in entry.tables] == [("rows", 2)]
    deep = entry_of(written(tmp_path, "deep.json", "[" * 100_000 + "]" * 100_000))
    assert deep.error == "nested too deeply"


def test_a_map_tells_its_features(tmp_path):
    feature = {"type": "Feature", "geometry": {"type": "Point", "coordinates": [1, 2]}, "properties": {"n": 1}}
    document = {"type": "FeatureCollection", "features": [feature, {**feature, "geometry": None}]}
    entry = entry_of(written(tmp_path, "t.geojson", json.dumps(document)))
    assert (entry.rows.value, entry.facts["geometries"], kinds(entry)) == (2, {"Point": 1}, [("n", "integer")])


def test_texts_logs_and_papers_are_counted(tmp_path):
    notes = entry_of(written(tmp_path, "t.md", "# T\n\n```\n# no heading\n```\n- a\n- b\n\n| a |\n|---|\n"))
    assert notes.facts["headings"] == ["# T"]
    assert notes.facts["elements"] == {"code_blocks": 1, "headings": 1, "list_items": 2, "tables": 1}
    paper = entry_of(written(tmp_path, "t.tex", "\\section{A}\n\\begin{table}x\\end{table}\n\\subsection*{B}\n"))
    assert (paper.facts["headings"], paper.facts["environments"]) == (["A", "B"], {"table": 1})
    lines = "2024-01-01T10:00:00 INFO a\n2024-01-01T10:00:01 error b\n  at c\n"
    log = entry_of(written(tmp_path, "t.log", lines))
    assert (log.facts["timestamps"], log.facts["levels"], log.rows.value) == ("ISO 8601", {"INFO": 1, "ERROR": 1}, 3)


@pytest.mark.parametrize("kind", ["parquet", "feather", "orc"])
def test_columnar_files_are_measured(tmp_path, kind):
    import pyarrow.orc

    frame = pl.DataFrame({"n": [3, 1, 2], "t": ["a", None, "a"]})
    path = tmp_path / f"t.{kind}"
    writers = {
        "parquet": frame.write_parquet,
        "feather": frame.write_ipc,
        "orc": lambda to: pyarrow.orc.write_table(frame.to_arrow(), to),
    }
    writers[kind](path)
    entry = entry_of(path)
    assert (entry.error, entry.format, entry.rows.value) == ("", kind, 3)
    assert kinds(entry) == [("n", "integer"), ("t", "text")]
    assert entry.tables[0].columns[1].nulls == 1


def test_databases_with_hostile_names_are_read_and_never_run(tmp_path):
    path = tmp_path / "t.sqlite"
    with sqlite3.connect(path) as database:
        database.execute("""CREATE TABLE "it's" (a INTEGER PRIMARY KEY, "x"";drop" REAL, m)""")
        database.executemany("""INSERT INTO "it's" VALUES (?, ?, ?)""", [(1, 2.5, 1), (2, None, "x"), (3, 4, b"\0\1")])
        database.execute('CREATE TABLE other (k REFERENCES "it\'s" (a))')
        database.execute(
            "CREATE VIEW endless AS WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n FROM t) SELECT * FROM t"
        )
    database.close()
    entry = entry_of(path)
    assert (entry.error, [(table.name, table.rows.value) for table in entry.tables]) == (
        "",
        [("it's", 3), ("other", 0)],
    )
    assert kinds(entry) == [("a", "integer"), ('x";drop', "float"), ("m", "text")]
    third = entry.tables[0].sample[2]
    assert third["m"].startswith("[2 bytes ")  # and a digest, which tells blobs of one size apart
    assert third == {"a": 3, 'x";drop': 4.0, "m": third["m"]}
    assert entry.tables[0].facts["primary_key"] == ["a"]
    assert entry.tables[1].facts["foreign_keys"] == [{"column": "k", "table": "it's", "to": "a"}]
    assert entry.facts["views"] == ["endless"]


def test_a_duckdb_file_is_read_without_any_way_out(tmp_path):
    import duckdb

    secret = written(tmp_path, "secret.csv", "word\nhush\n")
    path = tmp_path / "t.duckdb"
    with duckdb.connect(str(path)) as database:
        database.execute("""CREATE TABLE "it's" AS SELECT range AS n, 'x' AS t FROM range(5)""")
        database.execute(f"CREATE VIEW leak AS SELECT * FROM read_csv('{secret}')")
    entry = entry_of(path)
    assert (entry.error, [(table.name, table.rows.value) for table in entry.tables]) == ("", [("it's", 5)])
    assert entry.facts["views"] == ["leak"]
    assert "hush" not in str(entry)


@pytest.mark.parametrize(
    ("text", "rows", "names", "first"),
    [
        ("a,b\n1,2\n3,4,5\n6\n", 3, ["a", "b", "column_3"], [1, 2, None]),
        ('a,b\n1,"x\n2,y\n3,z\n', 3, ["a", "b"], [1, '"x']),
        ('size,name\n5",x\n7",y\n3",z\n', 3, ["size", "name"], ['5"', "x"]),
        ("a,b\r1,2\r3,4\r", 2, ["a", "b"], [1, 2]),
        ("a,b\r\n1,2\r\n3,4\r\n", 2, ["a", "b"], [1, 2]),
    ],
    ids=["ragged", "open quote", "inches", "CR", "CR LF"],
)
def test_broken_rows_quotes_and_line_ends_lose_nothing(tmp_path, text, rows, names, first):
    entry = entry_of(written(tmp_path, "t.csv", text))
    assert (entry.error, entry.rows.value) == ("", rows)
    assert [column.name for column in entry.tables[0].columns] == names
    assert list(entry.tables[0].sample[0].values()) == first
