import pytest

from benchwright.errors import BenchwrightError, Broken, Fault, InputError, boundary


def test_a_message_holds_what_found_expected_and_hint():
    error = InputError("bad thing", found="x", expected="y", hint="do z")
    assert str(error).splitlines() == ["bad thing", "  found: x", "  expected: y", "  hint: do z"]


def test_the_boundary_names_whose_fault_a_foreign_exception_is():
    with pytest.raises(Broken, match="scoring failed") as caught, boundary(Fault.SCORER, "scoring failed"):
        raise ZeroDivisionError
    assert caught.value.fault is Fault.SCORER
    assert "ZeroDivisionError" in caught.value.found


def test_the_boundary_lets_our_own_errors_pass():
    with pytest.raises(InputError, match="yours") as caught, boundary(Fault.SCORER, "scoring failed"):
        raise InputError("yours")
    assert isinstance(caught.value, BenchwrightError)
