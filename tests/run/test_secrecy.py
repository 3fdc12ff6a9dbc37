import json

import pytest

from benchwright.run import Cell, RunFolder, RunSpec
from benchwright.run.secrecy import HIDDEN, cleared_values, is_secret, is_secret_name

CANARY = "canary-key-9c31f0aa7d"


@pytest.mark.parametrize(
    "name",
    [
        *("api_key", "apiKey", "API_KEY", "OPENAI_API_KEY", "HF_TOKEN", "auth", "dbPassword", "aws_secret_access_key"),
        *("aws_session_token", "Authorization", "access_tokens", "client_secret", "github_pat", "cookie", "x-api-key"),
    ],
)
def test_names_of_secrets_are_known(name):
    assert is_secret_name(name)
    assert is_secret(name, "some value")


@pytest.mark.parametrize(
    "name", ["max_tokens", "strict_tools", "tokenizer", "base_url", "keyboard", "monkey", "author", "stream"]
)
def test_names_of_other_settings_are_left_alone(name):
    assert not is_secret_name(name)
    assert not is_secret(name, "some value")


@pytest.mark.parametrize(
    "value",
    ["https://me:hunter2@host/v1", '{"x": "Bearer abcdefgh123"}', "sk-abcdefghijklmnop1234", "AKIAABCDEFGHIJKLMNOP"],
)
def test_values_that_look_like_keys_are_secret_under_any_name(value):
    assert is_secret("extra", value)


def test_switches_and_numbers_are_no_secrets():
    assert not is_secret("use_auth", "true")
    assert not is_secret("api_key", "")
    assert not is_secret("token", 7)


def test_whatever_a_secret_variable_holds_is_secret_under_any_name(monkeypatch):
    assert not is_secret("organization", CANARY)
    monkeypatch.setenv("MY_SERVICE_TOKEN", CANARY)
    assert is_secret("organization", CANARY)
    assert cleared_values({"a": [f"x {CANARY} y"], CANARY: 1}) == {"a": [f"x {HIDDEN} y"], HIDDEN: 1}
    monkeypatch.delenv("MY_SERVICE_TOKEN")
    assert cleared_values([CANARY]) == [CANARY]


def spec_with(**arguments) -> RunSpec:
    cell = Cell(agent="react", model="m", suite_digest="d")
    return RunSpec(suite="s", suite_folder="/s", suite_digest="d", cells=(cell,), model_args=arguments)


def test_secret_arguments_are_in_no_record_and_make_no_other_run(tmp_path, monkeypatch):
    monkeypatch.setenv("MY_SERVICE_TOKEN", "by-environment-77")
    spec = spec_with(api_key=CANARY, strict_tools="false", org="by-environment-77")
    assert spec.secret_args == {"api_key": CANARY, "org": "by-environment-77"}
    assert spec.model_args == {"api_key": HIDDEN, "strict_tools": "false", "org": HIDDEN}
    for text in (json.dumps(spec.to_json()), spec.model_dump_json(), repr(spec)):
        assert CANARY not in text
        assert "by-environment" not in text
    folder = RunFolder.create(tmp_path / "run", spec)
    folder.append("note", text=f"{CANARY} by-environment-77")
    assert CANARY not in (tmp_path / "run" / "run.toml").read_text()
    assert "by-environment" not in folder.events_path.read_text()
    RunFolder.create(tmp_path / "run", spec_with(api_key="another", strict_tools="false", org="by-environment-77"))


def test_a_key_that_an_older_version_wrote_is_taken_out_when_the_run_is_taken_up(tmp_path):
    RunFolder.create(tmp_path / "run", spec_with(api_key=CANARY))
    path = tmp_path / "run" / "run.toml"
    path.write_text(path.read_text().replace(HIDDEN, CANARY))
    RunFolder.create(tmp_path / "run", spec_with(api_key=CANARY))
    assert CANARY not in path.read_text()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PWD", "/workspace/of/nobody"),
        ("OLDPWD", "/workspace/of/nobody"),
        ("POSTGRES_PASSWORD", "postgres"),
        ("GOOGLE_APPLICATION_CREDENTIALS", "/usr/bin"),
    ],
)
def test_folders_and_plain_words_are_not_taken_out_of_what_agents_write(monkeypatch, name, value):
    monkeypatch.setenv(name, value)
    assert cleared_values(f"cat {value}/a.csv") == f"cat {value}/a.csv"


@pytest.mark.parametrize("value", ["correct horse", "correcthorsebattery", "Passw0rds", "/not/here/but/a/key+x"])
def test_other_values_of_secret_variables_are_taken_out(monkeypatch, value):
    monkeypatch.setenv("DB_PASSWORD", value)
    assert cleared_values(f"psql {value}") == f"psql {HIDDEN}"
