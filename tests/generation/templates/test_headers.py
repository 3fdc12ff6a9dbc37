"""Whatever the columns of a file are called, generated programs read it right and run."""

import contextlib
import csv
import io
import itertools
import json
import random
from datetime import datetime

import openpyxl
import pandas as pd
import pytest
from tests.generation.templates.conftest import AnySkill

from benchwright.generation.static_checks import refused
from benchwright.generation.templates import TemplateWriter
from benchwright.generation.templates.tables import sources_of
from benchwright.generation.workflow import Material, Wanted
from benchwright.profiles.folders import Looking, profile_paths

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


PLACES = (1, 3)
ABOVE = {"": "", " below a title": "Things of a garden\n\n"}
CASES = [(told, place, above) for told in ODD for place in PLACES for above in ABOVE]


def write(path, odd, place, above=""):
    """Kinds, sizes and weights of 120 things, with an odd column somewhere; below a title or not."""
    drawn = random.Random(f"{path.name} {odd}")
    names = ["kind", "size", "weight"]
    names.insert(place, odd)
    rows = [
        [
            drawn.choice(("red ant", "blue bee", "green fly")) if name == "kind" else round(drawn.gauss(20, 5), 2)
            for name in names
        ]
        for _ in range(120)
    ]
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([names, *rows])
    path.parent.mkdir(exist_ok=True)
    path.write_text(above + text.getvalue(), encoding="utf-8", newline="")
    (path.parent / "note.txt").write_text("Nothing is to be learned from this.\n")
    return names, rows


def here(code, folder):
    """A program of the sandbox, run here on data that the test made."""
    return code.replace("/data/", f"{folder}/")


@pytest.fixture(scope="module")
def odd_tables(tmp_path_factory):
    """A folder of all cases, profiled once: names and rows of each file, and its source where it has one."""
    folder = tmp_path_factory.mktemp("odd") / "garden"
    letters = ["".join(pair) for pair in itertools.product("bcdfghklmn", "aeiou")]
    codes = map("".join, itertools.product(letters, repeat=2))
    paths = {case: folder / f"things {code}.csv" for case, code in zip(CASES, codes, strict=False)}
    made = {case: write(path, ODD[case[0]], case[1], ABOVE[case[2]]) for case, path in paths.items()}
    profiles = tuple(profile_paths([folder], Looking(cache=None)))
    found = {source.path: source for source in sources_of(Material("garden", folder, profiles))}
    return folder, {case: (*made[case], found.get(path.name)) for case, path in paths.items()}


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case[0]}, {case[1]}{case[2]}")
def test_a_table_with_an_odd_name_is_read_whole(odd_tables, case):
    folder, tables = odd_tables
    names, rows, source = tables[case]
    if case[2] and len(ODD[case[0]]) > 200:
        assert source is None, "profiles cut the name: how many lines it takes is not known"
        return
    place = case[1]
    read = eval(here(source.reader, folder), {"pd": pd})
    assert read.shape == (len(rows), len(names))
    for name in ("kind", "weight"):
        assert list(read[name]) == [row[names.index(name)] for row in rows]
    assert list(read.iloc[:, place]) == [row[place] for row in rows]


@pytest.fixture(scope="module")
def garden(tmp_path_factory):
    """One table whose columns have all odd names at once, and a row that ends with a delimiter in another."""
    folder = tmp_path_factory.mktemp("all") / "garden"
    drawn = random.Random(4)
    names = ["kind", "depth", "height", "Height", " height ", *ODD.values()]
    rows = [
        [drawn.choice(("red ant", "blue bee", "green fly")), *(round(drawn.gauss(20, 5), 2) for _ in names[1:])]
        for _ in range(120)
    ]
    folder.mkdir()
    with (folder / "garden_things.csv").open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream, lineterminator="\n").writerows(
            [[*names, "weight"], *[[*row, 7 + k % 50] for k, row in enumerate(rows)]]
        )
    lines = "".join(f"{'ab'[n % 2]}x,{n * 1.37 % 11:.3f},{n * 0.71 % 7:.3f},\n" for n in range(60))
    (folder / "trailing_things.csv").write_text("kind,size,weight\n" + lines)
    (folder / "plain_things.csv").write_text("kind,size,weight\n" + lines.replace(",\n", "\n"))
    (folder / "note.txt").write_text("Nothing is to be learned from this.\n")
    return Material("garden", folder, tuple(profile_paths([folder], Looking(cache=None))))


