from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from benchwright.generation.examples import ExampleSampler, measured, step_relevance

TRACES = {"one": {0: ["load"], 3: ["join", "load"]}, "two": {1: ["join"]}, "three": {0: ["plot"]}}


@given(arrays.arrays(float, st.tuples(st.integers(1, 6), st.just(3)), elements=st.floats(-5, 5)))
def test_the_relevance_of_a_step_is_its_mean_cosine_to_the_others_plus_one(vectors):
    def cosine(a, b):
        both = np.linalg.norm(a) * np.linalg.norm(b)
        return a @ b / both if both > 1e-12 else 0.0

    found = step_relevance(vectors)
    for k, value in enumerate(found):
        others = [cosine(vectors[k], vectors[j]) for j in range(len(vectors)) if j != k]
        if all(np.linalg.norm(vector) > 1e-6 for vector in vectors):
            assert value == pytest.approx(np.mean(others) + 1 if others else 1.0, abs=1e-9)
        assert 0 <= value <= 2.0000001


def test_solutions_are_drawn_by_summed_relevance_over_their_uses_and_none_twice():
    sampler = ExampleSampler(TRACES)
    drawn = [sampler.draw(["load", "join"], 1, number)[0] for number in range(4000)]
    assert Counter(one.solution for one in drawn)["one"] / 4000 == pytest.approx(0.75, abs=0.03)
    both = sampler.draw(["load", "join"], 5, 0)
    assert {one.solution: (one.steps, one.skills) for one in both} == {
        "one": ((0, 3), ("join", "load")),
        "two": ((1,), ("join",)),
    }
    for _ in range(8):
        sampler.accept(sampler.draw(["load"], 1, 0))
    again = Counter(sampler.draw(["load", "join"], 1, number)[0].solution for number in range(4000))
    assert again["one"] / 4000 == pytest.approx((3 / 9) / (3 / 9 + 1), abs=0.03)


def test_measured_relevance_tells_steps_that_stand_for_a_skill_from_those_that_do_not():
    vectors = {("one", 0): [1.0, 0.0], ("one", 3): [0.0, 1.0], ("two", 1): [0.0, 1.0], ("three", 0): [1.0, 1.0]}
    found = measured(TRACES, lambda steps: np.array([vectors[step] for step in steps]))
    assert found == pytest.approx(
        {
            ("one", 0, "load"): 1.0,
            ("one", 3, "load"): 1.0,
            ("one", 3, "join"): 2.0,
            ("two", 1, "join"): 2.0,
            ("three", 0, "plot"): 1.0,
        }
    )
    none = ExampleSampler(TRACES, {("two", 1, "join"): 1.0}).draw(["load", "join", "unknown"], 5, 0)
    assert [one.solution for one in none] == ["two"]
    assert ExampleSampler(TRACES).draw([], 5, 0) == ()
