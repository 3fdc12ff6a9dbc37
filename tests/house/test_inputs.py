"""Inputs of properties are the same at every run, whichever modules the tests before have loaded."""

import subprocess
import sys
from pathlib import Path

DRAWN = """
import hashlib, importlib, sys
from importlib.util import module_from_spec, spec_from_file_location
spec = spec_from_file_location("conftest", {conftest!r})
conftest = module_from_spec(spec)
spec.loader.exec_module(conftest)
{first}
for name in sys.argv[1:]:
    importlib.import_module(name)
from hypothesis import given, settings, strategies as st
drawn = []
@settings(max_examples=300)
@given(st.integers(), st.text(), st.floats(allow_nan=False))
def written_down(number, text, real):
    drawn.append(repr((number, text, real)))
written_down()
print(hashlib.sha256("".join(drawn).encode()).hexdigest())
"""
AS_IT_IS = """
from hypothesis.internal import constants_ast
conftest.providers.is_local_module_file = constants_ast.is_local_module_file
"""
MORE = ("benchwright.scorers.chart.scorer", "benchwright.importers", "benchwright.sandbox.fanotify")

CONFTEST = Path(__file__).parents[1] / "conftest.py"


def drawn(folder: Path, *modules: str, first: str = "") -> str:
    program = folder / "drawn.py"  # what is given has no source, and no inputs of its own
    program.write_text(DRAWN.format(first=first, conftest=str(CONFTEST)))
    return subprocess.run(
        [sys.executable, program, *modules], cwd=folder, capture_output=True, text=True, check=True
    ).stdout


def test_inputs_do_not_depend_on_what_is_loaded(tmp_path):
    assert drawn(tmp_path) == drawn(tmp_path, *MORE)


def test_without_the_setting_they_would(tmp_path):
    assert drawn(tmp_path, first=AS_IT_IS) != drawn(tmp_path, *MORE, first=AS_IT_IS)