def test_programs_over_a_table_with_odd_names_run(garden, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    drafts = [
        draft
        for draft in TemplateWriter().drafts(garden, Wanted(AnySkill(), 100, 0))
        if draft.workflow.reads == ("garden_things.csv",)
    ]
    assert len(drafts) >= 6
    for draft in drafts:
        assert refused(draft, garden, AnySkill()) is None
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            exec(here(draft.workflow.code, garden.folder), {})
        assert said.getvalue() or (tmp_path / "result.csv").exists()


def test_columns_of_one_name_and_names_that_are_not_plain_are_not_asked_about(garden):
    by = {source.path: source for source in sources_of(garden)}
    named = {field.name for field in by["garden_things.csv"].fields}
    assert {"kind", "depth", "weight"} <= named
    assert not named & {
        "height",
        "Height",
        " height ",
        *(name for name in ODD.values() if name not in ("size", "size.1", "it's")),
    }


def test_a_row_that_ends_with_a_delimiter_shifts_no_column(garden):
    by = {source.path: source for source in sources_of(garden)}
    read = eval(here(by["trailing_things.csv"].reader, garden.folder), {"pd": pd})
    assert set(read["kind"]) == {"ax", "bx"}


def test_a_plain_table_is_read_plainly(garden):
    by = {source.path: source for source in sources_of(garden)}
    assert by["plain_things.csv"].reader == "pd.read_csv('/data/plain_things.csv')"


SHEETS = {
    "a line break": ["kind", "two\nlines", "size", "weight"],
    "a name that stands twice": ["kind", "size", "size", "weight"],
    "no name": ["kind", None, "size", "weight"],
    "no last name": ["kind", "size", "weight", None],
    "a whole number": ["kind", 2019, "size", "weight"],
    "a number": ["kind", 20.5, "size", "weight"],
    "a day": ["kind", datetime(2020, 1, 2), "size", "weight"],  # noqa: DTZ001 - a day, and no moment
    "a truth value": ["kind", True, "size", "weight"],
    "numbered names": ["kind", "price_1", "price_2", "weight"],
}


@pytest.fixture(scope="module")
def sheets(tmp_path_factory):
    """A folder of workbooks, each with a row of odd names; profiled once."""
    folder, drawn = tmp_path_factory.mktemp("sheets") / "garden", random.Random(2)
    folder.mkdir()
    for told, names in SHEETS.items():
        book = openpyxl.Workbook()
        book.active.append(names)
        for _ in range(60):
            book.active.append([drawn.choice(("red ant", "fly")), *(round(drawn.gauss(9, 2), 2) for _ in names[1:])])
        book.save(folder / f"{told}.xlsx")
    profiles = tuple(profile_paths([folder], Looking(cache=None)))
    return folder, {source.path: source for source in sources_of(Material("garden", folder, profiles))}


@pytest.mark.filterwarnings("ignore:The default engine")
@pytest.mark.parametrize("told", SHEETS)
def test_a_sheet_with_odd_names_is_read_whole(sheets, told):
    folder, sources = sheets
    source, names = sources[f"{told}.xlsx"], SHEETS[told]
    read = eval(here(source.reader, folder), {"pd": pd})
    [rows] = [list(sheet.values) for sheet in openpyxl.load_workbook(folder / f"{told}.xlsx")]
    assert read.shape == (60, 4)
    asked = {field.name for field in source.fields}
    assert asked <= set(read.columns)
    assert asked >= {name for name in names if isinstance(name, str) and names.count(name) == 1 and "\n" not in name}
    for place, name in enumerate(read.columns):
        assert list(read[name]) == [row[place] for row in rows[1:]]
    assert not asked & {"column_2", "column_4", "size_2"}


@pytest.mark.filterwarnings("ignore:The 'convert_dates' keyword")
def test_lines_of_json_keep_numbers_as_names_and_texts_as_texts(tmp_path):
    folder = tmp_path / "garden"
    folder.mkdir()
    lines = [
        {"2018": n % 7 + 0.5, "2019": n % 11, "2020": f"00{n % 9}", "2021": f"2020-01-{n % 28 + 1:02d}"}
        for n in range(40)
    ]
    (folder / "garden_things.jsonl").write_text("\n".join(map(json.dumps, lines)) + "\n")
    [source] = sources_of(Material("garden", folder, tuple(profile_paths([folder], Looking(cache=None)))))
    read = eval(here(source.reader, folder), {"pd": pd})
    assert read.to_dict("records") == lines
