import csv
import json
import re
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from benchwright.cli import app
from benchwright.errors import InputError
from benchwright.skills.nodes import Hierarchy, SkillNode, by_id, read_hierarchy, write_hierarchy
from benchwright.skills.review import Row, apply, plan, read_sheet, suggestions, write_sheet
from benchwright.skills.review.sheets import _neutral, _plain

pytest.importorskip("openpyxl")
pytest.importorskip("xlsxwriter")


def node(key, name, steps, parents=(), children=(), **more):
    return SkillNode(
        id=key,
        name=name,
        steps=tuple(steps.split()),
        parents=parents,
        children=children,
        top=not parents,
        examples=(f"{name}: for instance",),
        **more,
    )


def hierarchy():
    """Loading stands above two skills of which one is shared with Parsing; Plotting has no children."""
    nodes = [
        node("6-1", "Loading", "1-1-0 1-2-0 2-1-0", children=("2-1", "2-2"), category="Data Format Handling"),
        node("6-12", "Parsing", "1-2-0 3-1-0 3-1-1", children=("2-2", "2-3")),
        node("6-3", "Plotting", "4-1-0 5-1-0 5-1-1"),
        node("6-4", "Charts", "4-1-0 5-1-0"),
        node("2-1", "Reading CSV", "1-1-0 2-1-0", parents=("6-1",)),
        node("2-2", "Reading JSON", "1-2-0", parents=("6-1", "6-12")),
        node("2-3", "Splitting text", "3-1-0 3-1-1", parents=("6-12",)),
    ]
    return Hierarchy(by_id(nodes)).checked()


def row(number, key, action="", into="", **more):
    return Row(number=number, id=key, action=action, into=into, **more)


def after(*rows):
    before = hierarchy()
    decided = plan(before, rows)
    assert not decided.problems
    return apply(before, decided, "sheet").hierarchy


def names(found):
    return [each.name for each in found.tops]


def test_nothing_changes_where_nothing_is_said():
    assert after(row(2, "6-1"), row(3, "6-3", "keep"), row(4, "6-4", " KEEP ")) == hierarchy()


def test_a_skill_gets_another_name_and_category():
    found = after(row(2, "6-1", "rename", "Loading files", category="Data Preprocessing"))
    assert (found.nodes["6-1"].name, found.nodes["6-1"].category) == ("Loading files", "Data Preprocessing")
    assert found.nodes["6-1"].steps == hierarchy().nodes["6-1"].steps


def test_a_merged_skill_hands_over_steps_and_children_and_leaves_its_line():
    found = after(row(2, "6-1", "merge into", "parsing", note="the same"))
    assert names(found) == ["Parsing", "Plotting", "Charts"]
    assert set(found.nodes["6-12"].steps) == {"1-1-0", "1-2-0", "2-1-0", "3-1-0", "3-1-1"}
    assert found.nodes["2-2"].parents == ("6-12",)
    (gone,) = found.lineage
    assert (gone.id, gone.how, gone.into, gone.reason) == ("6-1", "merged", ("6-12",), "the same")
    assert found.unassigned == ()


def test_merges_one_after_the_other_end_in_the_last_whatever_their_order():
    rows = [("6-1", "Parsing"), ("6-12", "Plotting")]
    for order in (rows, rows[::-1]):
        found = after(*(row(n, key, "merge", into) for n, (key, into) in enumerate(order, start=2)))
        assert names(found) == ["Plotting", "Charts"]
        assert len(found.nodes["6-3"].steps) == 8


def test_a_skill_is_merged_into_another_by_the_name_that_this_is_given():
    rows = [row(2, "6-3", "merge", "drawing  Charts"), row(3, "6-4", "rename", "Drawing charts")]
    found = after(*rows)
    assert names(found) == ["Loading", "Parsing", "Drawing charts"]
    assert names(after(*rows[::-1])) == names(found)
    assert (
        "no top skill"
        in plan(hierarchy(), [row(2, "6-3", "merge", "x"), row(3, "9-9", "rename", "x")]).problems[0].message
    )


def test_a_skill_is_split_into_its_children_of_which_a_shared_one_stays_where_it_is():
    found = after(row(2, "6-1", "split"))
    assert names(found) == ["Parsing", "Plotting", "Charts", "Reading CSV"]
    assert found.nodes["2-2"].parents == ("6-12",)
    assert found.unassigned == ()


