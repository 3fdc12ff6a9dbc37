from hypothesis import given
from hypothesis import strategies as st

from benchwright.publishing.titles import told_apart


def test_words_that_all_titles_hold_are_left_out_of_each():
    titles = [
        f"{agent} openai/m clean seed=1,temperature={at}" for agent in ("single_code", "multi_code") for at in (0, 1)
    ]
    assert list(told_apart(titles).values()) == [
        "single_code temperature=0",
        "single_code temperature=1",
        "multi_code temperature=0",
        "multi_code temperature=1",
    ]


def test_a_title_alone_and_titles_that_would_be_alike_stay_whole():
    assert told_apart(["react m"]) == {"react m": "react m"}
    assert told_apart(["react m", "react m m"]) == {"react m": "react m", "react m m": "react m m"}


@given(st.lists(st.text(max_size=12), unique=True, max_size=6))
def test_no_two_titles_become_one(titles):
    short = told_apart(titles)
    assert list(short) == titles
    assert len(set(short.values())) == len(titles)
