import pytest

from benchwright.generation.static_checks import TOOLBOX, refused
from benchwright.generation.workflow import Draft
from benchwright.sandbox.toolbox import lock_file

SKILLS = ("Data Loading with Pandas", "Filtering Rows", "Group Aggregation")


def test_a_draft_without_fault_passes_and_is_the_same_after_writing_and_reading(draft, material):
    assert refused(draft, material, SKILLS) is None
    assert Draft.from_json(draft.to_json(), "here") == draft


def test_the_program_is_the_steps_under_their_descriptions_and_an_ablation_replaces_one(draft, changed):
    code = draft.workflow.code
    assert code.index("# Load the orders.") < code.index("# Keep the orders") < code.index("print(")
    assert "SEED" not in code
    ablated = draft.workflow.without("s2")
    assert "sent = orders\n" in ablated
    assert '== "sent"' not in ablated
    with pytest.raises(ValueError, match="s1"):
        draft.workflow.without("s1")
    assert changed(draft, 0, random=True).workflow.program(7).startswith("SEED = 7\n")


FAULTS = [
    (0, {"code": "orders = ("}, "does_not_parse"),
    (1, {"without": "sent = ("}, "does_not_parse"),
    (0, {"code": "import torch\norders = 1"}, "module_not_in_toolbox"),
    (1, {"without": "from . import other\nsent = orders"}, "module_not_in_toolbox"),
    (0, {"reads": ("order.csv",)}, "unknown_file"),
    (0, {"code": 'orders = open("/data/customers.csv").read()'}, "unknown_file"),
    (2, {"columns": {"orders.csv": ("cost",)}}, "unknown_column"),
    (1, {"depends_on": ("s3",)}, "cycle"),
    (1, {"id": "s1"}, "cycle"),
    (2, {"depends_on": ("s1",), "inputs": ("sent",)}, "undefined_input"),
    (2, {"inputs": ("orders", "sold")}, "undefined_input"),
    (2, {"code": "print(sold)"}, "undefined_input"),
    (2, {"code": "print(SEED)"}, "undefined_input"),
    (1, {"outputs": ("sent", "lost")}, "undefined_input"),
    (1, {"without": "pass"}, "undefined_input"),
    (2, {"depends_on": ("s1",), "inputs": ("orders",), "code": "print(len(orders))"}, "not_one_output"),
    (2, {"skill": "Unheard Of"}, "unknown_skill"),
]


@pytest.mark.parametrize(("place", "values", "reason"), FAULTS)
def test_every_fault_is_found_before_anything_runs(draft, material, changed, place, values, reason):
    found = refused(changed(draft, place, **values), material, SKILLS)
    assert found is not None
    assert found.reason == reason
    assert found.detail


def test_a_file_that_is_not_named_whole_is_told_with_the_one_that_was_meant(draft, material, changed):
    assert "orders.csv is" in refused(changed(draft, 0, reads=("orders",)), material, SKILLS).detail
    assert refused(changed(draft, 0, reads=("q" * 5000,)), material, SKILLS).detail.endswith("no file of the room")


def test_names_of_functions_comprehensions_and_earlier_imports_are_defined(draft, material, changed):
    code = "def mean(xs):\n    return sum(x for x in xs) / len(xs)\nprint(csv, mean([len(sent)]))"
    assert refused(changed(draft, 2, code=code), material, SKILLS) is None


def test_the_modules_that_steps_may_import_are_in_the_toolbox():
    locked = lock_file("core").read_text().lower()
    for module in TOOLBOX:
        package = {"sklearn": "scikit-learn"}.get(module, module)
        assert f"\n{package}==" in f"\n{locked}", package
