import json
import tempfile
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from benchwright.scoring import read_predictions

KNOWN = tuple(str(number) for number in range(10))
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


def read(data):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "p.jsonl"
        path.write_bytes(data)
        return read_predictions(path, KNOWN)


@given(st.binary(max_size=400))
def test_no_bytes_whatever_make_reading_fail(data):
    found = read(data)
    assert found.lines <= data.count(b"\n") + data.count(b"\r") + data.count(b"{") + 1


@given(
    st.lists(st.binary(max_size=60).filter(lambda line: b"\n" not in line and b"\r" not in line), max_size=5), VALUES
)
def test_junk_around_a_prediction_never_loses_it(junk, value):
    good = json.dumps({"instance_id": 3, "prediction": value}).encode()
    found = read(b"\n".join([b"{}", *junk, good, *junk]))
    assert "3" in found.entries


@given(VALUES, VALUES)
def test_every_json_value_is_an_answer_that_can_be_written_or_a_bad_line(name, value):
    found = read(json.dumps({"id": name, "answer": value}).encode())
    assert found.lines + len(found.bad_lines) == 1
    for entry in found.entries.values():
        (entry.submission.answer or "").encode("utf-8")
