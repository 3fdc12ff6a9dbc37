"""What columns of numbers mean: only measures are averaged, only amounts are added up."""

import contextlib
import io
from random import Random

import pytest
from tests.generation.templates.conftest import AnySkill, material_of

from benchwright.generation.templates import TEMPLATES, TemplateWriter
from benchwright.generation.templates.drafting import drafted
from benchwright.generation.templates.meanings import adds_up, meaning, orders_a_series
from benchwright.generation.templates.tables import sources_of
from benchwright.generation.workflow import Draft, Wanted

ROWS = 90
NO_MEASURES = {
    "customer_id": ([1000 + 37 * n % 4001 for n in range(ROWS)], "identifier"),
    "townid": ([1 + n * 7 % 44 for n in range(ROWS)], "identifier"),
    "ccode": ([2 + 31 * n % 980 for n in range(ROWS)], "identifier"),
    "PlantNo": ([1 + n % 12 for n in range(ROWS)], "identifier"),
    "zip": ([10115 + 977 * n % 80000 for n in range(ROWS)], "code"),
    "origin": ([1 + n * n % 11 for n in range(ROWS)], "code"),
    "treatment_arm": ([1 + n % 10 for n in range(ROWS)], "code"),
    "facility": ([11_500 + n * 13 % 29 for n in range(ROWS)], "code"),
    "year": ([1950 + n % 70 for n in range(ROWS)], "date"),
    "built": ([1850 + n * 11 % 150 for n in range(ROWS)], "date"),
    "shipped": ([20_210_101 + 100 * (n % 12) + n % 28 for n in range(ROWS)], "date"),
    "yronset": ([80 + n % 15 for n in range(ROWS)], "date"),
    "latitude": ([40 + n * 0.37 % 20 for n in range(ROWS)], "place"),
    "x_coord": ([400 + n * 3.7 % 210 for n in range(ROWS)], "place"),
    "league": ([(n * 37 % ROWS) + 1 for n in range(ROWS)], "identifier"),
    "elapsed": ([5 * n for n in range(ROWS)], "identifier"),
    "grade": ([1 + n % 5 for n in range(ROWS)], "code"),
    "closed": ([0] * 83 + list(range(1, 8)), "constant"),
    "reading": ([-999] * 4 + [3 + n * 7 % 50 for n in range(ROWS - 4)], "code"),
    "v7": ([n * 0.37 % 20 for n in range(ROWS)], "unknown"),
}
MEASURES = {
    "income": [900 + n * 373 % 4100 for n in range(ROWS)],
    "body mass": [2700 + n * n * 25 % 3600 for n in range(ROWS)],
    "group_size": [3 + n * n % 41 for n in range(ROWS)],
    "malic_acid": [n * 0.37 % 5 for n in range(ROWS)],
    "years_married": [n * n % 43 for n in range(ROWS)],
    "state_population": [10_000 + n * 7919 % 90_000 for n in range(ROWS)],
}


def make_folder(folder, columns):
    folder.mkdir()
    kinds = [("red ant", "blue bee", "green fly")[n * 5 % 3 if n % 7 else 0] for n in range(ROWS)]
    lines = [",".join(map(str, cells)) for cells in zip(kinds, *columns.values(), strict=True)]
    (folder / "garden_things.csv").write_text("\n".join([",".join(["kind", *columns]), *lines]) + "\n")
    (folder / "note.txt").write_text("Nothing.\n")
    return folder


@pytest.fixture(scope="module")
def garden(tmp_path_factory):
    columns = {name: values for name, (values, _) in NO_MEASURES.items()} | MEASURES
    return material_of(make_folder(tmp_path_factory.mktemp("garden") / "g", columns), "garden", None)


def test_identifiers_codes_dates_and_places_are_no_measures(garden):
    [source] = sources_of(garden)
    columns = {column.name: column for column in source.table.columns}
    found = {name: meaning(columns[name], source.rows) for name in NO_MEASURES}
    assert {name: told.kind for name, told in found.items()} == {name: kind for name, (_, kind) in NO_MEASURES.items()}
    assert all(told.why for told in found.values())


def test_measures_stay_measures(garden):
    [source] = sources_of(garden)
    assert {field.name for field in source.measures} == set(MEASURES)


