"""A real model behind a server that speaks OpenAI's protocol, where the environment names one.

BENCHWRIGHT_TEST_MODEL_URL is its base URL (http://host:port/v1), BENCHWRIGHT_TEST_MODEL its name there, and
BENCHWRIGHT_TEST_MODEL_KEY its key, if it wants one. A model may say anything: what is asserted is that the way to it
and back holds, never what it said.
"""

import os

import pytest

from benchwright.suite import Selection
from benchwright.trajectory import Answered, Broke

MOST_SECONDS = 300
KEY = "a-key-that-must-be-written-nowhere"


@pytest.fixture
def real_model(monkeypatch):
    """Inspect's name of the model that the environment names."""
    url, name = os.environ.get("BENCHWRIGHT_TEST_MODEL_URL"), os.environ.get("BENCHWRIGHT_TEST_MODEL")
    if not url or not name:
        pytest.skip("needs a model: set BENCHWRIGHT_TEST_MODEL_URL and BENCHWRIGHT_TEST_MODEL")
    monkeypatch.setenv("TRIED_BASE_URL", url)
    monkeypatch.setenv("TRIED_API_KEY", os.environ.get("BENCHWRIGHT_TEST_MODEL_KEY", KEY))
    return f"openai-api/tried/{name}"


@pytest.mark.slow
@pytest.mark.timeout(MOST_SECONDS + 300)
@pytest.mark.parametrize("preset", ["native", "text"])
def test_a_real_model_makes_an_attempt_that_is_recorded_and_scored(suite, run_suite, real_model, preset, tmp_path):
    outcome = run_suite(
        suite, "react", models=(real_model,), preset=preset, sweep=("temperature=0", "max_tokens=400"),
        selection=Selection(ids=("a",)), limits={"wall_seconds": MOST_SECONDS},
    )  # fmt: skip
    (attempt,) = outcome.folder.attempts().values()
    assert not isinstance(attempt.ending, Broke), attempt.error
    assert (attempt.answer is not None) == isinstance(attempt.ending, Answered)
    assert attempt.steps > 0
    assert attempt.usage.input_tokens > 0
    assert attempt.usage.output_tokens > 0
    assert attempt.usage.cost_usd is None  # nobody said what it costs
    assert outcome.scoring is not None
    key = os.environ["TRIED_API_KEY"].encode()
    assert not [path for path in (tmp_path / "run").rglob("*") if path.is_file() and key in path.read_bytes()]
