import socket

import pytest

from benchwright.errors import EnvironmentFault, Fault, InputError
from benchwright.live.models import RETRIES, model_of
from benchwright.suite import Selection
from benchwright.trajectory import Broke

from .conftest import spec_for

pytestmark = pytest.mark.chaos

MODEL = "openai-api/nobody/any-model"


@pytest.fixture(autouse=True)
def nobody_listens(monkeypatch):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))  # and held: nobody else can listen there meanwhile
        monkeypatch.setenv("NOBODY_BASE_URL", f"http://127.0.0.1:{free.getsockname()[1]}/v1")
        monkeypatch.setenv("NOBODY_API_KEY", "none")
        yield


@pytest.mark.slow
def test_a_model_that_cannot_be_reached_breaks_the_attempt_and_the_progress_says_so(suite, run_suite, capfd):
    request = {"models": (MODEL,), "sweep": ("max_retries=1",), "selection": Selection(ids=("a",))}
    outcome = run_suite(suite, "react", **request)
    (attempt,) = outcome.folder.attempts().values()
    assert isinstance(attempt.ending, Broke)
    assert attempt.ending.fault is Fault.MODEL
    assert (outcome.done, outcome.planned) == (0, 1)
    assert "calls tried again, last nobody/any-model: APIConnectionError" in capfd.readouterr().err


def test_no_model_is_called_for_ever(suite):
    spec = spec_for(suite, "react", models=(MODEL,))
    assert model_of(spec.cells[0], spec).config.max_retries == RETRIES
    spec = spec_for(suite, "react", models=(MODEL,), sweep=("max_retries=100",))
    assert model_of(spec.cells[0], spec).config.max_retries == 100


@pytest.mark.parametrize("model", ["no-such-provider/any", "no-provider"])
def test_a_provider_that_is_not_known_is_a_fault_of_the_request(suite, model):
    spec = spec_for(suite, "react", models=(model,))
    with pytest.raises(InputError, match="cannot be used"):
        model_of(spec.cells[0], spec)


def test_a_provider_without_its_key_is_a_fault_of_the_environment(suite, monkeypatch):
    monkeypatch.delenv("KEYLESS_API_KEY", raising=False)
    spec = spec_for(suite, "react", models=("openai-api/keyless/any-model",))
    with pytest.raises(EnvironmentFault, match="cannot be used"):
        model_of(spec.cells[0], spec)
