import io

import pytest
from rich.console import Console

from benchwright.cli.output import NOT_MEASURED, print_json, print_json_list, print_table, progress, table
from benchwright.cli.run import _troubles
from benchwright.errors import Fault
from benchwright.run import Attempt
from benchwright.trajectory import Answered, Broke, Measured, NotMeasured

COLUMNS = ("agent", "attempts", "scored", "unscored", "broken", "EA\nreference", "EA\nsound", "DA", "median\nseconds")
SHARE = "0.300\n0.15-0.52"


def shown(rows, width):
    text = io.StringIO()
    Console(file=text, width=width).print(table(COLUMNS, rows))
    return text.getvalue()


@pytest.mark.parametrize("agent", ["know_nothing", "react openai/gpt-5-mini"])
def test_the_table_of_a_run_fits_a_terminal_of_a_hundred_columns_with_every_word_whole(agent):
    text = shown([(agent, 1000, 1000, 1000, 1000, SHARE, SHARE, NOT_MEASURED, "1234.56")], 100)
    assert max(map(len, text.splitlines())) <= 100
    for word in (*agent.split(), "unscored", "reference", "0.15-0.52", "measured", "1234.56"):
        assert word in text.split()


def test_a_narrow_terminal_folds_cells_and_loses_no_letter():
    text = shown([("abcdefghijklmnopqrstuvwxyz" * 2, 1, 1, 0, 0, SHARE, SHARE, SHARE, "1.00")], 60)
    column = "".join(line[:12].strip().split(" ")[0] for line in text.splitlines())
    assert "abcdefghijklmnopqrstuvwxyz" * 2 in column
    assert "…" not in text


def attempt(**values):
    return Attempt(task_id="a", epoch=1, cell="c", **values)


def test_what_broke_attempts_or_kept_them_from_being_traced_is_said_with_its_count():
    attempts = [
        attempt(ending=Broke(fault=Fault.MODEL, detail="no answer\x1b[31m"), accesses=NotMeasured(reason="no strace")),
        attempt(ending=Broke(fault=Fault.MODEL, detail="no answer\x1b[31m"), accesses=NotMeasured(reason="no strace")),
        attempt(ending=Answered(), accesses=Measured(tracer="strace", files=())),
    ]
    assert list(_troubles(attempts)) == [
        "2 attempts: broke: model: no answer\\x1b[31m",
        "2 attempts: files read were not measured: no strace",
    ]


@pytest.mark.parametrize("items", [[], [{"a": [1, {"b": "é\n"}]}, {}, []], ["x"]])
def test_a_list_that_is_printed_as_it_comes_is_the_same_document(items, capsysbinary):
    print_json({"files": items})
    whole = capsysbinary.readouterr().out
    print_json_list("files", iter(items))
    assert capsysbinary.readouterr().out == whole


def test_names_and_cells_of_data_are_shown_as_they_are(capsys):
    print_table("[o]ther.csv :smile:", ("[b]old", "x"), [(":x:", "root:x:0"), ("[red]", "[/red]")])
    shown = " ".join(capsys.readouterr().out.split())
    for text in ("[o]ther.csv :smile:", "[b]old", ":x:", "root:x:0", "[red]", "[/red]"):
        assert text in shown


def test_a_title_stays_one_line_however_narrow_its_table(capsys):
    print_table("failures of 3 attempts that both made", ("why", "first"), [("slow", 1)])
    assert capsys.readouterr().out.splitlines()[0] == "failures of 3 attempts that both made"


def test_names_and_values_cannot_steer_a_terminal(capsys):
    print_table("", ("name",), [("\x1b[31mred\x1b]0;owned\x07 \u202eback\u00a0\ud800é",)])
    progress("a\x1b[2Jb\nc\r")
    shown = capsys.readouterr()
    assert "\\x1b[31mred\\x1b]0;owned\\x07 \\u202eback\u00a0\\ud800é" in shown.out
    assert shown.err == "a\\x1b[2Jb\nc\\r\n"
