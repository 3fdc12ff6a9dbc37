from importlib.util import find_spec

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright.errors import InputError
from benchwright.skills.clustering import MixtureClustering, clustering_named
from benchwright.skills.clustering.capping import capped
from benchwright.skills.clustering.neighbours import nearest, reachability_tree


def planted(rows, concepts, dimensions=48, noise=0.5, seed=0):
    """Unit vectors around as many random directions, and the direction of each."""
    draw = np.random.default_rng(seed)
    centres = draw.standard_normal((concepts, dimensions))
    centres /= np.linalg.norm(centres, axis=1, keepdims=True)
    concept = np.arange(rows) % concepts
    vectors = centres[concept] + noise * draw.standard_normal((rows, dimensions)) / np.sqrt(dimensions)
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32), concept


def owners(rows):
    return [f"s{row}" for row in range(rows)]


def test_the_fast_clustering_finds_the_planted_concepts_the_same_way_three_times():
    from sklearn.metrics import adjusted_rand_score

    vectors, concept = planted(500, 20)
    runs = [clustering_named("fast").cluster(vectors, owners(500)) for _ in range(3)]
    assert adjusted_rand_score(concept, runs[0].hard) >= 0.95
    assert runs[0] == runs[1] == runs[2]


def test_the_fast_clustering_does_not_depend_on_the_order_of_the_rows():
    vectors, _ = planted(400, 12)
    order = np.random.default_rng(3).permutation(400)
    straight = clustering_named("fast").cluster(vectors, owners(400)).groups
    mixed = clustering_named("fast").cluster(vectors[order], [f"s{row}" for row in order]).groups
    assert {frozenset(order[list(group)].tolist()) for group in mixed} == set(map(frozenset, straight))


@pytest.mark.parametrize("rows", [1, 2, 3, 7, 8, 9, 20])
@pytest.mark.parametrize("equal", [False, True])
def test_every_row_is_in_one_group_of_the_fast_clustering_however_few_or_equal_they_are(rows, equal):
    vectors, _ = planted(rows, 1 if equal else rows, noise=0.0 if equal else 0.5)
    found = clustering_named("fast", cap=4).cluster(vectors, owners(rows))
    assert sorted(place for group in found.groups for place in group) == list(range(rows))
    assert all(len(group) <= 4 for group in found.groups)
    assert len(found.hard) == rows


def test_rows_without_a_vector_are_clustered_like_any_other():
    found = clustering_named("fast").cluster(np.zeros((12, 5), dtype=np.float32), owners(12))
    assert sorted(place for group in found.groups for place in group) == list(range(12))


@given(st.integers(1, 60), st.integers(2, 9), st.integers(1, 12), st.integers(0, 3))
@settings(max_examples=40)
def test_capped_groups_hold_every_member_once_and_no_more_owners_than_the_cap(rows, cap, people, seed):
    vectors, _ = planted(rows, max(1, rows // 5), dimensions=6, seed=seed)
    whose = [f"p{row % people}" for row in range(rows)]
    groups = capped(vectors, range(rows), whose, cap)
    assert sorted(place for group in groups for place in group) == list(range(rows))
    assert all(len({whose[place] for place in group}) <= cap for group in groups)


def test_neighbours_are_those_of_the_whole_matrix():
    vectors, _ = planted(1500, 40, dimensions=8)
    near = nearest(vectors, 5)
    far = 1 - vectors @ vectors.T
    np.fill_diagonal(far, np.inf)
    assert np.allclose(np.sort(far, axis=1)[:, :5], near.distances, atol=1e-5)
    assert (near.places != np.arange(1500)[:, None]).all()


def test_the_tree_spans_all_rows_and_bridges_are_longer_than_every_edge_within_a_part():
    vectors, concept = planted(300, 6, noise=0.1)
    tree = reachability_tree(vectors, nearest(vectors, 10), 4)
    assert len(tree) == 299
    across = concept[tree[:, 0].astype(int)] != concept[tree[:, 1].astype(int)]
    assert across.sum() == 5
    assert tree[across, 2].min() > tree[~across, 2].max()


@pytest.mark.skipif(find_spec("umap") is None, reason="needs UMAP: the extra `skills`")
def test_the_paper_method_as_it_is_finds_planted_concepts_and_the_same_again():
    """Whichever test uses UMAP first waits for it to compile itself (15 s); many rows are in benchmarks/."""
    vectors, concept = planted(60, 3, dimensions=16, noise=0.3)
    method = clustering_named("paper", cap=25, seed=7)
    found = method.cluster(vectors, owners(60))
    assert {place for group in found.groups for place in group} == set(range(60))
    assert all(len(group) <= 25 for group in found.groups)
    assert all(len(set(concept[list(group)])) == 1 for group in found.groups)
    assert found == clustering_named("paper", cap=25, seed=7).cluster(vectors, owners(60))


@pytest.mark.skipif(find_spec("umap") is None, reason="needs UMAP: the extra `skills`")
@pytest.mark.parametrize("rows", [1, 2, 4, 5, 7, 13])
def test_the_paper_method_takes_few_rows_and_equal_ones(rows):
    for vectors in (planted(rows, 2, dimensions=8)[0], np.ones((rows, 8), dtype=np.float32) / np.sqrt(8)):
        found = clustering_named("paper", cap=3).cluster(vectors.astype(np.float32), owners(rows))
        assert {place for group in found.groups for place in group} == set(range(rows))
        assert all(len(group) <= 3 for group in found.groups)


def unreduced(vectors, seed):
    """What needs no UMAP: it takes a quarter of a minute to compile itself."""
    return vectors.astype(np.float64)


def test_the_paper_method_is_seeded_capped_and_soft():
    draw = np.random.default_rng(1)
    clouds = np.vstack([draw.normal(-1.2, 1, (40, 2)), draw.normal(1.2, 1, (40, 2))]).astype(np.float32)
    method = MixtureClustering(cap=25, seed=7, reduction=unreduced)
    found = method.cluster(clouds, owners(80))
    assert found == method.cluster(clouds, owners(80))
    assert {place for group in found.groups for place in group} == set(range(80))
    assert all(len(group) <= 25 for group in found.groups)
    assert found.memberships > 80


def test_overlaps_of_overlaps_come_to_an_end():
    class Blurred(MixtureClustering):
        def _posteriors(self, vectors):
            return np.full((len(vectors), 3), 1 / 3) * np.where(
                np.arange(3) == np.arange(len(vectors))[:, None] % 3, 0, 1.5
            )

    found = Blurred(cap=2).cluster(np.zeros((60, 2), dtype=np.float32), owners(60))
    assert {place for group in found.groups for place in group} == set(range(60))
    assert all(len(group) <= 2 for group in found.groups)
    assert found.memberships <= 3 * 60


def test_a_row_between_two_components_is_in_both_and_at_the_published_threshold_in_one():
    from benchwright.skills.clustering.mixture import _components

    posteriors = np.array([[0.95, 0.05], [0.55, 0.45], [0.02, 0.98], [0.5, 0.5]])
    assert _components(np.arange(4), posteriors, 0.1) == [(0, 1, 3), (1, 2, 3)]
    assert _components(np.arange(4), posteriors, 0.51) == [(0, 1, 3), (2,)]


def test_an_unknown_method_and_a_cap_of_one_are_refused():
    with pytest.raises(InputError, match="no such clustering"):
        clustering_named("kmeans")
    with pytest.raises(InputError, match="the cap of a cluster"):
        clustering_named("fast", cap=1)
