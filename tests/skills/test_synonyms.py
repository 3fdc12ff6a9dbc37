import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.skills.rounds.synonyms import CLOSENESS, shortest, synonyms
from benchwright.skills.rounds.words import contained, published_words, sound_words, supersets

NAMES = st.lists(
    st.lists(st.sampled_from("load data csv plot chart merge".split()), min_size=1, max_size=4), max_size=9
)


def unit(rows):
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0).astype(np.float32)


@given(st.integers(0, 10_000), st.integers(1, 60), st.integers(2, 4))
def test_synonyms_are_what_dbscan_finds_on_the_whole_matrix(seed, rows, dimensions):
    from sklearn.cluster import DBSCAN

    vectors = unit(np.random.default_rng(seed).standard_normal((rows, dimensions)))
    close = vectors @ vectors.T >= CLOSENESS
    labels = DBSCAN(eps=0.5, min_samples=1, metric="precomputed").fit_predict(1.0 - close)
    expected = {frozenset(np.flatnonzero(labels == label).tolist()) for label in set(labels.tolist())}
    assert set(map(frozenset, synonyms(vectors))) == expected


def test_synonyms_are_found_across_blocks_and_a_chain_is_one_set():
    angles = np.concatenate([np.zeros(1), np.full(1100, np.pi), [0.25, 0.5]])
    vectors = unit(np.column_stack([np.cos(angles), np.sin(angles)]))
    assert synonyms(vectors) == [(0, 1101, 1102), tuple(range(1, 1101))]


def test_names_without_a_vector_are_synonyms_of_nothing():
    assert synonyms(np.zeros((3, 4), dtype=np.float32)) == [(0,), (1,), (2,)]


def test_the_shortest_name_has_the_fewest_words_then_characters_then_comes_first():
    assert shortest(["Data Loading with Pandas", "Loading CSV", "CSV Loading", "Reading of CSV"]) == 2
    assert shortest(["b c", "a/c", "a-b"]) == 2


@given(NAMES)
def test_supersets_are_those_of_all_pairs(names):
    words = [frozenset(name) for name in names]
    found = supersets(words)
    for place, those in enumerate(words):
        assert found.get(place, ()) == tuple(other for other, more in enumerate(words) if those < more)


def test_published_words_lose_symbols_which_sound_words_keep():
    assert published_words("C++ & R² Scores") == {"c", "r", "score"}
    assert sound_words("C++ & R² Scores") == {"c++", "r²", "score"}
    assert published_words("Loading of Data") == {"load", "of", "data"}
    assert sound_words("Loading of Data") == {"load", "data"}
    assert sound_words("and/or") == {"and", "or"}
    assert published_words("???") == {"???"}


def test_the_published_skills_have_no_name_that_says_another_in_fewer_words(shared):
    file = shared / "data/agenticdatabench/step-clusters.jsonl"
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    words = [published_words(row["name"]) for row in rows]
    assert supersets(words) == {}
    assert len(set(words)) == len(rows) == 433
    assert supersets([*words, published_words("Data Loading")])  # the check can fail


def test_162_pairs_of_published_skills_share_nine_tenths_of_their_steps(shared):
    file = shared / "data/agenticdatabench/step-clusters.jsonl"
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    pairs = contained({row["name"]: frozenset(row["cluster"]) for row in rows})
    assert len(pairs) == 162


@pytest.mark.parametrize("share", [0.5, 1.0])
def test_containment_is_the_narrow_skills_share(share):
    pairs = contained({"wide": frozenset("abcdef"), "narrow": frozenset("abxy"), "apart": frozenset("z")}, share)
    assert pairs == ([("narrow", "wide", 0.5)] if share == 0.5 else [])
