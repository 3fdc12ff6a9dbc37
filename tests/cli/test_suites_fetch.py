import json

import pytest
from typer.testing import CliRunner

from benchwright.cli import app
from benchwright.errors import InputError

pytestmark = pytest.mark.usefixtures("own_home")

RECORD = {"instance_id": 0, "question": "How many?", "answer": "1", "release_community": "community_7"}


def run(*words):
    return CliRunner().invoke(app, ["suites", "fetch", *map(str, words)], catch_exceptions=True)


def test_a_folder_is_fetched_and_built_by_name(tmp_path):
    (tmp_path / "coda_bench.json").write_text(json.dumps([RECORD]))
    done = run("coda_bench", "--from", tmp_path, "--rooms", "none")
    assert done.exit_code == 0, done.output
    assert f"coda_bench v1.0.0: 1 tasks in {tmp_path / 'home' / 'suites' / 'coda_bench'}" in done.output
    assert (tmp_path / "home" / "suites" / "coda_bench" / "tasks.jsonl").is_file()


def test_a_family_without_downloads_says_so():
    assert isinstance(run("folder").exception, InputError)
    assert "nothing to fetch" in str(run("folder").exception)
