import codecs
import gzip
import json

import pytest
import zstandard

from benchwright.errors import InputError
from benchwright.importers import log_file
from benchwright.importers.log_file import LogFile, salvaged

VALUES = [{"a": 1, "text": "naïve 数据"}, {"b": [1, 2]}, {"c": {"d": None}}]
LINES = "\n".join(json.dumps(value, ensure_ascii=False) for value in VALUES)


def read(tmp_path, data):
    path = tmp_path / "log"
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    log = LogFile(path)
    return list(log.values()), log.notes


@pytest.mark.parametrize(
    "data",
    [
        LINES,
        f"{LINES}\n",
        LINES.replace("\n", "\r\n\r\n"),
        LINES.replace("\n", "\r"),
        codecs.BOM_UTF8 + LINES.encode(),
        codecs.BOM_UTF16_LE + LINES.encode("utf-16-le"),
        codecs.BOM_UTF16_BE + LINES.encode("utf-16-be"),
        LINES.encode("utf-16-le"),
        LINES.encode("utf-16-be"),
        LINES.encode("gb18030") if LINES.isascii() else LINES.replace("ï", "i").encode("gb18030"),
        gzip.compress(LINES.encode()),
        zstandard.ZstdCompressor().compress(LINES.encode()),
        json.dumps(VALUES, ensure_ascii=False),
        json.dumps(VALUES, ensure_ascii=False, indent=2),
        "\n".join(json.dumps(value, ensure_ascii=False, indent=2) for value in VALUES),
        "[\n" + ",\n".join(json.dumps(value, ensure_ascii=False) for value in VALUES) + "\n]\n",
        "\n".join(f"2026-01-01T00:00:00 agent | {line}" for line in LINES.split("\n")),
        "\x00\x00" + LINES,
    ],
)
def test_every_way_to_write_the_same_values(tmp_path, data):
    found, _ = read(tmp_path, data)
    wanted = [{**VALUES[0], "text": "naive 数据"}, *VALUES[1:]]
    assert found in (VALUES, wanted)


def test_lines_of_other_text_are_passed_over_and_counted(tmp_path):
    found, notes = read(tmp_path, f"Starting...\n{LINES}\n----- STDERR -----\nwarning: x {{y}}\n{LINES}")
    assert found == VALUES * 2
    assert notes == ["3 lines are not JSON and were passed over"]


def test_a_torn_end_loses_the_last_value_only(tmp_path):
    assert read(tmp_path, LINES[:-5])[0] == VALUES[:2]
    assert read(tmp_path, gzip.compress(f"{LINES}\n".encode() * 500)[:-20])[0][:3] == VALUES
    text = json.dumps({"messages": VALUES, "rest": 1}, indent=2)
    found, notes = read(tmp_path, text[: text.index('"d"')])
    assert found == [{"messages": VALUES[:2]}]
    assert notes == ["the log is torn; what was whole is kept"]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": [1, 2', {"a": [1]}),
        ('{"a": "x, {[", "b": [{"c": "]"}, {"d": [1, 2], "e"', {"a": "x, {[", "b": [{"c": "]"}]}),
        ('{"b": [1, 2], "rest": {"x": 1, "y', {"b": [1, 2]}),
        ('{"a": "torn", "b": {"c": 1, "d": ', None),
        ('[{"a": 1}, {"b"', [{"a": 1}]),
        ('{"a"', None),
        ("[", None),
        ("", None),
        ("[" * 3000, None),
    ],
)
def test_what_is_whole_of_a_torn_document(text, value):
    assert salvaged(text) == value


@pytest.mark.parametrize(
    "data", ["", "\n\n", "nothing", "[" * 200_000, '{"a":' * 200_000, "\x00" * 5000, b"\xff\xfe\x00", b"\x1f\x8b\x08"]
)
def test_a_log_without_json_has_no_values(tmp_path, data):
    assert [value for value in read(tmp_path, data)[0] if isinstance(value, dict)] == []


def test_a_number_that_no_computer_should_read_costs_its_line(tmp_path):
    found, _ = read(tmp_path, f'{{"a": 1}}\n{{"n": {"9" * 10_000}}}\n{{"b": 2}}')
    assert found == [{"a": 1}, {"b": 2}]


def test_a_huge_line_is_passed_over_and_the_next_is_read(tmp_path, monkeypatch):
    text = f'{{"a": 1}}\n{{"x": "{"y" * 5000}"}}\n{{"b": 2}}\n'
    assert len(read(tmp_path, text)[0]) == 3  # without the bound all is read
    monkeypatch.setattr(log_file, "LONGEST_VALUE", 1000)
    found, notes = read(tmp_path, text)
    assert found == [{"a": 1}, {"b": 2}]
    assert notes == ["a line of more than 1,000 characters was passed over"]


def test_a_packed_log_that_never_ends_is_read_up_to_a_bound(tmp_path, monkeypatch):
    bomb = gzip.compress(b'{"a": 1}\n' * 200_000)
    monkeypatch.setattr(log_file, "MOST_CHARACTERS", 9 * 1000)
    found, notes = read(tmp_path, bomb)
    assert len(found) == 1000
    assert notes == ["only the first 9,000 characters were read"]


def test_a_log_that_is_not_there_is_one_clear_error(tmp_path):
    with pytest.raises(InputError, match="cannot read"):
        list(LogFile(tmp_path / "no.jsonl").values())
    with pytest.raises(InputError, match="cannot read"):
        list(LogFile(tmp_path).values())


def test_an_object_behind_a_torn_one_in_the_same_line_is_kept(tmp_path):
    """A run that was killed in the middle of a line, and its rerun appended to the same file."""
    torn = '{"a": {"text": "cut he'
    assert read(tmp_path, f'{{"a": 1}}\n{torn}{{"b": 2}}\n{{"c": 3}}{{"d": 4}}\n')[0] == [
        {"a": 1},
        {"b": 2},
        {"c": 3},
        {"d": 4},
    ]


def test_raw_control_characters_in_texts_are_borne(tmp_path):
    assert read(tmp_path, '{"a": "x\x01y"}\n{"b": 2}\n')[0] == [{"a": "x\x01y"}, {"b": 2}]
