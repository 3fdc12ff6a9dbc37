import pytest

from benchwright.errors import InputError, SuiteError
from benchwright.live.agents.papers import PAPERS
from benchwright.live.machine import limits_of
from benchwright.live.tasks import Play
from benchwright.run import RunSpec

from .conftest import calls, script, spec_for


@pytest.fixture
def model():
    return script("papers", calls("submit", answer="42"))


def played_limits(suite, spec):
    """What each agent's attempts may use, by the agent's name."""
    task = suite.tasks["a"]
    plays = {cell.agent: Play(suite, cell, spec) for cell in spec.cells}
    return {name: limits_of(task, play.sample("a", 1).sandbox.config) for name, play in plays.items()}


def test_a_papers_preset_gives_each_agent_its_limits_and_is_part_of_the_cell(suite, model):
    spec = spec_for(suite, "da_agent", "react", "constant", models=(model,), preset="agenticdatabench")
    assert {cell.agent: cell.preset for cell in spec.cells} == {
        "da_agent": "agenticdatabench",
        "react": "agenticdatabench",
        "constant": "",
    }
    limits = played_limits(suite, spec)
    assert (limits["da_agent"].wall_seconds, limits["da_agent"].step_seconds) == (21_600, 60)
    assert (limits["react"].wall_seconds, limits["react"].step_seconds) == (3600, 300)
    assert limits["constant"] == suite.tasks["a"].limits
    assert "agenticdatabench" in spec.cells[0].title


def test_what_is_recorded_of_it_comes_back(suite, model):
    spec = spec_for(suite, "react", models=(model,), preset="coda")
    assert spec.cell_limits == {
        spec.cells[0].id: {"wall_seconds": 600, "step_seconds": 600, "memory_mb": 8192, "cpus": 2}
    }
    assert RunSpec.from_json(spec.to_json(), "a test") == spec


def test_the_runs_own_limits_prevail(suite, model):
    spec = spec_for(suite, "react", models=(model,), preset="coda", limits={"wall_seconds": 60})
    assert played_limits(suite, spec)["react"].wall_seconds == 60


def test_settings_of_the_model_are_part_of_the_cell_unless_a_sweep_sets_them(suite, model):
    spec = spec_for(suite, "react", models=(model,), preset="dsbc", sweep=("seed=1,2",))
    assert [cell.generation for cell in spec.cells] == [{"seed": seed, "max_tokens": 8192} for seed in (1, 2)]


def test_presets_of_papers_are_known_to_every_agent_and_others_to_their_own(suite, model):
    for preset in PAPERS:
        spec_for(suite, "react", "da_agent", models=(model,), preset=preset)
    with pytest.raises(InputError, match="no preset"):
        spec_for(suite, "react", "da_agent", models=(model,), preset="published")


def test_what_asks_for_one_data_file_is_refused_before_anything_runs(suite, model):
    pytest.importorskip("smolagents", reason="needs the extra smolagents")
    for preset in ("dsbc", "dsbc-8", "dsbc-5"):
        with pytest.raises(SuiteError, match="not about one data file"):
            spec_for(suite, "smolagents", models=(model,), preset=preset)
    spec_for(suite, "smolagents", models=(model,), preset="agenticdatabench")


def test_what_agents_may_install_is_the_papers_unless_the_run_says_otherwise_and_is_recorded(suite, model):
    paper = spec_for(suite, "react", models=(model,), preset="agenticdatabench")
    plain = spec_for(suite, "react", models=(model,), preset="agenticdatabench", packages="none")
    assert (paper.packages, plain.packages) == ("wheelhouse", "none")
    assert "wheelhouse" in paper.versions
    assert "wheelhouse" not in plain.versions
    assert paper.titled(paper.cells[0]).endswith("packages=wheelhouse")
    assert any(line.startswith("packages: ") for line in paper.differences(plain))
    assert Play(suite, paper.cells[0], paper).sample("a", 1).sandbox.config.packages == "wheelhouse"
