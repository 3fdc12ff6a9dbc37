"""A run is handed in by the form in a browser, as people do it: made, checked, uploaded, scored anew, ranked, shown."""

import json
import os
import subprocess
import sys

from tests.leaderboard.given import CANARY, TASKS, program, submission
from tests.leaderboard.test_round_trip import LOG, changed, packed

PROGRAM = [sys.executable, "-c", "from benchwright.cli import main; main()"]


def command(*words):
    done = subprocess.run([*PROGRAM, *map(str, words)], capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stderr
    return done.stdout


def _is_fault(said):
    """Whether a page complains, of more than that a form was answered with 409."""
    return said.type == "error" and "409" not in said.text


def hand_in(page, server, path, trajectories=None):
    """Send a file by the form, with the keys alone but for choosing the files."""
    page.goto(f"{server.address}/submit")
    page.get_by_label("Submission").set_input_files(path)
    if trajectories:
        page.get_by_label("Trajectories").set_input_files(trajectories)
    page.get_by_label("Show it without names").focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")


NARROW, WIDE = {"width": 360, "height": 740}, {"width": 1280, "height": 800}


def all_fits_and_is_named(page):
    """No page is wider than a narrow screen, in the light and in the dark, and all that is filled in has a label."""
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        page.set_viewport_size(NARROW)
        wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert wide == 0, (page.url, scheme)
    page.set_viewport_size(WIDE)
    bare = "[...document.querySelectorAll('input:not([type=hidden])')].filter(each => !each.labels.length).length"
    assert page.evaluate(bare) == 0
    assert page.locator("h1").count() == 1


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
        page.on("console", lambda said: complaints.append(said.text) if _is_fault(said) else None)
        page.goto(server.address)
        assert "Nothing is ranked yet" in page.inner_text("main")
        page.click("text=Sign in")
        page.fill("#token", token)
        page.click("#send")
        page.wait_for_url("**/submit")
        for path in (tmp_path / "constant.zip", better):
            hand_in(page, server, path, tmp_path / "logs.tar.gz" if path == better else None)
            page.wait_for_url("**/entries/*")
            page.wait_for_selector("#status >> text=scored")  # the page looks again by itself
        assert f"full\t{TASKS}\t0.70\t0.50" in page.inner_text("main table")
        if pictures := os.environ.get("BENCHWRIGHT_TEST_PICTURES"):
            page.screenshot(path=f"{pictures}/entry.png")
        page.click("text=task-3")
        assert "I looked at <b>sales.csv</b>" in page.inner_text("main")
        all_fits_and_is_named(page)
        hand_in(page, server, better)
        assert "handed in already" in page.inner_text("#problem")
        page.click("#problem >> text=Look at it")
        page.wait_for_url("**/entries/*")
        tampered = changed(better.read_bytes(), "predictions.jsonl", lambda data: data.replace(b"wrong 9", b"right 9"))
        (tmp_path / "tampered.zip").write_bytes(tampered)
        hand_in(page, server, tmp_path / "tampered.zip")
        page.wait_for_selector("#status >> text=refused")
        assert "is not the one of the manifest" in page.inner_text("#reason")
        for path in ("", "mine", "submit"):
            page.goto(f"{server.address}/{path}")
            all_fits_and_is_named(page)
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
