import json
import subprocess
import sys

PROGRAM = "from benchwright.cli import main; main()"


def profile(*words):
    return subprocess.run(
        [sys.executable, "-c", PROGRAM, "profile", *map(str, words)],
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_file_is_shown_to_people_and_told_to_programs(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("n,d\n1,01/02/2024\n2,13/02/2024\n")
    shown = profile(path)
    assert "2 rows, 2 columns" in shown.stdout
    assert "%d/%m/%Y reads 2 of 2" in shown.stdout
    assert json.loads(profile(path, "--json").stdout)["columns"][0]["numbers"]["median"] == 1.5
    told = json.loads(profile(path, "--structure", "dsbc-paper", "--no-sample").stdout)
    assert "sample_rows" not in told
    other = tmp_path / "u.csv"
    other.write_text("x\n1\n")
    assert set(json.loads(profile(path, other, "--structure", "dsbc-code").stdout)) == {"t.csv", "u.csv"}


def test_a_file_that_cannot_be_read_is_exit_code_2(tmp_path):
    done = profile(tmp_path / "none.csv")
    assert done.returncode == 2
    assert "none.csv" in done.stderr