def test_a_skill_is_split_into_named_parts_of_children_or_steps():
    found = after(
        row(2, "6-12", "split", "Json = Reading JSON; Text = *"), row(3, "6-3", "split", "One = 5-1-0; Two = *")
    )
    assert names(found) == ["Loading", "Json", "Text", "One", "Two", "Charts"]
    assert found.nodes["6-12.1"].children == ("2-2",)
    assert found.nodes["2-2"].parents == ("6-1", "6-12.1")
    assert found.nodes["6-12.2"].steps == ("3-1-0", "3-1-1")
    assert found.nodes["6-3.2"].steps == ("4-1-0", "5-1-1")


def test_a_dropped_skill_takes_along_what_is_below_it_alone_and_its_steps_are_listed():
    found = after(row(2, "6-12", "drop", note="too vague"))
    assert names(found) == ["Loading", "Plotting", "Charts"]
    assert "2-3" not in found.nodes
    assert found.nodes["2-2"].parents == ("6-1",)
    assert [(each.id, each.reason) for each in found.lineage] == [
        ("6-12", "too vague"),
        ("2-3", "only below 'Parsing', which was dropped"),
    ]
    assert {each.step for each in found.unassigned} == {"3-1-0", "3-1-1"}


BAD = [
    (row(2, "9-9", "drop"), "no top skill has the id '9-9'"),
    (row(2, "2-1", "drop"), "no top skill has the id '2-1'"),
    (row(2, "6-1", "delete"), "no action 'delete'"),
    (row(2, "6-1", "rename"), "needs the new name"),
    (row(2, "6-1", "rename", "Loading"), "is the old one"),
    (row(2, "6-1", "rename", "PARSING"), "two skills would be called 'parsing'"),
    (row(2, "6-1", "merge"), "needs the other skill"),
    (row(2, "6-1", "merge", "Nothing"), "no top skill is called 'Nothing'"),
    (row(2, "6-1", "merge", "6-1"), "into itself"),
    (row(2, "6-1", "keep", "Parsing"), "was another action meant"),
    (row(2, "6-1", "", "Parsing"), "was another action meant"),
    (row(2, "6-3", "split"), "it has 0 children"),
    (row(2, "6-1", "split", "A = Reading CSV"), "split into 1 part"),
    (row(2, "6-1", "split", "A = Reading CSV; B = nonsense"), "'nonsense' is neither a child nor a step"),
    (row(2, "6-1", "split", "A = 2-1; B = 2-1"), "'2-1' is in two parts"),
    (row(2, "6-1", "split", "A and B"), "is no part"),
    (row(2, "6-1", "split", "Plotting = 2-1; B = *"), "two skills would be called 'plotting'"),
    (row(2, "6-1", skill="Load"), "the name was changed to 'Load'"),
    (row(2, "6-1", "rename", "-- & --"), "holds neither a letter nor a digit"),
    (row(2, "6-1", "split", "A = 2-1; B = 2-2 | 1-1-0 | 2-1-0; C = *"), "nothing is left for 'C'"),
    (row(2, "6-1", "split", "--- = 2-1; B = *"), "is no part"),
]


@pytest.mark.parametrize(("bad", "message"), BAD)
def test_a_bad_row_has_one_message_and_spoils_no_other(bad, message):
    decided = plan(hierarchy(), [bad, row(3, "6-4", "drop")])
    assert [(each.row, message in each.message) for each in decided.problems] == [(2, True)]
    assert [each.action for each in decided.decisions.values() if each.changes] == ["drop"]
    assert names(apply(hierarchy(), decided, "sheet").hierarchy) == ["Loading", "Parsing", "Plotting"]


def test_a_skill_in_two_rows_is_decided_by_neither():
    decided = plan(hierarchy(), [row(2, "6-1", "drop"), row(3, "6-1", "keep")])
    assert [each.row for each in decided.problems] == [3]
    assert "6-1" not in decided.decisions


def test_merges_in_a_circle_and_into_what_goes_are_refused():
    rows = [row(2, "6-1", "merge", "Parsing"), row(3, "6-12", "merge", "Loading"), row(4, "6-3", "merge", "Charts")]
    decided = plan(hierarchy(), [*rows, row(5, "6-4", "drop")])
    told = [(each.row, each.message) for each in decided.problems]
    assert told == [
        (2, "merged in a circle"),
        (3, "merged in a circle"),
        (4, "merged into 'Charts', which goes itself: drop"),
    ]


