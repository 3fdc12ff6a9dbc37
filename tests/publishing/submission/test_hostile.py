"""Archives and texts that mean harm: each is one message, bounded in time and space, and nothing is written elsewhere."""

import json
import os
import stat
import zipfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from benchwright.errors import InputError
from benchwright.publishing.submission import Bounds, check, opened
from benchwright.publishing.submission.strict_json import DEEPEST, Share, parse

FORM = {
    "submission_id": "a",
    "method": "m",
    "model": "",
    "results": {"full": {"execution_accuracy": 0.5, "n_tasks": 2}},
}


def zipped(path, members, packing=zipfile.ZIP_DEFLATED):
    with zipfile.ZipFile(path, "w", packing) as new:
        for name, data in members.items():
            new.writestr(name, data)
    return path


def refused(path, bounds=None):
    with pytest.raises(InputError) as error, opened(path, bounds or Bounds()):
        pass
    return str(error.value)


@pytest.mark.parametrize(
    "name",
    [
        "../submission.json",
        "/etc/passwd",
        "files/../../x",
        "files/short",
        "other.json",
        "files/" + "a" * 64 + "/x",
        "C:\\x",
        "submission.json\\..",
        "__MACOSX/x",
    ],
)
def test_members_of_other_names_are_refused_and_written_nowhere(tmp_path, name):
    path = zipped(tmp_path / "a.zip", {"submission.json": json.dumps(FORM), name: "x"})
    assert "no part of a submission" in refused(path)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["a.zip"]


def test_links_encrypted_members_doubled_names_and_odd_packings_are_refused(tmp_path):
    link = zipfile.ZipInfo("submission.json")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(tmp_path / "link.zip", "w") as new:
        new.writestr(link, "/etc/passwd")
    assert "no part of a submission" in refused(tmp_path / "link.zip")
    assert "no part" in refused(zipped(tmp_path / "lzma.zip", {"submission.json": json.dumps(FORM)}, zipfile.ZIP_LZMA))
    with zipfile.ZipFile(tmp_path / "twice.zip", "w") as new:
        new.writestr("submission.json", json.dumps(FORM))
        with pytest.warns(UserWarning, match="Duplicate name"):
            new.writestr("submission.json", json.dumps(FORM))
    assert "each once" in refused(tmp_path / "twice.zip")
    data = bytearray(zipped(tmp_path / "locked.zip", {"submission.json": json.dumps(FORM)}).read_bytes())
    for place in (data.find(b"PK\x03\x04") + 6, data.find(b"PK\x01\x02") + 8):
        data[place] |= 1
    (tmp_path / "locked.zip").write_bytes(data)
    assert "no part" in refused(tmp_path / "locked.zip")


def test_bombs_are_stopped_at_the_bound(tmp_path):
    bounds = Bounds(text_bytes=1 << 20, all_bytes=2 << 20, members=10, archive_bytes=1 << 20)
    bomb = zipped(tmp_path / "bomb.zip", {"submission.json": b" " * (8 << 20)})
    assert bomb.stat().st_size < 20_000
    assert "unpacks to more" in refused(bomb, bounds)
    files = {f"files/{number:064x}": b"0" * (1 << 19) for number in range(6)}
    assert "unpacks to more" in refused(
        zipped(tmp_path / "sum.zip", {"submission.json": json.dumps(FORM), **files}), bounds
    )
    many = {f"files/{number:064x}": b"" for number in range(11)}
    assert "11 members" in refused(zipped(tmp_path / "many.zip", many), bounds)
    (tmp_path / "large.zip").write_bytes(b"PK" + b"0" * (1 << 20))
    assert "larger than" in refused(tmp_path / "large.zip", bounds)
    lines = zipped(tmp_path / "lines.zip", {"submission.json": json.dumps(FORM), "predictions.jsonl": "1\n" * 6})
    assert "6 lines" in refused(lines, Bounds(lines=5))


def test_a_member_that_lies_about_its_size_is_found_by_reading(tmp_path):
    path = zipped(tmp_path / "lie.zip", {"submission.json": b" " * 100_000})
    data = bytearray(path.read_bytes())
    place = data.find(b"PK\x01\x02") + 24
    data[place : place + 4] = (10).to_bytes(4, "little")
    path.write_bytes(data)
    assert "zip archive" in refused(path) or "JSON" in refused(path)


@pytest.mark.parametrize(
    "data", [b"PK", b"PK\x03\x04" + b"\0" * 40, b"not json", b"\xff\xfe[", b"[1]", b'"text"', b"null"]
)
def test_what_is_no_submission_is_one_message(tmp_path, data):
    (tmp_path / "a").write_bytes(data)
    assert refused(tmp_path / "a")


