"""Every command on a page is one that the program knows, with options and arguments that it takes."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from commands import PAGES, ROOT, Shown, Wrong, check, shown


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_commands_of_a_page_parse(page):
    wrong = []
    for command in shown(page):
        try:
            check(command)
        except Wrong as error:
            wrong.append(str(error))
    assert not wrong, "\n".join(wrong)


def test_commands_are_found_in_blocks_lines_and_behind_others():
    found = [command for page in PAGES for command in shown(page)]
    assert sum(command.whole for command in found) > 90
    assert sum(not command.whole for command in found) > 30
    assert {command.words[0] for command in found} >= {"run", "score", "import", "export", "suites", "skills", "view"}


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("scoree", "lake", "runs/a"), "no command"),
        (("score", "lake", "runs/a", "--mod", "both"), "No such option|no such option"),
        (("score", "lake"), "(?i)missing"),
        (("score", "lake", "a", "b"), "extra argument"),
        (("score", "lake", "a", "--mode", "all"), "(?i)(not one of|should be)"),
        (("run", "lake", "--limit", "many"), "valid integer"),
        (("suites", "build", "coda_bench", "--task", "x"), "(?i)no such option"),
        (("suites", "build", "codabench"), "no suite family"),
        (("export", "atiff", "x"), "no command"),
    ],
)
def test_what_the_program_does_not_know_is_found(words, why):
    with pytest.raises(Wrong, match=why):
        check(Shown("here", words, whole=True))