def test_a_row_that_only_a_bad_row_made_possible_is_bad_too():
    rows = [row(2, "6-1", "rename", "Parsing"), row(3, "6-12", "rename", "Plotting"), row(4, "6-3", "merge", "Nothing")]
    assert [each.row for each in plan(hierarchy(), rows).problems] == [2, 3, 4]
    assert plan(hierarchy(), [*rows[:2], row(4, "6-3", "merge", "Charts")]).problems == ()


def test_an_empty_category_stays_as_it_is():
    assert after(row(2, "6-1", "keep", category="")).nodes["6-1"].category == "Data Format Handling"


@pytest.mark.parametrize(
    ("action", "into", "below"),
    [
        ("merge", "Plotting", ()),
        ("drop", "", ()),
        ("split", "", ()),
        ("split", "A = 2-1; B = *", ("6-1.1", "6-1.2")),
    ],
)
def test_a_top_skill_that_another_is_above_can_be_decided_on_too(action, into, below):
    """Other programs label tasks with skills of several levels."""
    before = hierarchy()
    above = node("7-1", "Everything", "1-1-0 1-2-0 2-1-0", children=("6-1",))
    lower = before.nodes["6-1"].model_copy(update={"parents": ("7-1",)})
    whole = Hierarchy({**before.nodes, "6-1": lower, "7-1": above}).checked()
    decided = plan(whole, [row(2, "6-1", action, into)])
    assert not decided.problems
    assert apply(whole, decided, "sheet").hierarchy.nodes["7-1"].children == below


ACTIONS = st.sampled_from(["keep", "drop", "split", "merge", "rename"])
KEYS = st.sampled_from(["6-1", "6-12", "6-3", "6-4"])


@given(st.dictionaries(KEYS, st.tuples(ACTIONS, KEYS)))
def test_whatever_is_decided_every_step_is_below_a_top_skill_or_listed_once(choices):
    before = hierarchy()
    rows = [
        row(n, key, action, into if action in ("merge", "rename") else "")
        for n, (key, (action, into)) in enumerate(choices.items())
    ]
    decided = plan(before, rows)
    made = apply(before, decided, "sheet").hierarchy
    every = {step for each in before.tops for step in each.steps}
    held = {step for each in made.tops for step in each.steps}
    left = [each.step for each in made.unassigned]
    assert held | set(left) == every
    assert not held & set(left)
    assert len(left) == len(set(left))
    assert set(before.nodes) - set(made.nodes) == {each.id for each in made.lineage}
    for each in made.nodes.values():
        assert all(set(made.nodes[child].steps) <= set(each.steps) for child in each.children)


def test_suggestions_name_what_another_contains_and_what_one_solution_made():
    found = suggestions([*hierarchy().tops, node("6-5", "Lonely", "9-1-0 9-1-1"), node("6-6", "Twin", "4-1-0 5-1-0")])
    assert (found["6-4"].action, found["6-4"].into, found["6-4"].reason) == (
        "merge",
        "Plotting",
        "100% of its steps are there too",
    )
    assert found["6-6"].into == "Plotting"
    assert (found["6-5"].action, found["6-1"].action) == ("drop", "keep")


def test_the_published_skills_have_the_pairs_of_the_reference(shared):
    found = read_hierarchy(shared / "data" / "agenticdatabench" / "step-clusters.jsonl")
    assert len(found.tops) == 433
    merges = [each for each in suggestions(found.tops).values() if each.action == "merge"]
    assert 100 < len(merges) <= 162


@pytest.mark.parametrize("ending", ["xlsx", "csv"])
def test_a_sheet_that_comes_back_untouched_changes_nothing(tmp_path, ending):
    path = tmp_path / f"review.{ending}"
    write_sheet(path, hierarchy())
    before = path.read_bytes()
    write_sheet(path, hierarchy())
    assert path.read_bytes() == before
    rows = read_sheet(path)
    assert [each.id for each in rows] == ["6-1", "6-12", "6-3", "6-4"]
    decided = plan(hierarchy(), rows)
    assert not decided.problems
    assert not any(each.changes for each in decided.decisions.values())


@pytest.mark.parametrize("ending", ["xlsx", "csv"])
def test_a_sheet_that_people_filled_in_is_never_overwritten(tmp_path, ending):
    path = tmp_path / f"review.{ending}"
    path.write_bytes(b"decisions")
    with pytest.raises(InputError, match="is there already"):
        write_sheet(path, hierarchy())
    assert path.read_bytes() == b"decisions"