def test_no_task_averages_what_is_no_measure(garden):
    drafts = [each for each in TemplateWriter().drafts(garden, Wanted(AnySkill(), 100)) if isinstance(each, Draft)]
    assert len(drafts) >= 10
    series = ("Put ", "Which run", "rows that", "Which hour")
    for draft in drafts:
        named = [name for name in NO_MEASURES if f"'{name}'" in draft.question]
        assert not named or draft.question.startswith(series) or set(named) <= {"year", "reading"}, draft.question


def test_rates_and_levels_are_averaged_and_not_added_up(garden):
    [source] = sources_of(garden)
    numbers = {field.name: field.column.numbers for field in source.measures}
    assert adds_up("income", numbers["income"])
    assert adds_up("state_population", numbers["state_population"])
    for name in (
        "birth_rate",
        "Temp",
        "avg_price",
        "percentUrban",
        "age",
        "log_income",
        "waist_length",
        "years_married",
    ):
        assert not adds_up(name, numbers["income"]), name


@pytest.mark.parametrize("name", ["dob", "date_of_birth", "deathDate", "released_on", "expires", "random"])
def test_dates_of_what_happens_once_order_no_series(name):
    assert not orders_a_series(name)


@pytest.mark.parametrize("name", ["date", "From Date", "sold_on", "datetime", "day", "month"])
def test_dates_of_records_order_series(name):
    assert orders_a_series(name)


def test_a_column_that_copies_another_one_is_left_out(tmp_path):
    width = [n * 0.73 % 9 for n in range(ROWS)]
    columns = {
        "width": width,
        "width_again": [round(x, 2) for x in width[:-1]] + width[-1:],
        "mass": MEASURES["income"],
    }
    columns["width_again"][width.index(max(width))] = max(width)
    columns["width_again"][width.index(min(width))] = min(width)
    [source] = sources_of(material_of(make_folder(tmp_path / "g", columns), "garden", None))
    assert [field.name for field in source.measures] == ["width", "mass"]


NESTED = {
    "town": "Ulm Kiel Bonn Jena Hof Trier Gera Celle".split(),
    "land": "South North West East South West East North".split(),
}
CROSSED = {"town": NESTED["town"], "land": "South North West East".split()}


@pytest.fixture(scope="module")
def inns(tmp_path_factory):
    """Inns of towns, each town in one land, or in several."""
    base, found = tmp_path_factory.mktemp("inns"), {}
    for name, columns in (("nested", NESTED), ("crossed", CROSSED)):
        towns, lands = columns["town"], columns["land"]
        rows = [(n * n * 7 + n) % len(towns) if n % 3 else n % len(towns) for n in range(320)]
        land = [lands[k] if name == "nested" else lands[(n // 5 + k) % 3 + n % 11 // 10] for n, k in enumerate(rows)]
        lines = [f"{towns[k]}town,{land[n]}land,{(n * 37) % 101 + 1}" for n, k in enumerate(rows)]
        (base / name).mkdir()
        (base / name / "inns.csv").write_text("\n".join(["town,land,guests", *lines]) + "\n")
        [found[name]] = sources_of(material_of(base / name, name, None))
    return base, found


@pytest.mark.parametrize("template", ["independence", "lift_of_pairs", "leading_kind", "two_sided_network"])
def test_columns_that_follow_from_each_other_are_refused_by_the_program(inns, tmp_path, monkeypatch, template):
    monkeypatch.chdir(tmp_path)
    base, found = inns
    for name, source in found.items():
        drawn = [TEMPLATES[template].make(source, Random(seed)) for seed in range(8)]
        made = {sketch.question: sketch for sketch in drawn if sketch}.values()
        code = [drafted(sketch, template, name, "k", lambda skills: skills[0]).workflow.code for sketch in made]
        assert code
        failed = [follows(each.replace("/data/", f"{base / name}/")) for each in code]
        enough = any if template == "leading_kind" else all  # which town leads a land may be asked, not the reverse
        assert enough(failed) if name == "nested" else not any(failed), (name, failed)


def follows(code):
    """Whether a program says that one column follows from the other."""
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            exec(code, {})
    except AssertionError as error:
        return "follows" in str(error)
    return False
