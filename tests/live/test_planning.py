import math

import pytest

from benchwright.errors import InputError
from benchwright.live.planning import default_folder
from benchwright.live.sweeps import swept
from benchwright.suite import Selection, Suite

from .conftest import script, spec_for


def test_a_sweep_takes_both_ends_in_decimal_steps():
    assert [setting["temperature"] for setting in swept(("temperature=0:1:0.1",))] == [
        round(n / 10, 1) for n in range(11)
    ]
    assert swept(("temperature=0,1", "seed=7")) == ({"temperature": 0, "seed": 7}, {"temperature": 1, "seed": 7})
    assert swept(()) == ({},)
    assert swept(("temperature=0.1:0.35:0.1",)) == tuple({"temperature": value} for value in (0.1, 0.2, 0.3))
    assert swept(("reasoning_effort=low,high",)) == ({"reasoning_effort": "low"}, {"reasoning_effort": "high"})


def test_equal_values_are_one_cell_however_they_are_written(suite):
    cells = [
        spec_for(suite, "react", models=("scripted/x",), sweep=(f"temperature={text}",)).cells for text in ("1", "1.0")
    ]
    assert cells[0][0].id == cells[1][0].id


def test_a_setting_is_swept_once():
    with pytest.raises(InputError, match="swept twice"):
        swept(("temperature=0,1", "temperature=0.5"))


@pytest.mark.parametrize(
    "text",
    [
        *("temperature", "warmth=1", "temperature=a,b", "temperature=0:1:0", "temperature=0:1", "temperature=0:1e9:1"),
        *("temperature=1:0:0.1", "temperature=nan", "temperature=0:inf:1", "temperature=0:1:nan", "seed=1.5"),
        *("temperature=0,0.0", "stop_seqs=a", "temperature=", "temperature=0:1:0.1:2"),
    ],
)
def test_a_sweep_that_cannot_be_is_an_error(text):
    with pytest.raises(InputError, match="cannot sweep"):
        swept((text,))


def test_cells_are_every_agent_with_every_model_and_setting_and_agents_without_a_model_once(suite):
    spec = spec_for(suite, "react", "constant", models=("scripted/x", "scripted/y"), sweep=("temperature=0,1",))
    assert [cell.title for cell in spec.cells] == [
        "react scripted/x temperature=0",
        "react scripted/x temperature=1",
        "react scripted/y temperature=0",
        "react scripted/y temperature=1",
        "constant",
    ]


@pytest.mark.parametrize(
    ("agents", "request_", "message"),
    [
        (("react",), {}, "needs a model"),
        (("constant",), {"models": ("scripted/x",)}, "leave out --model"),
        (("constant", "constant"), {}, "the same twice"),
        (("nobody",), {"models": ("scripted/x",)}, "no agent 'nobody'"),
        (("nobody",), {}, "no agent 'nobody'"),
        (("constant",), {"sweep": ("temperature=0,1",)}, "--sweep has no meaning"),
        (("constant",), {"preset": "text"}, "--preset has no meaning"),
        (("constant",), {"model_args": {"api_key": "hush"}}, "-M has no meaning"),
        (("constant",), {"limits": {"patience": 1.0}}, "no limit 'patience'"),
        (("constant",), {"limits": {"memory_mb": -3.0}}, "no such limit: memory_mb of -3"),
        (("constant",), {"limits": {"processes": 1.5}}, "a whole number above 0"),
        (("constant",), {"limits": {"processes": 1e30}}, "no such limit: processes"),
        (("constant",), {"limits": {"cpus": 0.0}}, "no such limit: cpus of 0"),
        (("constant",), {"limits": {"wall_seconds": math.inf}}, "no such limit: wall_seconds of inf"),
        (("constant",), {"limits": {"memory_mb": math.nan}}, "no such limit: memory_mb of nan"),
        (("constant",), {"budget_minutes": math.nan}, "--budget-minutes cannot be nan"),
        (("constant",), {"budget_minutes": math.inf}, "--budget-minutes cannot be inf"),
        (("constant",), {"budget_usd": 0.0}, "--budget-usd cannot be 0"),
        (("constant",), {"calls_per_minute": 0.0}, "--calls-per-minute cannot be 0"),
        ((), {}, "--agent names no agent"),
        (("react",), {"models": ("scripted/x",), "preset": "odd"}, "no preset 'odd'"),
        (("constant",), {"selection": Selection(ids=("z",))}, "no task 'z'"),
        (("constant",), {"variants": ("raw",)}, "no variant 'raw'"),
        (("/no/such.py@agent",), {"models": ("scripted/x",)}, "no such agent file"),
    ],
)
def test_what_cannot_be_is_said_before_anything_runs(suite, agents, request_, message):
    with pytest.raises(InputError, match=message):
        spec_for(suite, *agents, **request_)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("x = 'never closed\n", r"unterminated string literal .*, line 1"),
        (
            "\nimport no_such_library_of_mine\n",
            "ModuleNotFoundError: No module named 'no_such_library_of_mine', line 2",
        ),
        ("def agent(): return 1 / 0\n", "ZeroDivisionError: division by zero, line 1"),
        ("def agent(): return 7\n", "it returns int"),
        ("other = 1\n", "no such name"),
    ],
)
def test_what_is_wrong_with_a_file_that_should_make_an_agent_is_said_as_its_authors_to_mend(
    suite, tmp_path, text, found
):
    (tmp_path / "mine.py").write_text(text)
    with pytest.raises(InputError, match=rf"mine.py .* no agent[\s\S]*found: {found}"):
        spec_for(suite, f"{tmp_path}/mine.py@agent", models=("scripted/x",))


def test_the_same_request_goes_to_the_same_folder_and_another_to_another(suite):
    folder = default_folder(spec_for(suite, "constant"))
    assert folder == default_folder(spec_for(suite, "constant", budget_minutes=3.0, max_parallel=2))
    assert folder != default_folder(spec_for(suite, "constant", epochs=2))


def test_an_oracle_needs_the_gold(suite):
    (suite.folder / "gold" / "gold.jsonl").unlink()
    with pytest.raises(InputError, match="holds no gold"):
        spec_for(type(suite).open(suite.folder), "oracle")


def test_a_script_that_is_not_there_is_said_before_anything_runs(suite, run_suite):
    with pytest.raises(Exception, match="no script 'missing'"):
        run_suite(suite, "react", models=("scripted/missing",))
    assert script("missing")


def test_rooms_that_are_not_here_are_missed_by_agents_that_work_in_them_only(suite):
    (suite.folder / "data" / "shop").rename(suite.folder / "data" / "moved")
    spec_for(suite, "constant")
    with pytest.raises(InputError, match="1 of the rooms") as caught:
        spec_for(suite, "explorer")
    assert "shop" in caught.value.found


def test_a_gold_that_cannot_be_read_is_found_before_anything_is_spent(suite):
    (suite.folder / "gold" / "gold.jsonl").write_text("nonsense\n")
    with pytest.raises(InputError, match=r"gold\.jsonl, line 1"):
        spec_for(Suite.open(suite.folder), "react", models=("scripted/x",))
