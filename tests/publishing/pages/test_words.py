import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.publishing.numbers import number, seconds, size, usd
from benchwright.publishing.pages.environment import environment
from benchwright.publishing.pages.words import clean, excerpt, line

ACTING = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain\ttext\nof two lines", "plain\ttext\nof two lines"),
        ("\x1b[1;31mred\x1b[0m", "red"),
        ("\x1b]0;a title\x07after", "after"),
        ("\x1b]8;;https://example.org\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("half \x1b[", "half ⟨U+001B⟩["),
        ("nul\x00bell\x07", "nul⟨U+0000⟩bell⟨U+0007⟩"),
        ("delete\x7f", "delete⟨U+007F⟩"),
        ("pass\u202egnp.exe", "pass⟨U+202E⟩gnp.exe"),
        ("half a character \ud800", "half a character ⟨U+D800⟩"),
        ("windows\r\nlines", "windows\nlines"),
        ("over\rwritten", "over⟨U+000D⟩written"),
    ],
)
def test_what_acts_on_a_screen_is_gone_or_can_be_seen(text, shown):
    assert clean(text) == shown


@given(st.text(st.characters(), max_size=200))
def test_no_text_keeps_what_acts_on_a_screen(text):
    assert not ACTING.search(clean(text))


def test_a_long_text_is_cut_in_its_middle_and_says_how_much_is_left_out():
    shown = excerpt("a" * 900 + "b" * 100, 400)
    assert (shown.head, shown.tail, shown.left_out) == ("a" * 300, "b" * 100, 600)
    assert excerpt("short", 400).left_out == 0


def test_a_text_as_one_line():
    assert line("two\n lines") == "two lines"
    assert line("x" * 30, 10) == "x" * 9 + "…"


def test_sizes_are_written_for_people():
    assert [size(999), size(1_500_000), size(5e12), size(None)] == ["999 bytes", "1.5 MB", "5,000 GB", "–"]
    assert [size(999.7e3), number(999.7), number(123.4), seconds(3599.6), seconds(59.97), seconds(4.25)] == [
        "1 MB",
        "1,000",
        "123",
        "1 h 00 min",
        "1 min 00 s",
        "4.25 s",
    ]


def test_every_text_in_a_page_is_cleaned_and_what_templates_make_is_left_alone():
    page = environment().from_string("{% set made %}<b>{{ text }}</b>{% endset %}{{ made }}{{ text }}")
    assert page.render(text="<\x1b[31m\u202e") == "<b>&lt;⟨U+202E⟩</b>&lt;⟨U+202E⟩"


def test_values_are_escaped_and_a_missing_name_is_an_error():
    import jinja2

    rendered = environment().from_string("{{ text }}").render(text="<script>alert(1)</script>")
    assert rendered == "&lt;script&gt;alert(1)&lt;/script&gt;"
    with pytest.raises(jinja2.UndefinedError, match="'txet' is undefined"):
        environment().from_string("{{ txet }}").render(text="")


@pytest.mark.parametrize(
    ("value", "told"),
    [(0, "$0.00"), (0.5, "$0.50"), (0.0123, "$0.0123"), (1e-5, "$0.00001"), (1234.5, "$1,234.50"), (None, "–")],
)
def test_dollars_have_two_digits_or_as_many_as_a_small_sum_needs(value, told):
    assert usd(value) == told
