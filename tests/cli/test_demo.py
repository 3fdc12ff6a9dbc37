import json
import subprocess
import sys

import pytest
from tests.publishing.recomputing import whole_report_recomputed


@pytest.mark.slow
def test_the_demo_runs_five_agents_over_twenty_tasks_and_says_where_the_run_is_and_its_report_can_be_recomputed(
    tmp_path,
):
    program = [sys.executable, "-c", "from benchwright.cli import main; main()", "demo", "--json"]
    done = subprocess.run(program, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert (document["planned"], document["done"]) == (100, 100)
    assert document["run"] == "runs/demo-1"
    cells = {cell["title"]: cell for cell in document["scores"]["cells"]}
    assert set(cells) == {"oracle", "explorer", "know_nothing", "constant", "random"}
    assert cells["oracle"]["sound"]["mean"] == cells["oracle"]["discovery"]["sound"]["mean"] == 1.0
    assert cells["random"]["sound"]["mean"] <= 0.05
    found, wrong = whole_report_recomputed(tmp_path / "runs" / "demo-1", tmp_path / "report")
    assert found > 500
    assert wrong == ([], [], [])
