"""The report as a page: whole, closed to the outside, and harmless whatever models and data say."""

import html
import re
from html.parser import HTMLParser

import pytest


class Page(HTMLParser):
    """Tags with their attributes, and the text outside of scripts and styles."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.text, self.scripts, self._inside = [], [], [], None
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        self._inside = tag if tag in ("script", "style") else self._inside

    def handle_endtag(self, tag):
        self._inside = None if tag == self._inside else self._inside

    def handle_data(self, data):
        if self._inside == "script":
            self.scripts.append(data)
        elif self._inside is None:
            self.text.append(data)


@pytest.fixture(scope="module")
def text(run, asked, tmp_path_factory):
    out = tmp_path_factory.mktemp("report") / "report.html"
    asked("report", run.path, "--out", out)
    return out.read_text()


@pytest.fixture(scope="module")
def page(text):
    return Page(text)


def test_a_report_says_first_who_is_best_and_whether_that_is_more_than_noise(page):
    words = " ".join(" ".join(page.text).split())
    assert words.index("reaches the highest sound mean") < words.index("the paired test tells it apart")


def test_nothing_of_models_and_data_becomes_a_tag(page, text):
    assert "<script>alert" not in text
    assert len(page.scripts) == 1
    assert "alert(1)" not in page.scripts[0]
    assert any("<script>alert(1)</script>" in part for part in page.text)


def test_the_check_of_scripts_sees_one_that_came_through(text):
    assert len(Page(html.unescape(text)).scripts) > 1


def test_nothing_is_loaded_from_anywhere(page):
    sources = [
        value for _, attrs in page.tags for name, value in attrs.items() if name in ("src", "href", "xlink:href")
    ]
    assert all(value.startswith(("#", "data:")) for value in sources)
    (policy,) = [attrs["content"] for tag, attrs in page.tags if attrs.get("http-equiv") == "Content-Security-Policy"]
    assert policy.startswith("default-src 'none'")
    assert "unsafe" not in policy


def test_nothing_on_the_page_needs_what_the_policy_forbids(page):
    assert [attrs for _, attrs in page.tags if "style" in attrs or any(name.startswith("on") for name in attrs)] == []


def test_the_plot_is_in_the_page_and_takes_its_colours_from_it(text):
    plot = re.search(r"<svg.*?</svg>", text, re.DOTALL).group()
    assert "var(--text)" in plot
    assert "xmlns" not in plot
