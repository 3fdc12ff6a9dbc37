import ast
import subprocess
import sys
from pathlib import Path

import pytest

import benchwright

SOURCE = Path(__file__).resolve().parents[2] / "src" / "benchwright"
SOLUTIONS = SOURCE / "suites" / "lake" / "solutions"
"""Programs that agents' answers are proved by: data of the suite, not modules of the house."""
FILES = sorted(file for file in SOURCE.rglob("*.py") if SOLUTIONS not in file.parents)
HEAVY = ("pandas", "polars", "scipy", "sklearn", "altair", "inspect_ai", "numpy", "pyarrow", "duckdb", "rich")


@pytest.mark.parametrize(
    ("program", "more"), [("import benchwright", ()), ("from benchwright.cli import app", ("pydantic",))]
)
def test_no_heavy_library_is_imported_at_the_door(program, more):
    code = f"import sys\n{program}\nprint(*sorted({{*{HEAVY!r}, *{more!r}}} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def test_the_check_of_heavy_imports_can_fail():
    code = f"import sys, numpy\nprint(*sorted(set({HEAVY!r}) & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["numpy"]


def test_every_module_says_its_purpose():
    assert [str(file) for file in FILES if not ast.get_docstring(ast.parse(file.read_text()))] == []


def test_files_are_short():
    assert [str(file) for file in FILES if len(file.read_text().splitlines()) > 400] == []


DEFERRED = {
    "live/agents/smolagents.py": "stands on a library of an extra",
    "scorers/chart/redraw.py": "what draws is loaded where a chart is drawn again",
    "viewer/serving.py": "stands on libraries of an extra, whose absence is said first",
}
"""Modules below the command line that import others of ours inside functions, and why."""


def test_our_own_modules_are_imported_at_the_top():
    """But for the command line, where each command imports its stage."""
    found = {
        file.relative_to(SOURCE).as_posix()
        for file in FILES
        if SOURCE / "cli" not in file.parents
        for function in ast.walk(ast.parse(file.read_text()))
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
        for node in ast.walk(function)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("benchwright.")
    }
    assert found - set(DEFERRED) == set()


def test_names_come_from_the_domain():
    banned = ("helper", "util", "manager")
    assert [str(file) for file in FILES if any(word in file.stem for word in banned)] == []


def test_the_package_offers_at_most_thirty_names_and_all_of_them_exist():
    assert len(benchwright.__all__) <= 30
    assert all(getattr(benchwright, name) for name in benchwright.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = benchwright.nonsense


def test_defaults_of_fields_are_named():
    """Users' type checkers, without pydantic's plugin, take a field with a default that is not named for a required one."""
    found = [
        f"{file.relative_to(SOURCE)}:{node.lineno}"
        for file in FILES
        for record in ast.walk(ast.parse(file.read_text()))
        if isinstance(record, ast.ClassDef)
        for node in (each.value for each in record.body if isinstance(each, ast.AnnAssign))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Field" and node.args
    ]
    assert found == []
