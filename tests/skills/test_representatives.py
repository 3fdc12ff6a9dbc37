import numpy as np

from benchwright.skills.rounds.representatives import representatives


def test_steps_that_stand_for_a_skill_are_its_most_typical_and_say_different_things():
    texts = {"a-0": "load", "b-0": "load", "c-0": "load", "d-0": "load once more", "e-0": "draw"}
    angles = np.array([0.0, 0.0, 0.0, 0.2, 1.5])
    vectors = np.column_stack([np.cos(angles), np.sin(angles)]).astype(np.float32)
    places = {step: place for place, step in enumerate(texts)}
    found = representatives({"s": frozenset(texts), "none": frozenset({"e-0"})}, texts, places, vectors, 2)
    assert found == {"s": ("d-0", "a-0"), "none": ("e-0",)}
    assert representatives({"s": frozenset(texts)}, texts, places, vectors)["s"] == ("d-0", "a-0", "e-0")
