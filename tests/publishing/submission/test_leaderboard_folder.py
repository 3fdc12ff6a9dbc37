"""A leaderboard from its making to its pages: real submissions verified, hostile words shown, nothing loaded or run."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from benchwright.cli import app
from benchwright.errors import InputError
from benchwright.publishing.leaderboard.repository import REFUTED, Leaderboard
from benchwright.publishing.leaderboard.site import write_pages
from benchwright.publishing.submission import About, make, write

HOSTILE = "<script>alert(1)</script>"


def asked(*arguments, code=0):
    done = CliRunner().invoke(app, ["leaderboard", *map(str, arguments)])
    assert done.exit_code == code, done.output + repr(done.exception)
    return done


@pytest.fixture(scope="session")
def board(suite, run, tmp_path_factory):
    """A leaderboard of the suite: the real submission, one whose words mean harm, a claim, and an anonymous entry."""
    folder = tmp_path_factory.mktemp("board") / "board"
    asked("init", folder, "--suite", suite.folder, "--then", "hard", "--title", f"All {HOSTILE}")
    files = folder.parent
    words = {
        "organization": HOSTILE,
        "notes": f"{HOSTILE}\u202e",
        "paper": "javascript:alert(1)",
        "code": "https://example.org/?a=<b>",
    }
    write(make(suite, [run], about=About(submission_id="real", method="Real")), files / "real.zip")
    write(make(suite, [run], about=About(submission_id="odd", method=f"Odd {HOSTILE}", **words)), files / "odd.zip")
    write(
        make(suite, [run], about=About(submission_id="hidden", method="Unknown", organization="Makers")),
        files / "hidden.zip",
    )
    full = {"execution_accuracy": 0.8, "discovery_accuracy": None, "n_tasks": 5}
    claim = {"submission_id": "claimed", "method": "Claim", "model": "m", "results": {"full": full}}
    (files / "claimed.json").write_text(json.dumps(claim))
    asked("add", files / "real.zip", files / "hidden.zip", "--to", folder, "--suite", suite.folder)
    asked("add", files / "odd.zip", files / "claimed.json", "--to", folder)
    settings = folder / "leaderboard.toml"
    settings.write_text(settings.read_text().replace("[sizes]", 'anonymous = ["hidden"]\n\n[sizes]'))
    return folder


@pytest.fixture(scope="session")
def site(board, tmp_path_factory):
    out = tmp_path_factory.mktemp("site") / "site"
    asked("site", board, "--out", out)
    return out


def test_statuses_say_by_whose_word_a_number_stands(board):
    document = json.loads(asked("rank", board, "--json").stdout)
    assert {entry["submission_id"]: entry["status"] for entry in document["entries"]} == {
        "real": "verified", "odd": "stated", "claimed": "claim", "anonymous-1": "verified",
    }  # fmt: skip
    assert [entry["place"] for entry in document["entries"]] == [1, 2, 2, 2]
    assert {pair["test"] for pair in document["pairs"]} == {"paired", "proportions"}
    assert document["tables"]["domains"]


def test_verify_scores_what_was_only_stated(board, suite, tmp_path):
    shutil.copytree(board, tmp_path / "copy")
    told = asked("verify", tmp_path / "copy", "--suite", suite.folder).stderr
    assert "odd: verified" in told
    assert (tmp_path / "copy" / "scores" / "odd.json").is_file()


def test_what_verify_refuses_leaves_the_ranking(board, rewritten, suite, tmp_path):
    copied = tmp_path / "copy"
    shutil.copytree(board, copied)
    claims = {"n_correct": 5, "execution_accuracy": 1.0}
    forged = rewritten(
        "submission.json",
        lambda form: form | {"submission_id": "forged", "results": {"full": form["results"]["full"] | claims}},
    )
    shutil.copy(forged, copied / "submissions" / "forged.zip")
    asked("verify", copied, "--suite", suite.folder, code=1)
    ranked = json.loads(asked("rank", copied, "--json").stdout)
    assert "forged" not in json.dumps(ranked["entries"])
    assert REFUTED in (copied / "leaderboard.toml").read_text()


def test_the_site_of_a_private_board_offers_no_file(board, tmp_path):
    shutil.copytree(board, tmp_path / "copy")
    settings = tmp_path / "copy" / "leaderboard.toml"
    text = settings.read_text()
    settings.write_text(
        text.replace("private = false", "private = true") if "private" in text else "private = true\n" + text
    )
    asked("site", tmp_path / "copy", "--out", tmp_path / "site")
    assert not (tmp_path / "site" / "submissions").exists()


def test_a_check_writes_nothing_and_refuses_what_is_tampered_with(board, rewritten, archive, suite):
    before = sorted(board.rglob("*"))
    assert "fine" in asked("check", board, archive).stderr
    bad = rewritten("submission.json", lambda form: form["results"]["full"].update(n_correct=4))
    assert "4 of 5 tasks is 0.8" in asked("check", board, bad, code=1).stderr
    assert (
        "real already"
        in asked(
            "check", board, rewritten("submission.json", lambda form: form | {"submission_id": "real"}), code=1
        ).stderr
    )
    assert sorted(board.rglob("*")) == before


def test_the_site_offers_what_can_be_scored_again_but_no_anonymous_file(site):
    assert {path.name for path in (site / "submissions").iterdir()} == {"real.zip", "odd.zip"}
    text = "".join(path.read_text() for path in site.glob("*.*") if path.is_file())
    assert "Makers" not in text
    assert "Unknown" not in text
    assert "hidden.zip" not in text
    assert {path.name for path in site.glob("*.html")} == {"index.html", "hard.html"}
    assert (site / ".nojekyll").is_file()


def test_a_site_is_made_anew_but_takes_no_other_folder_s_place(board, site, tmp_path):
    assert write_pages(Leaderboard.open(board), site) == (2, ())
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "kept.txt").write_text("kept")
    with pytest.raises(InputError, match="other things than a site"):
        write_pages(Leaderboard.open(board), tmp_path / "mine")
    assert [path.name for path in tmp_path.rglob("*")] == ["mine", "kept.txt"]


def test_a_board_without_entries_says_so_and_a_refusal_tells_reasons_before_notes(tmp_path, suite, run):
    asked("init", tmp_path / "new", "--suite", suite.folder, "--subset", "hard")
    assert asked("rank", tmp_path / "new").stdout == "no entries yet: benchwright leaderboard add takes them in\n"
    write(make(suite, [run], about=About(submission_id="odd", method="Odd")), tmp_path / "odd.zip")
    told = asked("check", tmp_path / "new", tmp_path / "odd.zip", "--suite", suite.folder).stderr.splitlines()
    assert told[0] == "odd: fine"
    assert told[1].startswith("  note, discovery: ")


def test_what_is_no_leaderboard_is_one_message(tmp_path, suite, board):
    for arguments in (
        ("rank", tmp_path),
        ("init", board, "--suite", suite.folder),
        ("init", tmp_path / "x", "--suite", suite.folder, "--subset", "no"),
    ):
        done = CliRunner().invoke(app, ["leaderboard", *map(str, arguments)])
        assert done.exception.exit_code == 2


@pytest.fixture(scope="module")
def page(opened_offline, site):
    with opened_offline(site / "index.html") as page:
        yield page


def test_the_pages_show_hostile_words_sort_and_lead_to_entries(page):
    assert page.locator("h1").inner_text() == f"All {HOSTILE}"
    rows = page.locator("#table-places tbody tr")
    assert rows.count() == 4
    page.locator("#table-places thead th", has_text="method").locator("button").click()
    page.locator("#table-places a", has_text="Odd").click()
    details = page.locator("#odd[open]")
    details.wait_for()  # the link opens it
    assert "⟨U+202E⟩" in details.inner_text()
    assert details.locator("a").evaluate_all("found => found.map(each => each.getAttribute('href'))") == [
        "https://example.org/?a=<b>", "submissions/odd.zip",
    ]  # fmt: skip
    page.locator("nav a", has_text="hard").click()
    assert page.locator("#table-places tbody tr").count() == 3  # the claim has no results on it
    assert page.locator("#table-outside tbody").inner_text().count("no Execution Accuracy on hard") == 1


GIT = ("git", "-c", "user.name=a", "-c", "user.email=a@example.org")


def steps(board):
    """The programs of the pull-request check."""
    yaml = pytest.importorskip("yaml")
    workflow = yaml.safe_load((board / ".github" / "workflows" / "check.yml").read_text())
    assert workflow["permissions"] == {"contents": "read"}
    assert workflow[True] == "pull_request"  # "on", as YAML 1.1 reads it; never with the base's rights
    return [step["run"] for step in workflow["jobs"]["check"]["steps"] if "BASE" in step.get("env", {})]


@pytest.fixture
def repository(board, tmp_path):
    """The leaderboard as a repository: its folder, git there, whether a step of its workflow passes, and the steps."""
    folder = tmp_path / "repository"
    shutil.copytree(board, folder)

    def git(*arguments):
        done = subprocess.run([*GIT, *arguments], cwd=folder, capture_output=True, text=True, check=True)
        return done.stdout.strip()

    git("init", "-q")
    git("add", "-A")
    git("commit", "-qm", "base")
    first = git("rev-parse", "HEAD")
    programs = Path(sys.executable).parent  # where `benchwright` is installed

    def passes(script, base=first):
        environment = {"BASE": base, "PATH": f"{programs}:/usr/bin:/bin", "HOME": str(tmp_path)}
        done = subprocess.run(
            ["bash", "-eo", "pipefail", "-c", script], cwd=folder, env=environment, capture_output=True, check=False
        )
        return done.returncode == 0

    return folder, git, passes, tuple(steps(board))


def test_the_workflow_of_the_template_takes_a_new_submission_and_refuses_a_changed_one(repository, archive, rewritten):
    """Its own shell steps, in a repository as a pull request makes it; file names are hostile, too."""
    folder, git, passes, (unchanged, taken) = repository
    assert "${{" not in unchanged + taken
    base = git("rev-parse", "HEAD")
    shutil.copy(archive, folder / "submissions" / "new $(touch ran) .zip")
    git("add", "-A")
    git("commit", "-qm", "one more")
    assert passes(unchanged)
    assert passes(taken)
    assert not (folder / "ran").exists()
    shutil.copy(rewritten("predictions.jsonl", lambda lines: lines[1:]), folder / "submissions" / "bad.zip")
    git("add", "-A")
    git("commit", "-qm", "a bad one")
    assert not passes(taken)
    git("reset", "-q", "--hard", base)
    (folder / "scores").mkdir(exist_ok=True)
    (folder / "scores" / "mine.json").write_text("{}")
    git("add", "-A")
    git("commit", "-qm", "a score of one's own")
    assert not passes(unchanged)
    git("reset", "-q", "--hard", base)
    (folder / "submissions" / "claimed.json").write_text("{}")
    git("commit", "-qam", "changed")
    assert not passes(unchanged)
    git("reset", "-q", "--hard", base)
    (folder / "submissions" / "link.zip").symlink_to("real.zip")
    git("add", "-A")
    git("commit", "-qm", "a link")
    assert not passes(unchanged)


def test_the_workflow_takes_a_folder_as_one_submission_and_lets_nobody_add_to_it(package, repository):
    """A submission as a folder is checked whole, not file by file."""
    folder, git, passes, (unchanged, taken) = repository
    write(package, folder / "submissions" / "a folder")
    git("add", "-A")
    git("commit", "-qm", "one as a folder")
    assert passes(unchanged)
    assert passes(taken)
    merged = git("rev-parse", "HEAD")
    (folder / "submissions" / "a folder" / "files" / ("0" * 64)).write_text("more")
    git("add", "-A")
    git("commit", "-qm", "more for it")
    assert not passes(unchanged, merged)
    git("reset", "-q", "--hard", merged)
    predictions = folder / "submissions" / "a folder" / "predictions.jsonl"
    predictions.write_text("".join(predictions.read_text().splitlines(keepends=True)[1:]))
    git("commit", "-qam", "a tampered folder")
    assert not passes(taken)
