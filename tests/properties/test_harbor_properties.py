"""Whatever stands in a result of Harbor, it is read as far as it goes, or is none; nothing raises."""

import json
import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright.importers import IMPORTERS
from benchwright.trajectory import Trajectory

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner, max_size=3),
    max_leaves=6,
)
KEYS = (
    *("task_name", "task_id", "agent_info", "agent_result", "verifier_result", "exception_info", "agent_execution"),
    *("config", "step_results", "started_at"),
)
INSIDE = (
    *("path", "name", "version", "model_info", "provider", "n_input_tokens", "n_cache_tokens", "n_output_tokens"),
    *("cost_usd", "rewards", "exception_type", "exception_message", "started_at", "finished_at", "agent", "model_name"),
)
RESULTS = st.dictionaries(st.sampled_from(KEYS), VALUES | st.dictionaries(st.sampled_from(INSIDE), VALUES, max_size=6))


@settings(max_examples=150)
@given(RESULTS, st.binary(max_size=40) | RESULTS.map(lambda value: json.dumps(value).encode()))
def test_any_value_in_any_place_gives_one_attempt(result, trajectory):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "result.json")
        path.write_text(json.dumps({**result, "trial_name": "t__1"}))
        (path.parent / "agent").mkdir()
        (path.parent / "agent" / "trajectory.json").write_bytes(trajectory)
        harbor = IMPORTERS["harbor"]
        assert list(harbor.find(path.parent)) == [path]
        (found,) = harbor.parse(path)
        assert Trajectory.model_validate_json(found.model_dump_json(exclude={"seconds"})).ending == found.ending
        assert harbor.handed_in(path) == {}