HOSTILE = [
    "two\nlines",
    '=HYPERLINK("http://x","y")',
    "+1+1",
    "-2+3",
    "@SUM(A1)",
    "\t=1",
    "'=1",
    "=cmd|' /C calc'!A0",
    "6-12",
    "1/2",
]


def hostile():
    nodes = [node(f"6-{n}", text, f"{n}-1-0 {n}-2-0", description=text) for n, text in enumerate(HOSTILE)]
    return Hierarchy(by_id(nodes))


def test_no_cell_of_csv_begins_like_a_formula_and_what_comes_back_is_the_same(tmp_path):
    path = tmp_path / "review.csv"
    write_sheet(path, hostile())
    with path.open(encoding="utf-8-sig", newline="") as stream:
        cells = [cell for line in csv.reader(stream) for cell in line]
    assert not [cell for cell in cells if cell.startswith(("=", "+", "-", "@", "\t", "\r"))]
    assert "'6-1" in cells
    assert not plan(hostile(), read_sheet(path)).problems


def test_no_cell_of_a_workbook_is_a_formula_though_the_library_would_make_one(tmp_path):
    import openpyxl
    import xlsxwriter

    path, control = tmp_path / "review.xlsx", tmp_path / "control.xlsx"
    write_sheet(path, hostile())
    sheet = openpyxl.load_workbook(path).worksheets[0]
    assert {cell.data_type for line in sheet.iter_rows() for cell in line} <= {"s", "n"}
    assert not plan(hostile(), read_sheet(path)).problems
    with xlsxwriter.Workbook(control) as book:
        book.add_worksheet().write(0, 0, HOSTILE[1].replace("+", "=", 1))
    assert openpyxl.load_workbook(control).worksheets[0]["A1"].data_type == "f"


@given(st.text(max_size=20))
def test_any_text_comes_back_from_a_cell_of_csv(text):
    assert _plain(_neutral(text)) == text


def test_a_sheet_as_excel_saves_it_elsewhere_is_read(tmp_path):
    path = tmp_path / "review.csv"
    path.write_bytes("\ufeffID;Action;Into;Note\r\n6-1;Rename;Größe;\r\n;;;\r\n".encode())
    assert read_sheet(path) == [Row(number=2, id="6-1", action="Rename", into="Größe")]


def test_a_workbook_with_another_sheet_in_front_and_a_range_too_small_is_read_whole(tmp_path):
    """As people and other programs leave it: notes of their own first, and the range of cells wrong."""
    import openpyxl

    path = tmp_path / "review.xlsx"
    write_sheet(path, hierarchy())
    book = openpyxl.load_workbook(path)
    book["skills"]["L2"] = "drop"
    book.create_sheet("my notes", 0)["A1"] = "to do"
    book.save(path)
    shrunk = tmp_path / "shrunk.xlsx"
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(shrunk, "w") as new:
        for name in old.namelist():
            new.writestr(name, re.sub(rb'<dimension ref="[^"]*"', b'<dimension ref="A1:B2"', old.read(name)))
    for each in (path, shrunk):
        assert [(found.id, found.action) for found in read_sheet(each)] == [
            ("6-1", "drop"),
            ("6-12", ""),
            ("6-3", ""),
            ("6-4", ""),
        ]


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("x.csv", b"id,into\n1,2\n", "no column 'action'"),
        ("x.csv", b"", "no column 'id'"),
        ("x.csv", "id;action\n6-1;größer\n".encode("latin-1"), "UTF-8"),
        ("x.csv", b'id,action\n"6-1,drop\n', "not a CSV"),
        ("x.csv", b"id,action,action\n", "two columns"),
        ("x.xlsx", b"PK not a workbook", "not a readable workbook"),
    ],
)
def test_what_is_no_sheet_is_one_message(tmp_path, name, content, words):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(InputError, match=words):
        read_sheet(path)


@pytest.fixture
def folder(tmp_path):
    write_hierarchy(tmp_path / "skills", hierarchy())
    return tmp_path / "skills"


def run(*words):
    return CliRunner().invoke(app, ["skills", "review", *map(str, words)])


def decide(tmp_path, *decisions):
    path = tmp_path / "back.csv"
    path.write_text("id,action,into\n" + "".join(f"{','.join(each)}\n" for each in decisions))
    return path


