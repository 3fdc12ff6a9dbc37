import json
import os
from pathlib import Path

import pytest

from benchwright.errors import InputError
from benchwright.scoring.predictions import read_predictions

KNOWN = ("0", "1", "2", "7", "007b", "t-1")


def written(tmp_path, *lines, encoding="utf-8"):
    path = tmp_path / "predictions.jsonl"
    path.write_bytes("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines).encode(encoding))
    return path


def answers(found):
    return {name: entry.submission.answer for name, entry in found.entries.items()}


@pytest.mark.parametrize("key", ["instance_id", "task_id", "id"])
@pytest.mark.parametrize("answer", ["prediction", "answer"])
def test_the_usual_names_of_id_and_answer_are_read(tmp_path, key, answer):
    assert answers(read_predictions(written(tmp_path, {key: 1, answer: "x"}), KNOWN)) == {"1": "x"}


@pytest.mark.parametrize("spelling", ["7", "7.0", '"7"', '"007"', '" 7 "', "7e0", '"7.0"'])
def test_every_spelling_of_a_whole_number_names_the_same_task(tmp_path, spelling):
    found = read_predictions(written(tmp_path, f'{{"id": {spelling}, "answer": "x"}}'), KNOWN)
    assert list(found.entries) == ["7"]
    assert not found.extra_ids


@pytest.mark.parametrize("spelling", ["true", "null", "0.5", "[1]", "1e400", "NaN"])
def test_an_id_that_is_no_whole_number_or_text_is_a_bad_line(tmp_path, spelling):
    found = read_predictions(written(tmp_path, f'{{"id": {spelling}, "answer": "x"}}', {"id": 1, "answer": "y"}), KNOWN)
    assert [bad.line for bad in found.bad_lines] == [1]
    assert answers(found) == {"1": "y"}


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("12.50", "12.50"),
        ("123456789012345678901234567890", "123456789012345678901234567890"),
        ("1e400", "1e400"),
        ("NaN", "NaN"),
        ("true", "true"),
        ("null", None),
        ('["a", 2.0]', "a; 2.0"),
        ('{"mean": 1.50, "n": null}', "mean: 1.50; n: "),
        ('[["a"], 1]', '[["a"], "1"]'),
        ('""', ""),
    ],
)
def test_an_answer_of_another_kind_keeps_its_digits_and_is_noted(tmp_path, value, text):
    found = read_predictions(written(tmp_path, f'{{"id": 1, "answer": {value}}}'), KNOWN)
    assert answers(found) == {"1": text}
    assert bool(found.notes) == (value != '""')


def test_a_lone_surrogate_becomes_a_character_that_can_be_written(tmp_path):
    found = read_predictions(written(tmp_path, r'{"id": 1, "answer": "a\ud800b"}'), KNOWN)
    assert answers(found) == {"1": "a\ufffdb"}


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_a_byte_order_mark_is_no_error(tmp_path, encoding):
    found = read_predictions(written(tmp_path, {"instance_id": 0, "prediction": "62%"}, encoding=encoding), KNOWN)
    assert answers(found) == {"0": "62%"}
    assert not found.flawed


@pytest.mark.parametrize("end", ["\r\n", "\r", "\n\n\n"])
def test_any_line_end_will_do(tmp_path, end):
    path = tmp_path / "p.jsonl"
    path.write_bytes(end.join(['{"id": 1, "answer": "a"}', '{"id": 2, "answer": "b\u2028c"}']).encode())
    assert answers(read_predictions(path, KNOWN)) == {"1": "a", "2": "b\u2028c"}


BAD = ["{", "[1", "17", '"text"', "null", '{"answer": "x"}', '{"id": 1}', "{}", "\x00", "[" * 100_000]


@pytest.mark.parametrize("bad", BAD, ids=range(len(BAD)))
def test_a_bad_line_is_reported_with_its_number_and_loses_no_other(tmp_path, bad):
    found = read_predictions(written(tmp_path, {"id": 1, "answer": "a"}, bad, {"id": 2, "answer": "b"}), KNOWN)
    assert answers(found) == {"1": "a", "2": "b"}
    assert [line.line for line in found.bad_lines] == [2]
    assert found.bad_lines[0].reason


def test_bytes_that_are_no_text_lose_one_line_at_most(tmp_path):
    path = tmp_path / "p.jsonl"
    path.write_bytes(b'{"id": 1, "answer": "caf\xe9"}\n\xff\xff\n{"id": 2, "answer": "b"}\n')
    found = read_predictions(path, KNOWN)
    assert answers(found) == {"1": "caf\ufffd", "2": "b"}
    assert [line.line for line in found.bad_lines] == [2]


