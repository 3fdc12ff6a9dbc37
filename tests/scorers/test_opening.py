"""Files that an agent may leave behind: what is opened, what is refused, and that nothing is waited for."""

import json
import os
import socket
import time

import pytest

from benchwright.scorers.compare import opening
from benchwright.scorers.compare.documents import DocumentLimits, read_document
from benchwright.scorers.compare.opening import UnreadableOutput, read_output


def refused(path, most=1000):
    with pytest.raises(UnreadableOutput) as caught:
        read_output(path, most)
    return str(caught.value)


def test_a_regular_file_is_read(tmp_path):
    (tmp_path / "a").write_bytes(b"x" * 1000)
    assert read_output(tmp_path / "a", 1000) == b"x" * 1000
    assert "more than 999 bytes" in refused(tmp_path / "a", 999)


def test_links_are_not_followed(tmp_path):
    (tmp_path / "gold").write_text("secret")
    (tmp_path / "link").symlink_to(tmp_path / "gold")
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere")
    assert refused(tmp_path / "link") == refused(tmp_path / "dangling") == "not a regular file"
    assert (tmp_path / "link").read_bytes() == b"secret"  # what following it would have given away


def test_a_hard_link_is_read_as_the_file_that_it_is_and_left_alone(tmp_path):
    (tmp_path / "a").write_text("1")
    os.link(tmp_path / "a", tmp_path / "b")
    assert read_output(tmp_path / "b") == b"1"
    assert (tmp_path / "b").stat().st_nlink == 2


def test_pipes_devices_sockets_and_folders_are_refused_at_once(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind(str(tmp_path / "socket"))
    start = time.monotonic()
    paths = [tmp_path / "pipe", tmp_path / "socket", tmp_path, "/dev/zero", "/dev/null", "/dev/random"]
    assert {refused(type(tmp_path)(path)) for path in paths} == {"not a regular file"}
    assert time.monotonic() - start < 100


def test_a_file_that_is_not_there_or_may_not_be_read_says_so(tmp_path):
    assert refused(tmp_path / "nothing") == "No such file or directory"
    assert "null" in refused(tmp_path / "a\0b")
    assert refused(tmp_path / ("n" * 300)) == "File name too long"


def test_names_with_odd_bytes_are_names(tmp_path):
    path = tmp_path / os.fsdecode(b"\xff\xfe\n;rm -rf.json")
    path.write_text("{}")
    assert read_document(path).value == {}


def test_a_sparse_file_counts_with_its_whole_length(tmp_path):
    with (tmp_path / "sparse").open("wb") as stream:
        stream.truncate(1 << 40)
    assert "more than" in refused(tmp_path / "sparse", opening.MAX_BYTES)
    with (tmp_path / "sparse").open("wb") as stream:
        stream.truncate(500)
    assert read_output(tmp_path / "sparse", 1000) == b"\0" * 500


def test_a_file_that_is_written_to_while_it_is_read_is_refused(tmp_path, monkeypatch):
    path = tmp_path / "a"
    path.write_bytes(b"x" * 10)
    plain = os.read

    def slow(handle, size):
        piece = plain(handle, size)
        if piece:
            with path.open("ab") as stream:
                stream.write(b"y")
        return piece

    assert read_output(path) == b"x" * 10
    monkeypatch.setattr(os, "read", slow)
    assert refused(path) == "changed while it was read"


@pytest.mark.parametrize(
    ("text", "limits", "reason"),
    [
        ("[" * 30 + "]" * 30, DocumentLimits(depth=29), "more than 29 levels deep"),
        (json.dumps(list(range(100))), DocumentLimits(values=99), "more than 99 values"),
        ('"' + "x" * 100 + '"', DocumentLimits(bytes=101), "more than 101 bytes"),
    ],
)
def test_each_limit_of_a_document_refuses_what_is_beyond_it_and_nothing_else(tmp_path, text, limits, reason):
    (tmp_path / "a").write_text(text)
    with pytest.raises(UnreadableOutput, match=reason):
        read_document(tmp_path / "a", limits=limits)
    assert read_document(tmp_path / "a").value == json.loads(text)


@pytest.mark.parametrize("opened", ["[", '{"a":', '[{"a":'])
def test_nesting_without_end_is_refused(tmp_path, opened):
    (tmp_path / "a").write_text(opened * 1_000_000)
    with pytest.raises(UnreadableOutput, match="levels deep"):
        read_document(tmp_path / "a")


def test_keys_repeated_at_every_level_take_no_time(tmp_path):
    text = "1"
    for _ in range(60):
        text = f'{{"a": {text}, "a": {{}}, "b": "{"x" * 10_000}"}}'
    (tmp_path / "a").write_text(text)
    start = time.monotonic()
    read_document(tmp_path / "a")
    assert time.monotonic() - start < 100
