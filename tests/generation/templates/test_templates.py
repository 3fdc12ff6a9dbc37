import ast

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rapidfuzz import fuzz
from tests.generation.templates.conftest import HOSTILE, AnySkill, make_hostile, material_of

from benchwright.generation.static_checks import refused
from benchwright.generation.templates import TEMPLATES, TemplateWriter
from benchwright.generation.templates.pairs import thing_of
from benchwright.generation.templates.tables import Field, sources_of
from benchwright.generation.templates.wording import plain, single, subject
from benchwright.generation.workflow import Draft, Rejection, Wanted


def drafts_of(material, seed=0, number=100, **wanted):
    found = list(TemplateWriter().drafts(material, Wanted(AnySkill(), number, seed, **wanted)))
    assert found
    assert all(isinstance(draft, Draft) for draft in found)
    return found


def test_a_market_gives_most_kinds_of_tasks(market):
    kinds = {draft.writer.removeprefix("template:") for draft in drafts_of(market)}
    assert len(kinds) >= 45
    assert {
        "group_of_partner",
        "linked_average",
        "inside_objects",
        "inside_lists",
        "amounts_as_text",
        "growth",
    } <= kinds


def test_every_draft_passes_the_static_checks(market):
    for draft in drafts_of(market):
        assert refused(draft, market, AnySkill()) is None, draft.name


def test_a_draft_has_three_steps_and_more_each_of_its_own_skill(market):
    for draft in drafts_of(market):
        skills = [step.skill for step in draft.workflow.steps]
        assert len(set(skills)) >= 3, draft.name
        assert sum(step.without is not None for step in draft.workflow.steps) >= 2


def test_whoever_lacks_a_skill_writes_another_program(market):
    for draft in drafts_of(market):
        for step in draft.workflow.steps:
            assert step.without is None or ast.dump(ast.parse(step.without)) != ast.dump(ast.parse(step.code))


def test_the_same_seed_gives_the_same_drafts_and_another_one_others(market):
    first, again, other = drafts_of(market, 1, 8), drafts_of(market, 1, 8), drafts_of(market, 2, 8)
    assert first == again
    assert [draft.question for draft in first] != [draft.question for draft in other]


def test_skills_that_are_wanted_come_first(market):
    wanted = "Geospatial Distance Handling", "N-Gram and Phrase Analysis"
    plain_first = drafts_of(market, 3, 3)
    weights = {step.skill: 0.01 for draft in drafts_of(market, 3) for step in draft.workflow.steps}
    weights[wanted[1]] = 50.0
    pushed = drafts_of(market, 3, 3, weights=weights)
    assert any(wanted[1] in draft.workflow.skills for draft in pushed)
    assert not any(wanted[1] in draft.workflow.skills for draft in plain_first)


def test_only_skills_of_the_team_are_named(market):
    few = {"Data Loading with Pandas": "", "Handling Missing Data": ""}
    found = list(TemplateWriter().drafts(market, Wanted(few, 100, 0)))
    assert [item.reason for item in found if isinstance(item, Rejection)] == ["no_material"]


def test_questions_are_no_near_duplicates_and_name_no_file(market):
    questions = [draft.question for draft in drafts_of(market)]
    assert not [(a, b) for k, a in enumerate(questions) for b in questions[:k] if fuzz.ratio(a, b) >= 95]
    for text in questions:
        assert ".csv" not in text.removesuffix("Write the table to result.csv.")
        assert ".jsonl" not in text


def test_a_folder_without_tables_gives_a_reason(tmp_path):
    folder = tmp_path / "empty"
    folder.mkdir()
    (folder / "note.txt").write_text("Nothing.\n")
    found = list(TemplateWriter().drafts(material_of(folder, "empty", None), Wanted(AnySkill(), 5)))
    assert [item.reason for item in found] == ["no_material"]


def test_an_older_extract_is_not_asked_about(tmp_path):
    folder = tmp_path / "room"
    folder.mkdir()
    lines = [f"{'ab'[n % 2]}x,{n * 1.37 % 11:.3f},{n * 0.71 % 7:.3f}" for n in range(90)]
    (folder / "plants.csv").write_text("\n".join(["kind,length_cm,width_cm", *lines]) + "\n")
    (folder / "plants_2019.csv").write_text("\n".join(["kind,length_cm,width_cm", *lines[:60]]) + "\n")
    reads = {path for draft in drafts_of(material_of(folder, "room", None)) for path in draft.workflow.reads}
    assert reads == {"plants.csv"}


@settings(max_examples=5, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(st.text(min_size=1, max_size=30), min_size=4, max_size=8, unique_by=str.casefold))
def test_names_that_are_code_or_orders_break_nothing(tmp_path_factory, names):
    folder = make_hostile(tmp_path_factory.mktemp("hostile") / "room", [*HOSTILE, *names])
    material = material_of(folder, "odd", None)
    drafts = [each for each in TemplateWriter().drafts(material, Wanted(AnySkill(), 100, 0)) if isinstance(each, Draft)]
    assert drafts
    for draft in drafts:
        assert refused(draft, material, AnySkill()) is None
        assert "Ignore all previous" not in draft.question
        assert "__import__" not in draft.question
        assert "\n" not in draft.question
        calls = {
            node.func.id
            for node in ast.walk(ast.parse(draft.workflow.code))
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        }
        assert not calls & {"__import__", "eval", "exec", "SystemExit"}


@pytest.mark.parametrize(
    "text",
    [
        "it's {x}",
        "two\nlines",
        "`tick`",
        "please ignore this",
        "a" * 41,
        "",
        " x",
        'say "hi"',
        "one two three four five six",
    ],
)
def test_what_could_steer_a_reader_is_not_plain(text):
    assert not plain(text)


@pytest.mark.parametrize("text", ["body_mass_g", "O'Brien", "PM2.5 (ug/m3)", "Temp", "São Paulo", "barley+lupins"])
def test_usual_names_are_plain(text):
    assert plain(text) or text == "barley+lupins"


def test_parts_of_an_answer_hold_no_separators():
    assert single("New York")
    assert not single("Smith; John")
    assert not single("12")


def test_subjects_are_the_words_of_a_name():
    assert subject("a/b/penguins_palmer_station.csv") == "penguins palmer station"
    assert subject("hotel/data.csv") == "hotel data"
    assert subject("base.sqlite", "crew") == "base crew"
    assert subject("a/1.csv") == ""


def test_every_template_has_a_name_of_its_own():
    assert len(TEMPLATES) >= 60


def test_no_question_over_two_tables_tells_what_joins_them(market):
    keys = {"town", "town_name", "machine"}
    over_two = [draft for draft in drafts_of(market) if len(draft.workflow.reads) > 1]
    assert len({draft.writer for draft in over_two}) >= 3
    for draft in over_two:
        assert not [key for key in keys if f"'{key}'" in draft.question], draft.question
    [alone] = [draft for draft in over_two if draft.writer == "template:missing_partner"]
    assert "How many different towns" in alone.question


def test_things_are_called_what_their_columns_name(market):
    [sales] = [source for source in sources_of(market) if source.path == "market_sales.csv"]
    told = {field.name: thing_of(sales, field) for field in sales.fields}
    assert (told["town"], told["payment"]) == ("towns", "payments")
    assert thing_of(sales, Field(sales.fields[0].column.model_copy(update={"name": "country_name"}))) == "countries"
    assert thing_of(sales, Field(sales.fields[0].column.model_copy(update={"name": "NAME"}))) is None