def test_an_empty_file_is_called_empty(tmp_path):
    (tmp_path / "mine.zip").touch()
    assert "mine.zip is empty" in refused(tmp_path / "mine.zip")


def test_folders_with_links_and_pipes_are_refused_without_following_them(tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "submission.json").symlink_to("/etc/passwd")
    assert "no part" in refused(folder)
    (folder / "submission.json").unlink()
    os.mkfifo(folder / "submission.json")
    assert "no part" in refused(folder)
    os.mkfifo(tmp_path / "pipe")
    assert "a device, pipe or socket" in refused(tmp_path / "pipe")
    (folder / "submission.json").unlink()
    (folder / "files").symlink_to(tmp_path)
    assert "no part" in refused(folder)


HOSTILE = {
    "NaN": '{"a": NaN}',
    "infinity": '{"a": -Infinity}',
    "a number beyond floats": '{"a": 1e999}',
    "a number of a million digits": '{"a": ' + "9" * 1_000_000 + "}",
    "a fraction of a million digits": '{"a": 0.' + "9" * 1_000_000 + "}",
    "brackets": "[" * 5_000_000,
    "brackets in objects": '{"a":' * 1_000_000,
    "a key twice": '{"a": 1, "a": 2}',
    "half a character": r'{"a": "\ud800"}',
    "a control character": '{"a": "\x01"}',
    "an open quote": '{"' + "a" * 1_000_000,
    "many quotes": '"' * 999_999,
    "backslashes": '"' + "\\" * 1_000_001,
}


@pytest.mark.parametrize("how", HOSTILE)
@pytest.mark.timeout(120)
def test_hostile_json_is_one_message_within_seconds(how, tmp_path):
    with pytest.raises(InputError, match=r"not valid JSON|nested too deep"):
        parse(HOSTILE[how], "a.json")
    (tmp_path / "a.json").write_text(HOSTILE[how])
    assert len(refused(tmp_path / "a.json")) < 1000


def test_brackets_in_texts_are_no_nesting():
    assert parse(json.dumps({"a": "[" * 10_000 + '\\"]'}), "x") == {"a": "[" * 10_000 + '\\"]'}
    assert parse("[" * DEEPEST + "]" * DEEPEST, "x")


values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**17), 10**17)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(codec="utf-8")),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(st.characters(codec="utf-8"), max_size=5), inner, max_size=4)
    ),
    max_leaves=20,
)


@settings(max_examples=50)
@given(values)
def test_plain_values_come_through_as_they_are(value):
    assert parse(json.dumps(value), "x") == value


@given(st.integers(0, 12), st.data())
def test_a_share_remembers_how_it_was_printed(decimals, data):
    text = f"{data.draw(st.floats(0, 1)):.{decimals}f}"
    found = Share.printed(text)
    assert (float(found), found.decimals) == (float(text), decimals)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], max_examples=40)
@given(
    st.dictionaries(st.sampled_from(["submission.json", "protocol.json", "manifest.json"]), values, max_size=3),
    st.lists(values, max_size=3),
)
def test_whatever_values_are_handed_in_a_check_gives_reasons_and_never_fails(tmp_path, documents, predictions):
    lines = "".join(json.dumps(each) + "\n" for each in predictions)
    path = zipped(
        tmp_path / "any.zip",
        {name: json.dumps(value) for name, value in documents.items()} | {"predictions.jsonl": lines},
    )
    try:
        with opened(path) as parcel:
            verdict = check(parcel)
    except InputError:
        return
    assert verdict.refused
    assert all(verdict.reasons)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], max_examples=40)
@given(st.data())
def test_whatever_part_of_a_real_submission_is_replaced_a_check_never_fails(package, tmp_path, data):
    """One value somewhere in a real document becomes anything."""
    documents = {
        "submission.json": package.detailed.model_dump(mode="json"),
        "manifest.json": package.manifest.to_json(),
    }
    name = data.draw(st.sampled_from(sorted(documents)))
    at = documents[name]
    while True:
        keys = sorted(at) if isinstance(at, dict) else list(range(len(at)))
        key = data.draw(st.sampled_from(keys))
        if not isinstance(at[key], dict | list) or not at[key] or data.draw(st.booleans()):
            break
        at = at[key]
    at[key] = data.draw(values)
    texts = {each: json.dumps(value) for each, value in documents.items()}
    lines = "".join(json.dumps(each.to_json()) + "\n" for each in package.predictions)
    with opened(zipped(tmp_path / "any.zip", texts | {"predictions.jsonl": lines})) as parcel:
        check(parcel)


def test_nothing_is_left_in_the_temporary_folder(archive, tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    with opened(archive) as parcel:
        place = next(iter(parcel.files.values()))
        assert place.is_file()
    assert not Path(place).exists()
