import json
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from benchwright.chat.replies import MOST_CHARACTERS, objects

VALUES = some.recursive(
    some.none() | some.booleans() | some.integers() | some.text(),
    lambda inner: some.lists(inner) | some.dictionaries(some.text(), inner),
    max_leaves=4,
)


@settings(max_examples=15)
@given(
    some.lists(some.dictionaries(some.text(), VALUES)),
    some.sampled_from(["", "\n", " so: ", "```json\n", "{ x }", "[1]"]),
)
def test_objects_are_found_whatever_stands_between_them(values, between):
    text = between + between.join(json.dumps(value, indent=1) for value in values) + between
    assert objects(text) == values


@given(some.text())
def test_no_reply_raises(text):
    assert all(isinstance(value, dict) for value in objects(text))


@pytest.mark.parametrize("piece", ["{", '{"', '{"a":', '{"a":[', '{"a": {"b": 1}, ', "{ ", "{}", '{"a":"'])
def test_ten_million_characters_are_done_with_in_seconds(piece):
    begun = time.process_time()
    objects(piece * (10_000_000 // len(piece)))
    assert time.process_time() - begun < 20


def test_an_object_after_a_few_that_were_cut_is_found_and_one_past_the_end_is_not():
    assert objects('{"a": {"b": [1, 2' + ' ... {"c": 3}') == [{"c": 3}]
    assert objects(" " * MOST_CHARACTERS + '{"c": 3}') == []
    assert objects("{" * 100_000 + '"c": 3}') == [{"c": 3}]