def test_a_review_goes_out_and_comes_back_by_command_and_is_logged(tmp_path, folder):
    sheets = [tmp_path / "a.xlsx", tmp_path / "a.csv"]
    done = run("export", folder, "--out", sheets[0], "--out", sheets[1])
    assert done.exit_code == 0, done.output
    assert [len(read_sheet(path)) for path in sheets] == [4, 4]
    back = decide(tmp_path, ("6-4", "merge", "Plotting"), ("6-1", "rename", "Reading files"))
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    shown = run("apply", folder, back, "--dry-run")
    assert (shown.exit_code, "nothing written" in shown.stdout) == (0, True)
    done = run("apply", folder, back, "--out", tmp_path / "new", "--reviewer", "Ann", "--json")
    assert done.exit_code == 0, done.output
    document = json.loads(done.stdout)
    assert (document["skills_before"], document["skills_after"], document["without_row"]) == (4, 3, 2)
    assert names(read_hierarchy(tmp_path / "new")) == ["Reading files", "Parsing", "Plotting"]
    log = [json.loads(line) for line in (tmp_path / "new" / "review.jsonl").read_text().splitlines()]
    assert [(each["row"], each["action"], each["reviewer"]) for each in log] == [
        (2, "merge", "Ann"),
        (3, "rename", "Ann"),
    ]
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    again = run("apply", folder, back, "--out", tmp_path / "new", "--reviewer", "Ann")
    assert again.exit_code == 0, again.output
    second = decide(tmp_path, ("6-3", "drop", ""))
    done = run("apply", tmp_path / "new", second, "--out", tmp_path / "newer")
    assert done.exit_code == 0, done.output
    assert len((tmp_path / "newer" / "review.jsonl").read_text().splitlines()) == 3


def test_a_new_name_that_says_less_than_another_is_told_and_left_to_people(tmp_path, folder):
    back = decide(tmp_path, ("6-1", "rename", "Plot Bars"), ("6-4", "rename", "Bar Plotting in Colour"))
    done = run("apply", folder, back, "--dry-run")
    assert "Names that say less than another" in done.stdout
    document = json.loads(run("apply", folder, back, "--out", tmp_path / "new", "--json").stdout)
    assert ["Plot Bars", "Bar Plotting in Colour"] in document["general"]
    assert json.loads(run("apply", folder, decide(tmp_path), "--dry-run", "--json").stdout)["general"] == []


def test_one_bad_row_and_nothing_is_applied_unless_bad_rows_are_left_out(tmp_path, folder):
    back = decide(tmp_path, ("6-4", "drop", ""), ("6-1", "rename", ""), ("nonsense", "keep", ""))
    done = run("apply", folder, back, "--out", tmp_path / "new")
    assert isinstance(done.exception, InputError)
    assert "row 3: rename needs the new name" in str(done.exception)
    assert "row 4: no top skill" in str(done.exception)
    assert not (tmp_path / "new").exists()
    done = run("apply", folder, back, "--out", tmp_path / "new", "--skip-bad")
    assert done.exit_code == 1
    assert names(read_hierarchy(tmp_path / "new")) == ["Loading", "Parsing", "Plotting"]


def test_a_review_overwrites_no_other_skills(tmp_path, folder):
    back = decide(tmp_path, ("6-4", "drop", ""))
    done = run("apply", folder, back, "--out", folder)
    assert isinstance(done.exception, InputError)
    assert names(read_hierarchy(folder)) == names(hierarchy())


def test_published_skills_go_out_with_the_category_of_their_type_and_come_back_unchanged(tmp_path):
    published, path, new = tmp_path / "step-clusters.jsonl", tmp_path / "review.csv", tmp_path / "new"
    rows = [
        {"graph_id": "6-1", "name": "Loading", "cluster": ["1-1-0", "2-1-0"], "type": "Data I/O"},
        {"graph_id": "6-2", "name": "Odd", "cluster": ["1-1-0", "3-1-0"], "type": ""},
    ]
    published.write_text("".join(json.dumps(each) + "\n" for each in rows))
    assert run("export", published, "--out", path).exit_code == 0
    assert [each.category for each in read_sheet(path)] == ["Data Format Handling", ""]
    done = run("apply", published, path, "--out", new, "--json")
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["changes"] == []
    assert [each.category for each in read_hierarchy(new).tops] == ["Data Format Handling", ""]
