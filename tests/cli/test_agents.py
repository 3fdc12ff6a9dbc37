import json

from typer.testing import CliRunner

from benchwright.cli import app
from benchwright.live.agents import OURS, agent_for
from benchwright.live.prompts import Prompts
from benchwright.sandbox.programs import pins


def test_agents_are_listed_by_the_names_that_a_run_takes_with_what_they_need():
    done = CliRunner().invoke(app, ["agents", "list", "--json"])
    listed = {each["name"]: each for each in json.loads(done.stdout)["agents"]}
    assert set(listed) == {*OURS, *pins()}
    assert all(agent_for(name, "", Prompts(None)) for name in OURS)
    assert {each["installed"] for name, each in listed.items() if name in OURS} == {"built in"}
    talking = {name for name, each in listed.items() if each["needs_model"]}
    assert talking >= {"react", "single_code", "multi_code"}
    assert {name for name, each in listed.items() if each["needs_sandbox"]} == {"oracle", "explorer", *talking}


def test_agents_are_a_table_for_people():
    shown = CliRunner().invoke(app, ["agents", "list"]).stdout
    assert "know_nothing" in shown
    assert "file.py@function" in shown
