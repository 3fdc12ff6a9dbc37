"""What a reader of the repository relies on: links lead somewhere, figures have their scripts, locks hold what is asked."""

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([ROOT / "README.md", ROOT / "CHANGELOG.md", *ROOT.glob("docs/*.md"), *ROOT.glob("examples/*.md")])
LINK = re.compile(r"\]\(([^()\s]+)\)")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
SCRIPT = re.compile(r"\b(?:benchmarks|scripts|examples)/[\w./-]*\w")


def links(page):
    return [link for link in LINK.findall(page.read_text()) if "://" not in link]


def anchors(page):
    return {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in HEADING.findall(page.read_text())}


def broken(page):
    """The links of a page that lead nowhere."""
    found = []
    for link in links(page):
        name, _, anchor = link.partition("#")
        target = (page.parent / name).resolve() if name else page
        if not target.exists() or (anchor and anchor not in anchors(target)):
            found.append(link)
    return found


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_leads_somewhere(page):
    assert broken(page) == []


def test_a_link_that_leads_nowhere_is_seen(tmp_path):
    (tmp_path / "there.md").write_text("# One thing\n")
    page = tmp_path / "page.md"
    page.write_text("[a](there.md) [b](there.md#one-thing) [c](there.md#another) [d](gone.md) [e](https://example.org)")
    assert broken(page) == ["there.md#another", "gone.md"]


def test_every_page_can_be_reached_from_the_readme():
    reached, todo = set(), [ROOT / "README.md"]
    while todo:
        page = todo.pop()
        if page not in reached and page.suffix == ".md":
            reached.add(page)
            todo += [(page.parent / link.partition("#")[0]).resolve() for link in links(page)]
    assert [str(page.relative_to(ROOT)) for page in PAGES if page not in reached] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_script_and_example_that_a_page_names_is_there(page):
    assert [name for name in SCRIPT.findall(page.read_text()) if not (ROOT / name).exists()] == []


def tracked():
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return [ROOT / name for name in listed.split("\0") if name and (ROOT / name).is_file()]


def quoted_too_often(texts, published, most):
    """The files that hold more than `most` of some published texts."""
    return [str(path) for path, text in texts.items() if sum(each in text for each in published) > most]


def test_no_published_list_question_or_gold_is_copied_into_the_repository(shared):
    published = shared / "data" / "agenticdatabench"
    if not published.is_dir():
        pytest.skip("needs the published tasks")
    names, questions = (
        [json.loads(line)[key] for line in (published / file).read_text().splitlines()]
        for file, key in (("step-clusters.jsonl", "name"), ("tasks.jsonl", "question"))
    )
    files = {path: path.read_bytes() for path in tracked() if "locks" not in path.parts}
    texts = {path: data.decode("utf-8", "replace") for path, data in files.items()}
    assert quoted_too_often(texts, [name for name in names if len(name) > 12], 20) == []
    assert quoted_too_often(texts, [question[:80] for question in questions], 0) == []
    golds = {path.read_bytes() for path in (published / "gold").rglob("*.*") if path.stat().st_size > 200}
    assert [str(path) for path, data in files.items() if data in golds] == []


def test_a_list_that_was_copied_would_be_seen():
    texts = {Path("own"): "one of them: first", Path("copied"): "first second third"}
    assert quoted_too_often(texts, ["first", "second", "third"], 1) == ["copied"]


def test_the_floors_that_the_architecture_page_shows_are_those_that_are_checked():
    page = (ROOT / "docs" / "architecture.md").read_text()
    shown = [
        re.split(r" {2,}", line)[0] for line in page.partition("## Floors")[2].split("```")[1].strip().splitlines()
    ]
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    (layers,) = [contract["layers"] for contract in contracts if contract["type"] == "layers"]
    assert shown == [re.sub("[()]", "", layer) for layer in layers]


def test_each_wish_stands_once_on_the_architecture_page_and_the_places_that_it_names_are_there():
    page = (ROOT / "docs" / "architecture.md").read_text()
    rows = [line.strip("| ").split(" | ", 1) for line in page.splitlines() if line.startswith("| ") and "`" in line]
    wishes = [wish for wish, _ in rows]
    assert len(wishes) > 50
    assert sorted(set(wishes)) == sorted(wishes)
    assert [place for _, places in rows for place in re.findall(r"`([\w./-]+)`", places) if not _is_a_room(place)] == []
    assert not _is_a_room("generation/nowhere.py")


def _is_a_room(place):
    """Whether a place that the page names is in the house, or beside it; the second of a pair may leave out its folder."""
    source = ROOT / "src" / "benchwright"
    return (source / place).exists() or (ROOT / place).exists() or any(source.rglob(place.rstrip("/")))


def test_every_benchmark_is_named_on_a_page():
    text = "".join(page.read_text() for page in PAGES)
    assert [path.name for path in ROOT.glob("benchmarks/[!_]*.py") if f"benchmarks/{path.name}" not in text] == []


def pinned(lock):
    lines = [line for line in (ROOT / "locks" / lock).read_text().splitlines() if re.match(r"[a-z0-9]", line)]
    found = {}
    for line in lines:
        requirement = Requirement(line.rstrip("\\ "))
        found.setdefault(canonicalize_name(requirement.name), []).append(str(requirement.specifier).removeprefix("=="))
    return found


@pytest.mark.parametrize(("lock", "extras"), [("run.lock", ["lake", "plots"]), ("dev.lock", None)])
def test_the_locks_hold_what_the_project_asks_for(lock, extras):
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    optional = project["optional-dependencies"]
    asked = project["dependencies"] + [text for extra in extras or optional for text in optional[extra]]
    versions = pinned(lock)
    wrong = [
        text
        for text in asked
        for requirement in [Requirement(text)]
        if not any(
            requirement.specifier.contains(each) for each in versions.get(canonicalize_name(requirement.name), [])
        )
    ]
    assert wrong == []


@pytest.mark.parametrize("lock", sorted(path.name for path in ROOT.glob("locks/*.lock")))
def test_every_pin_has_its_hash_and_no_lock_names_an_index_or_a_folder(lock):
    text = (ROOT / "locks" / lock).read_text()
    assert "://" not in text
    assert "index" not in re.sub(r"#.*", "", text)
    assert re.findall(r"# +via -r .*/.*", text) == []
    entries = re.findall(r"^[a-z0-9][^\n]*\n(?:    [^\n]*\n)*", text, re.MULTILINE)
    assert entries
    assert all("--hash=sha256:" in entry for entry in entries)


def test_the_check_of_generated_pages_refuses_a_stale_one_and_leaves_it_as_it_is(tmp_path):
    """A page that the check itself would mend is never found stale."""
    (line,) = [line for line in (ROOT / "Makefile").read_text().splitlines() if "cog" in line and "--check" in line]
    options = [word for word in line.split() if word.startswith("-")]
    page = tmp_path / "page.md"
    for text, passes in (("new", True), ("old", False)):
        page.write_text(f"<!-- [[[cog cog.outl('new') ]]] -->\n{text}\n<!-- [[[end]]] -->\n")
        before = page.read_bytes()
        done = subprocess.run([sys.executable, "-m", "cogapp", *options, page], capture_output=True, check=False)
        assert (done.returncode == 0) == passes
        assert page.read_bytes() == before
