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


def test_a_folder_is_listed_with_everything_in_it(tmp_path, monkeypatch):
    monkeypatch.setenv("BENCHWRIGHT_HOME", str(tmp_path / "home"))
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "t.csv").write_text("name,n\nann,1\n")
    (folder / "\x1b[2Jodd.bin").write_bytes(b"\x00\x01")
    shown = profile(folder)
    assert "name, n" in shown.stdout
    assert "begins with 0001" in shown.stdout
    assert "\x1b[2J" not in shown.stdout
    files = json.loads(profile(folder, "--json").stdout)["files"]
    assert [each["format"] for each in files] == ["unknown", "csv"]
    assert files[1]["tables"][0]["sample"] == [{"name": "ann", "n": 1}]
    page = tmp_path / "page.html"
    told = profile(folder, "--structure", "prompt", "--out", page).stdout.splitlines()
    assert told[0] == told[-1]
    assert '  - "name" text, 1 different, such as "ann"' in told
    assert "t.csv" in page.read_text()
    private = profile(folder, "--json", "--no-sample").stdout
    assert '"sample": []' in private


def test_a_file_that_cannot_be_read_is_exit_code_2(tmp_path):
    done = profile(tmp_path / "none.csv")
    assert done.returncode == 2
    assert "none.csv" in done.stderr
