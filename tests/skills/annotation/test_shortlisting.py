import asyncio
import json
from importlib.util import find_spec

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.skills.annotation.test_annotating import SKILLS, command, good, suite

from benchwright.chat.scripted import ScriptedChat, register
from benchwright.errors import InputError
from benchwright.skills.annotation import Request, Shortlist, annotate
from benchwright.skills.annotation.asking import Case
from benchwright.skills.annotation.ranking import Companions, Words, fused, ranks
from benchwright.skills.annotation.shortlisting import audited, nearest, parts_of
from benchwright.skills.nodes import Hierarchy, SkillNode, by_id, write_hierarchy

__all__ = ["suite"]  # a fixture


class WordEmbedder:
    """A vector counts the words that skills are known by; `blind` ones it does not see."""

    def __init__(self, *blind):
        self.name = f"words without {blind}"
        self.words = [node.name.removeprefix("Doing ") for node in SKILLS]
        self.blind = blind

    async def embed(self, texts):
        return [[float(word in text and word not in self.blind) for word in self.words] for text in texts]


def run(suite, out, **more):
    return asyncio.run(annotate(ScriptedChat(good), Request(suite, SKILLS, tuple(suite.tasks), 3, **more), out))


def test_only_the_nearest_skills_are_asked_about_and_what_is_used_is_found(tmp_path, suite):
    short = run(suite, tmp_path / "short", shortlist=Shortlist(WordEmbedder(), 3, audit=0))
    whole = run(suite, tmp_path / "whole")
    assert [each.skills for each in short.annotations] == [each.skills for each in whole.annotations]
    assert [each.judged for each in short.annotations[:3]] == [3, 3, 3]
    assert (short.spent.calls, whole.spent.calls) == (3 + 2, 9 + 2)
    assert "audited" not in short.counts


def test_audited_tasks_tell_which_skills_their_shortlist_would_have_lost(tmp_path, suite):
    short = Shortlist(WordEmbedder("load"), 1, audit=1)
    made = run(suite, tmp_path / "out", shortlist=short)
    assert [each.left_out for each in made.annotations[:3]] == [("Doing load",), ("Doing fit", "Doing load"), ()]
    assert made.annotations[0].skills == ("Doing load", "Doing plot")
    assert made.counts["audited"] == 3
    assert (made.counts["audited_uses"], made.counts["audited_left_out"]) == (5, 3)


def test_a_shortlist_that_is_not_audited_loses_what_it_does_not_hold(tmp_path, suite):
    made = run(suite, tmp_path / "out", shortlist=Shortlist(WordEmbedder("load"), 1, audit=0))
    assert made.annotations[0].skills == ("Doing plot",)


def test_what_the_embedder_does_not_see_is_found_by_its_words(tmp_path, suite):
    short = Shortlist(WordEmbedder("load", "plot", "fit"), 3, audit=0)
    made = run(suite, tmp_path / "out", shortlist=short)
    assert [each.skills for each in made.annotations[:2]] == [
        ("Doing load", "Doing plot"),
        ("Doing fit", "Doing plot", "Doing load"),
    ]


def test_a_shortlist_of_all_skills_is_none(tmp_path, suite):
    made = run(suite, tmp_path / "out", shortlist=Shortlist(WordEmbedder(), len(SKILLS), audit=1))
    assert "audited" not in made.counts
    assert not (tmp_path / "out" / "vectors.sqlite").exists()


@pytest.mark.parametrize(("size", "audit"), [(0, 0.1), (5, -0.1), (5, 1.5)])
def test_a_shortlist_of_nothing_or_an_odd_share_is_refused(size, audit):
    with pytest.raises(InputError, match="a shortlist"):
        Shortlist(WordEmbedder(), size, audit)


@given(st.lists(st.text(max_size=5), unique=True, max_size=30), st.sampled_from((0.0, 0.05, 0.3, 1.0)))
def test_the_audited_tasks_are_a_share_of_all_whatever_their_order(tasks, share):
    found = audited(tasks, share)
    assert found == audited(tasks[::-1], share)
    assert share * len(tasks) <= len(found) < share * len(tasks) + 1


def test_of_equally_near_skills_the_first_are_taken():
    assert nearest([np.zeros(9), np.ones(9)], 3) == {0, 1, 2}
    assert nearest([np.zeros(9), np.arange(9.0)], 3) == {6, 7, 8}


@given(st.lists(st.lists(st.integers(-3, 3), min_size=6, max_size=6), min_size=1, max_size=4))
def test_rankings_are_put_together_by_places_whatever_their_scales(rows):
    rankings = [np.array(row, dtype=float) for row in rows]
    plain = fused(rankings)
    assert (fused([row * 7 + 2 for row in rankings]) == plain).all()
    assert (fused([*rankings, np.full(6, 5.0)]) == plain).all()
    for better in range(6):
        for worse in range(6):
            if all(ranks(row)[better] < ranks(row)[worse] for row in rankings if np.ptp(row)) and plain.any():
                assert plain[better] > plain[worse]


def used(name, *solutions, text=""):
    return SkillNode(id=name, name=name, description=text, steps=tuple(f"{each}-0" for each in solutions))


def test_skills_that_solutions_use_together_come_along():
    """Of Loading's two solutions one plots and both fit; nobody else is near them."""
    skills = [used("Loading", 1, 2), used("Plotting", 1, 3), used("Fitting", 1, 2, 4), used("Sending", 9)]
    near = np.array([1.0, 0, 0, 0])
    along = Companions(skills).closeness(near)
    assert along[2] > along[1] > along[3] == 0
    assert not Companions([used("Loading"), used("Plotting")]).closeness(near[:2]).any()


def test_words_are_compared_by_their_stems_and_rare_ones_count_more():
    skills = [used("Joining tables"), used("Plotting tables"), used("Sorting tables"), used("名称")]
    near = Words(skills).closeness("the joined table")
    assert near[0] > near[1] == near[2] > 0 == near[3]
    assert not Words(skills).closeness("").any()
    assert not Words([used("of"), used("and")]).closeness("of").any()


@given(st.text(), st.text())
def test_any_question_and_solution_has_parts(question, solution):
    parts = parts_of(Case("t", question, solution))
    assert parts
    assert len(parts) <= 2_000


def test_names_in_code_are_taken_apart_into_words():
    parts = parts_of(Case("t", "Which? How many: two.", "pd.read_csv(p)\nparseDates = True\n\nplot()"))
    assert parts == ["Which?", "How many:", "two.", "pd read csv p parse Dates True", "plot"]


@pytest.mark.skipif(find_spec("wordllama") is None, reason="needs the offline embedder: the extra `skills`")
def test_the_command_tells_what_the_offline_shortlist_leaves_out(tmp_path, suite):
    write_hierarchy(tmp_path / "skills", Hierarchy(by_id(SKILLS)))
    register("shortlisting", good)
    words = ["annotate", suite.folder, "--skills", tmp_path / "skills", "--model", "scripted/shortlisting"]
    words += ["--ids", "t1,t2,t3", "--shortlist", 3, "--audit", 0.5]
    done = command(*words, "--out", tmp_path / "out", "--json")
    assert done.exit_code == 0, done.output
    told = json.loads(done.stdout)
    assert (told["done"], told["audited"]) == (3, 2)
    assert told["audited_left_out"] <= told["audited_uses"]
    again = command(*words, "--out", tmp_path / "out")
    assert "audited tasks" in again.stdout
