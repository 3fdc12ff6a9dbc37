import json
import subprocess
import sys

import pytest
from tests.publishing.recomputing import whole_report_recomputed

pytestmark = pytest.mark.slow

PROGRAM = [sys.executable, "-c", "from benchwright.cli import main; main()"]


def test_the_gold_code_of_the_worked_questions_is_right_when_a_model_writes_it(shared, tmp_path, toolbox):
    data = shared / "data" / "dsbc"
    questions = [json.loads(line) for line in (data / "questions_sample.jsonl").read_text().splitlines()]
    replies = [(row["query_clean"], json.dumps({"explanation": "", "code": row["gold_code"]})) for row in questions]
    script = tmp_path / "script.jsonl"
    script.write_text("".join(json.dumps({"match": asked, "text": text}) + "\n" for asked, text in replies))
    build = ["suites", "build", "dsbc", "--queries", data / "questions_sample.jsonl", "--data", data]
    subprocess.run([*PROGRAM, *build, "--out", tmp_path / "suite"], check=True, capture_output=True)
    play = [
        "run",
        tmp_path / "suite",
        "--agent",
        "single_code",
        "--variants",
        "clean",
        "--out",
        tmp_path / "run",
        "--json",
    ]
    done = subprocess.run(
        [*PROGRAM, *play, "--model", f"scripted/{script}"], capture_output=True, text=True, timeout=800, check=False
    )
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    (cell,) = document["scores"]["cells"]
    assert (cell["sound"]["mean"], cell["reference"]["mean"], cell["sound"]["n"]) == (1.0, 1.0, 14)
    assert cell["discovery"]["sound"]["mean"] == 1.0
    assert document["prompts"]["single_code"] == "reworded"
    found, wrong = whole_report_recomputed(tmp_path / "run", tmp_path / "report")
    assert found > 50
    assert wrong == ([], [], [])
