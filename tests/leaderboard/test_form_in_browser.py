"""A run is handed in by the form in a browser, as people do it: made, checked, uploaded, scored anew, ranked, shown."""

import json
import os
import subprocess
import sys

from tests.leaderboard.given import CANARY, TASKS, program, submission
from tests.leaderboard.test_round_trip import LOG, packed

PROGRAM = [sys.executable, "-c", "from benchwright.cli import main; main()"]


def command(*words):
    done = subprocess.run([*PROGRAM, *map(str, words)], capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stderr
    return done.stdout


def test_a_run_is_handed_in_scored_ranked_and_shown(suite, tmp_path, browser):
    command("run", suite.folder, "--agent", "constant", "--out", tmp_path / "run")
    command(
        "submission", "make", tmp_path / "run", "--out", tmp_path / "constant.zip", "--organization", "Us & <b>Co</b>"
    )
    checked = json.loads(command("submission", "check", tmp_path / "constant.zip", "--suite", suite.folder, "--json"))
    assert checked["refused"] is False
    better = submission(suite, tmp_path / "better", 7)
    (tmp_path / "logs.tar.gz").write_bytes(packed({"atif/task-3.json": LOG}))
    token = command("leaderboard", "token", "add", "Ann", "--store", tmp_path / "store").strip()
    with program(suite, tmp_path / "store") as (_, server):
        context = browser.new_context()
        context.set_default_timeout(60_000)
        page, complaints = context.new_page(), []
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", lambda said: complaints.append(said.text) if said.type == "error" else None)
        page.goto(server.address)
        assert "Nothing is ranked yet" in page.inner_text("main")
        page.click("text=Sign in")
        page.fill("#token", token)
        page.click("#send")
        page.wait_for_url("**/submit")
        for path in (tmp_path / "constant.zip", better):
            page.goto(f"{server.address}/submit")
            page.set_input_files("#submission", path)
            if path == better:
                page.set_input_files("#trajectories", tmp_path / "logs.tar.gz")
            page.click("#send")
            page.wait_for_url("**/entries/*")
            page.wait_for_selector("#status >> text=scored")  # the page looks again by itself
        assert f"full\t{TASKS}\t0.70\t0.50" in page.inner_text("main table")
        if pictures := os.environ.get("BENCHWRIGHT_TEST_PICTURES"):
            page.screenshot(path=f"{pictures}/entry.png")
        page.click("text=task-3")
        assert "I looked at <b>sales.csv</b>" in page.inner_text("main")
        page.goto(server.address)
        rows = page.locator("table.ranking tbody tr")
        assert [rows.nth(number).locator("td").first.inner_text() for number in range(2)] == ["1", "2"]
        assert "Us & <b>Co</b>" in rows.nth(1).inner_text()
        assert CANARY not in page.content()
        if pictures:
            page.screenshot(path=f"{pictures}/board.png")
        rows.first.locator("a").click()
        page.click("#withdraw")
        page.wait_for_selector("#status >> text=withdrawn")
        page.goto(server.address)
        assert page.locator("table.ranking tbody tr").count() == 1
        context.close()
    assert complaints == []
    assert CANARY not in command("leaderboard", "audit", "--store", tmp_path / "store")
