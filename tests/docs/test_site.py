"""The documentation site: built strictly, every page in it, nothing loaded from elsewhere."""

import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted(path.stem for path in (ROOT / "docs").glob("*.md"))


def build(folder, config=ROOT / "mkdocs.yml"):
    """Not quietly: then mkdocs counts no warnings, and strict lets all of them pass."""
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "-f", str(config), "-d", str(folder)]
    return subprocess.run(
        command, env={**os.environ, "NO_MKDOCS_2_WARNING": "1"}, capture_output=True, text=True, check=False
    )


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    pytest.importorskip("mkdocs", reason="needs the extra docs")
    folder = tmp_path_factory.mktemp("site")
    done = build(folder)
    assert done.returncode == 0, done.stderr
    return folder


class Resources(HTMLParser):
    """What a page loads by itself, and the pages that it links to."""

    def __init__(self, text):
        super().__init__()
        self.loaded, self.links = [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        if tag in {"script", "img", "iframe"} and found.get("src"):
            self.loaded.append(found["src"])
        elif tag == "link" and found.get("rel") in {"stylesheet", "preconnect", "icon"}:
            self.loaded.append(found["href"])
        elif tag == "a" and found.get("href"):
            self.links.append(found["href"])


def test_every_page_is_in_the_site_and_can_be_reached_from_the_first(site):
    assert {path.stem for path in site.glob("*.html")} >= set(PAGES)
    linked = {link.partition("#")[0] for link in Resources((site / "index.html").read_text()).links}
    assert {f"{page}.html" for page in PAGES if page != "index"} <= linked


def test_pages_load_nothing_from_elsewhere_and_links_between_them_lead_somewhere(site):
    for page in sorted(set(site.glob("*.html")) - {site / "404.html"}):  # which is found at any depth
        found = Resources(page.read_text())
        assert not [place for place in found.loaded if re.match(r"(https?:)?//", place)], page.name
        inside = [link.partition("#")[0] for link in found.links if not re.match(r"(https?:|mailto:|#)", link)]
        assert not [link for link in inside if link and not (page.parent / link).exists()], page.name


def test_the_reference_is_generated_from_the_code(site):
    text = re.sub(r"<[^>]+>", "", (site / "api.html").read_text())
    for words in ("score_predictions", "Verdicts over every task of the selection", "What an attempt handed in"):
        assert words in text


def test_a_link_that_leads_nowhere_fails_the_build(tmp_path):
    pytest.importorskip("mkdocs", reason="needs the extra docs")
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "index.md").write_text("# A\n\n[there](gone.md)\n")
    (tmp_path / "mkdocs.yml").write_text("site_name: x\nstrict: true\n")
    done = build(tmp_path / "site", tmp_path / "mkdocs.yml")
    assert done.returncode != 0
    assert "gone.md" in done.stderr


def test_the_figures_of_the_explanation_are_those_that_were_measured():
    rows = re.compile(r"^\| (\w[\w-]*) \| (.+)$", re.MULTILINE)
    measured = (
        (ROOT / "docs" / "scoring-answers.md").read_text().partition("<!-- table: reference against sound -->")[2]
    )
    known = {name: cells.split(" | ", 1)[1] for name, cells in rows.findall(measured)}
    chosen = (
        (ROOT / "docs" / "reference-and-sound.md")
        .read_text()
        .partition("<!-- table: chosen")[2]
        .partition("<!-- end")[0]
    )
    shown = dict(rows.findall(chosen))
    assert len(shown) >= 8
    assert {name: known[name] for name in shown} == shown
