import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from benchwright.skills.extraction.asking import StepForm
from benchwright.skills.naming import in_one_line
from benchwright.skills.rounds.splitting import ParentForm
from benchwright.skills.rounds.words import published_words, sound_words
from benchwright.skills.steps import SkillStep


def forms(name):
    return [lambda: StepForm(skill=name, detail="d"), lambda: ParentForm(name=name, members=(1,))]


@pytest.mark.parametrize(
    "name", ["   ", "\x1c\x1c\x1c", "\u200b\u200b\u200b", "---", "& / _", "a", " a ", "\u2028\u2028x", ""]
)
def test_a_name_that_says_nothing_is_no_name(name):
    for made in forms(name):
        with pytest.raises(ValidationError, match=r"without a letter or digit|at least \d character"):
            made()


@pytest.mark.parametrize(
    ("given_name", "name"),
    [
        ("  Loading\tdata ", "Loading data"),
        ("Loading\ndata", "Loading data"),
        ("Load\u202eing \x1b[31mdata", "Loading [31mdata"),
        ("名称変更", "名称変更"),
        ("C++", "C++"),
    ],
)
def test_a_name_is_one_line_of_what_is_seen(given_name, name):
    assert StepForm(skill=given_name, detail="d").skill == name
    assert ParentForm(name=given_name, members=(1,)).name == name


@given(st.text(max_size=20))
def test_whatever_a_model_calls_a_skill_is_refused_or_can_be_kept_and_has_words(name):
    try:
        found = StepForm(skill=name, detail="d").skill
    except ValidationError:
        return
    assert SkillStep(solution_id="1-1", index=0, skill=found).skill == found == in_one_line(found)
    assert published_words(found)
    assert sound_words(found)


@given(st.text(max_size=12), st.text(max_size=12))
def test_names_that_differ_in_case_alone_have_the_same_words(first, second):
    for name in (first, second):
        assert sound_words(name) == sound_words(name.casefold()) == sound_words(name.upper().casefold())