def test_the_last_of_duplicates_counts_and_they_are_reported(tmp_path):
    path = written(tmp_path, {"instance_id": 7, "prediction": "a"}, {"instance_id": "7", "prediction": "b"})
    found = read_predictions(path, KNOWN)
    assert (answers(found), found.duplicate_ids, found.lines, found.policy) == ({"7": "b"}, ("7",), 2, "last")
    assert answers(read_predictions(path, KNOWN, "first")) == {"7": "a"}
    with pytest.raises(InputError, match="more than one prediction"):
        read_predictions(path, KNOWN, "error")


def test_unknown_ids_are_reported_in_order_of_their_numbers(tmp_path):
    lines = [{"id": name, "answer": "x"} for name in (1200, "zz", 30, 1)]
    found = read_predictions(written(tmp_path, *lines), KNOWN)
    assert found.extra_ids == ("30", "1200", "zz")
    assert found.lines == 4


def test_a_json_array_is_read_with_a_note(tmp_path):
    path = written(tmp_path, json.dumps([{"id": 1, "answer": "a"}, 5, {"id": 2, "answer": "b"}], indent=2))
    found = read_predictions(path, KNOWN)
    assert answers(found) == {"1": "a", "2": "b"}
    assert [line.line for line in found.bad_lines] == [2]
    assert "JSON array" in found.notes[0]


def test_an_empty_file_holds_nothing_and_is_no_error(tmp_path):
    found = read_predictions(written(tmp_path), KNOWN)
    assert (found.entries, found.lines, found.flawed) == ({}, 0, False)


def test_files_that_an_agent_claims_to_have_read_are_kept_as_claims(tmp_path):
    path = written(
        tmp_path,
        {"id": 1, "answer": "a", "metadata": {"files_accessed": ["x.csv", 3]}},
        {"id": 2, "answer": "b", "metadata": "none"},
    )
    found = read_predictions(path, KNOWN)
    assert found.entries["1"].claimed == ("x.csv", "3")
    assert found.entries["2"].claimed is None
    assert found.entries["1"].submission.accesses.kind == "not_measured"


def test_a_folder_is_read_by_task_and_links_are_never_followed(tmp_path):
    secret = tmp_path / "gold.csv"
    secret.write_text("gold")
    folder = tmp_path / "out"
    for name in ("t-1", "stranger"):
        (folder / name).mkdir(parents=True)
        (folder / name / "result.csv").write_text("a,b\n")
    (folder / "t-1" / "answer.txt").symlink_to(secret)
    (folder / "7").symlink_to(tmp_path)
    os.mkfifo(folder / "t-1" / "pipe")
    (folder / "note.txt").write_text("hello")
    found = read_predictions(folder, KNOWN)
    assert {name: set(entry.submission.files) for name, entry in found.entries.items()} == {"t-1": {"result.csv"}}
    assert found.extra_ids == ("stranger",)
    assert found.lines == 2


def test_predictions_that_are_not_there_are_one_clear_error(tmp_path):
    with pytest.raises(InputError, match="no such predictions"):
        read_predictions(tmp_path / "none.jsonl", KNOWN)


LINES = '{"instance_id": 0, "prediction": "38%"}\n{"instance_id": 1, "prediction": "é"}\n'


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_no_encoding_of_unicode_loses_a_line(tmp_path, encoding):
    path = tmp_path / "p.jsonl"
    path.write_bytes(LINES.encode(encoding))
    found = read_predictions(path, {"0", "1"})
    assert [entry.submission.answer for entry in found.entries.values()] == ["38%", "é"]
    assert len(found.notes) == 1


def test_nul_characters_and_keys_given_twice_are_noted_and_lose_nothing(tmp_path):
    path = tmp_path / "p.jsonl"
    path.write_text('{"instance_id": 0, "prediction": "5", "prediction": "38%"}\0\n')
    found = read_predictions(path, {"0"})
    assert found.entries["0"].submission.answer == "38%"
    assert found.notes == (
        "the file holds NUL characters, which are passed over",
        "a JSON object has a key twice; the last one counts",
    )


def test_a_device_is_refused_before_it_fills_the_memory():
    with pytest.raises(InputError, match="cannot read /dev/zero"):
        read_predictions(Path("/dev/zero"), {"0"})


def test_an_id_with_an_underscore_is_no_number(tmp_path):
    found = read_predictions(written(tmp_path, {"id": "1_0", "answer": "x"}), {"10", "1"})
    assert (found.entries, found.extra_ids) == ({}, ("1_0",))
