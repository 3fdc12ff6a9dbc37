"""Whatever the columns of a file are called, generated programs read it right and run."""

import contextlib
import csv
import io
import random
import re

import pandas as pd
import pytest
from tests.generation.templates.conftest import AnySkill, material_of

from benchwright.generation.static_checks import refused
from benchwright.generation.templates import TemplateWriter
from benchwright.generation.templates.tables import sources_of
from benchwright.generation.workflow import Wanted

ODD = {
    "a newline": "two\nlines",
    "a carriage return and newline": "two\r\nlines",
    "newlines and quotes": 'first\n"second"\n\nthird, fourth',
    "quotes": 'say "hi"',
    "an apostrophe": "it's",
    "a backslash": "back\\slash",
    "a tab": "tab\there",
    "letters beyond ASCII": "größe ✓ 高さ",
    "braces": "{x}{{",
    "300 letters": "a" * 300,
    "nothing": "",
    "a name that stands twice": "size",
    "a name that a reader would give": "size.1",
}


def written(folder, odd, place, above=""):
    """Kinds, sizes and weights of 120 things, with an odd column somewhere; below a title or not."""
    drawn = random.Random(odd)
    names = ["kind", "size", "weight"]
    names.insert(place, odd)
    rows = [
        [drawn.choice(("red ant", "blue bee", "green fly")) if name == "kind" else round(drawn.gauss(20, 5), 2) for name in names]
        for _ in range(120)
    ]  # fmt: skip
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([names, *rows])
    folder.mkdir()
    (folder / "garden_things.csv").write_text(above + text.getvalue(), encoding="utf-8", newline="")
    (folder / "note.txt").write_text("Nothing is to be learned from this.\n")
    return names, rows


def here(code, folder):
    """A program of the sandbox, run here on data that the test made."""
    return code.replace("/data/", f"{folder}/")


@pytest.mark.parametrize("above", ["", "Things of a garden\n\n"])
@pytest.mark.parametrize("place", [1, 3])
@pytest.mark.parametrize("odd", ODD.values(), ids=ODD)
def test_a_table_with_an_odd_name_is_read_whole(tmp_path, odd, place, above):
    folder = tmp_path / "garden"
    if above and len(odd) > 200:
        pytest.skip("profiles cut the name, so that its lines are not known; see below")
    names, rows = written(folder, odd, place, above)
    [source] = sources_of(material_of(folder, "garden", None))
    read = eval(here(source.reader, folder), {"pd": pd})
    assert read.shape == (len(rows), len(names))
    for name in ("kind", "weight"):
        assert list(read[name]) == [row[names.index(name)] for row in rows]
    assert list(read.iloc[:, place]) == [row[place] for row in rows]


@pytest.mark.parametrize("odd", ["two\nlines", 'say "hi"', "back\\slash", "größe ✓", "", "size"])
def test_programs_over_a_table_with_an_odd_name_run(tmp_path, monkeypatch, odd):
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "garden"
    written(folder, odd, 1)
    material = material_of(folder, "garden", None)
    drafts = list(TemplateWriter().drafts(material, Wanted(AnySkill(), 3, 0)))
    assert drafts
    for draft in drafts:
        assert refused(draft, material, AnySkill()) is None
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            exec(here(draft.workflow.code, folder), {})
        assert said.getvalue() or (tmp_path / "result.csv").exists()


def test_columns_of_one_name_are_not_asked_about(tmp_path):
    for odd in ("size", "Size", " size "):
        folder = tmp_path / f"garden{len(odd)}{odd[0]}"
        written(folder, odd, 1)
        [source] = sources_of(material_of(folder, "garden", None))
        assert [field.name for field in source.fields] == ["kind", "weight"]


def test_a_row_that_ends_with_a_delimiter_shifts_no_column(tmp_path):
    folder = tmp_path / "garden"
    folder.mkdir()
    lines = "".join(f"{'ab'[n % 2]}x,{n * 1.37 % 11:.3f},{n * 0.71 % 7:.3f},\n" for n in range(60))
    (folder / "garden_things.csv").write_text("kind,size,weight\n" + lines)
    [source] = sources_of(material_of(folder, "garden", None))
    read = eval(here(source.reader, folder), {"pd": pd})
    assert set(read["kind"]) == {"ax", "bx"}


def test_a_table_below_a_title_whose_names_are_not_known_whole_is_not_asked_about(tmp_path):
    folder = tmp_path / "garden"
    written(folder, "a" * 300, 1, "Things of a garden\n\n")
    assert not sources_of(material_of(folder, "garden", None))


def test_a_plain_table_is_read_plainly(tmp_path):
    folder = tmp_path / "garden"
    written(folder, "depth", 1)
    [source] = sources_of(material_of(folder, "garden", None))
    assert re.fullmatch(r"pd\.read_csv\('/data/garden_things\.csv'\)", source.reader)
