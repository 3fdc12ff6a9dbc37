"""How programs are started: what stands in their places, and which cannot be."""

from pathlib import Path

import pytest

from benchwright.errors import InputError
from benchwright.live.agents import harness, programs
from benchwright.live.agents.harness import Places

PLACES = Places(prompt="Sum {model} up", model_base_url="http://127.0.0.1:9", model="gpt-5")


def test_places_are_filled_once_and_braces_of_others_stay():
    filled = PLACES.fill('{"task": "{prompt}", "at": "{model_base_url}/v1", "in": "{workspace}", "x": {}}')
    assert filled == '{"task": "Sum {model} up", "at": "http://127.0.0.1:9/v1", "in": "/workspace", "x": {}}'


def test_a_models_name_is_its_last_part_in_letters_that_no_file_or_line_minds():
    assert harness.model_name('openai-api/local/my model"\n[x]') == "my-model-x"
    assert harness.model_name("anthropic/claude-sonnet-4-6") == "claude-sonnet-4-6"
    assert harness.model_name("scripted//") == "model"


@pytest.mark.parametrize(
    "made",
    [
        harness.claude_code(Path("/p"), Path("/usr/bin/node"), "1"),
        harness.codex(Path("/p/codex"), "1"),
        harness.mini_swe_agent(Path("/p"), "1"),
        harness.openhands(Path("/p"), "1"),
    ],
    ids=lambda made: made.name,
)
def test_each_program_is_told_where_its_model_is_and_given_no_key(made):
    texts = [*made.argv, *made.environment.values(), *made.files.values()]
    assert any("{model_base_url}" in text for text in texts)
    assert any("{prompt}" in text or "{prompt_file}" in text for text in texts) or made.task_on_stdin
    keys = [text for name, text in made.environment.items() if name.endswith("_KEY")]
    assert keys == [harness.NO_KEY] * len(keys)
    assert keys


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", "argv: Field required"),
        ("argv = []", "argv: Tuple should have at least 1 item"),
        ('argv = ["a"]\nshell = true', "shell: Extra inputs are not permitted"),
        ('argv = ["a"]\nfolders = ["gone"]', "a folder of the program is not there"),
    ],
)
def test_a_description_that_is_wrong_is_an_error_of_input(tmp_path, text, found):
    (tmp_path / "agent.toml").write_text(text)
    with pytest.raises(InputError, match=found):
        programs.harness_of(f"command@{tmp_path}/agent.toml")


def test_an_agent_command_without_a_description_says_what_is_wanted():
    with pytest.raises(InputError, match=r"command@FILE\.toml"):
        programs.harness_of("command")
