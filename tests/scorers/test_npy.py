"""Array files are read without running what they say."""

import io
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from benchwright.scorers.compare.npy import UnreadableArray, read_npy

KINDS = st.sampled_from(["f8", "f4", "i8", "u1", "?", "c16", "<U3", "S2", ">i4"])


def stored(value, **options):
    file = io.BytesIO()
    np.save(file, value, **options)
    return file.getvalue()


def with_program(program):
    """A file whose array of objects is built by this program for the unpickler."""
    return stored(np.array({}, dtype=object)).split(b"\n", 1)[0] + b"\n" + program


class Runs:
    def __init__(self, call, *arguments):
        self.call, self.arguments = call, arguments

    def __reduce__(self):
        return self.call, self.arguments


@given(arrays.arrays(KINDS.map(np.dtype), arrays.array_shapes(min_dims=0, max_dims=3, min_side=0)))
def test_an_array_of_numbers_or_texts_is_read_as_it_was_written(array):
    found = read_npy(stored(array))
    np.testing.assert_array_equal(found, array)
    assert array.shape == () or found.dtype == array.dtype


@given(
    st.dictionaries(
        st.text(max_size=5), arrays.arrays(KINDS.map(np.dtype), arrays.array_shapes(min_side=0, max_dims=3)), max_size=4
    ),
    st.integers(2, 5),
)
def test_a_dict_of_arrays_is_read_whatever_protocol_it_was_stored_in(value, protocol):
    found = read_npy(with_program(pickle.dumps(np.array(value, dtype=object), protocol)))
    assert found.keys() == value.keys()
    for name in value:
        np.testing.assert_array_equal(found[name], value[name])


def test_fortran_order_and_objects_in_objects_are_read():
    array = np.asfortranarray(np.arange(6.0).reshape(2, 3))
    np.testing.assert_array_equal(read_npy(stored(array)), array)
    nested = np.empty(2, dtype=object)
    nested[:] = [[1, "a", None, 2.5], {"x": (np.arange(3), np.float64(4))}]
    found = read_npy(stored(nested))
    assert found[0] == [1, "a", None, 2.5]
    np.testing.assert_array_equal(found[1]["x"][0], [0, 1, 2])
    assert found[1]["x"][1] == 4.0


@pytest.mark.parametrize("protocol", range(6))
def test_a_file_that_would_run_a_command_runs_nothing(tmp_path, protocol):
    import os

    marker = tmp_path / "ran"
    value = np.array({"subplot_0": Runs(os.mkdir, str(marker))}, dtype=object)
    data = with_program(pickle.dumps(value, protocol))
    with pytest.raises(UnreadableArray, match=r"mkdir|not plain data"):
        read_npy(data)
    assert not marker.exists()
    np.load(io.BytesIO(data), allow_pickle=True)
    assert marker.exists(), "the control: the library's own reader runs it"


@pytest.mark.parametrize(
    "call",
    [
        (eval, "1"),
        (getattr, "x", "upper"),
        (np.zeros, 10),
        (np.memmap, "/etc/passwd"),
        (bytearray, 10**9),
        (list, "abc"),
    ],
)
def test_no_other_name_is_played(call):
    with pytest.raises(UnreadableArray, match=r"which is not plain data|no plain data"):
        read_npy(stored(np.array({"a": Runs(*call)}, dtype=object)))


def test_sizes_are_bounded_by_the_file():
    header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000,), }"
    data = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header
    with pytest.raises(UnreadableArray, match="cut short"):
        read_npy(data)


def test_a_value_that_is_shared_many_times_is_built_once():
    value = []
    for _ in range(40):
        value = [value, value]
    found = read_npy(stored(np.array({"a": value}, dtype=object)))["a"]
    for _ in range(40):
        assert len(found) == 2
        assert found[0] is found[1]
        found = found[0]
    assert found == []


def test_a_value_that_holds_itself_is_refused():
    value = []
    value.append(value)
    with pytest.raises(UnreadableArray, match="holds itself"):
        read_npy(stored(np.array({"a": value}, dtype=object)))


PLAIN = (np.ndarray, np.generic, bool, int, float, complex, str, bytes, type(None))


def is_plain(value):
    """Whether a value is made of arrays, containers, numbers and texts alone."""
    todo, seen = [value], set()
    while todo:
        value = todo.pop()
        if id(value) in seen:
            continue
        seen.add(id(value))
        if isinstance(value, dict):
            todo += [*value, *value.values()]
        elif isinstance(value, list | tuple):
            todo += value
        elif isinstance(value, np.ndarray) and value.dtype.hasobject:
            todo += value.ravel().tolist()
        elif not isinstance(value, PLAIN):
            return False
    return True


def read_or_refused(data):
    try:
        return is_plain(read_npy(data))
    except UnreadableArray as refusal:
        return str(refusal) != ""


def test_what_is_no_plain_data_is_told_from_what_is():
    assert is_plain({"a": [1, (np.arange(3), np.array([None, "x"]))]})
    assert not is_plain({"a": [1, np.array([Runs(print)])]})


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(data):
    for form in (data, b"\x93NUMPY" + data, with_program(data)):
        assert read_or_refused(form)


@given(st.integers(0, 400), st.integers(0, 255))
def test_a_damaged_file_is_read_or_refused(place, byte):
    data = bytearray(stored(np.array({"subplot_0": np.arange(6.0).reshape(2, 3)}, dtype=object)))
    data[place % len(data)] = byte
    for form in (bytes(data), bytes(data[:place])):
        assert read_or_refused(form)
