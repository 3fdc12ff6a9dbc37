import base64
import io
import re
from html.parser import HTMLParser

import jinja2
import pytest
from tests.publishing.pages.given import GOLD_SECRET, PICTURE, hostile_table, small_run, step

from benchwright.errors import InputError
from benchwright.publishing.pages import AttemptPages, FailureNote, render_attempt
from benchwright.publishing.pages.environment import environment
from benchwright.publishing.pages.exhibits import NotShown, PictureShown, Showing, TableShown, TextShown
from benchwright.publishing.pages.opener import exhibit
from benchwright.publishing.pages.opening import Opener
from benchwright.run import Key
from benchwright.scoring import WorkLimits
from benchwright.trajectory import LimitHit

HOSTILE = "</pre></script><script>alert(document.domain)</script><img src=x onerror=alert(1)>\x1b[31m\x00\u202e"


def first(run):
    return next(iter(run.attempts()))


@pytest.fixture(scope="module")
def table_page(suite, tmp_path_factory):
    """The page of an attempt with a hostile table and a hostile transcript."""
    steps = (step(text=HOSTILE, code=HOSTILE, output=HOSTILE, tool=HOSTILE), step(index=2, exit_code=1))
    files = {"out.csv": hostile_table(), HOSTILE[:40].replace("/", ""): b"x"}
    folder = tmp_path_factory.mktemp("table") / "run"
    run = small_run(suite, folder, ("table", {"answer": HOSTILE}, files, steps))
    with AttemptPages(run, suite, with_gold=True) as pages:
        return pages.page(first(run), failure=FailureNote(HOSTILE, HOSTILE, 1))


def test_a_table_is_shown_with_the_cells_and_rows_that_its_scorer_finds_wrong(table_page):
    shown = next(each.found for each in table_page.exhibits if each.name == "out.csv")
    assert isinstance(shown, TableShown)
    cells = {(row.number, row.state): [(cell.found, cell.gold, cell.state) for cell in row.cells] for row in shown.rows}
    assert cells[2, "wrong"] == [("Bergen", "", "right"), ("21", "20", "wrong")]
    assert (shown.height, shown.gold_height) == (3, 3)
    assert table_page.sound.value == 0
    evidence = {(item.part, item.found, item.expected) for item in table_page.sound.evidence}
    assert ("row 2, sales", "21", "20") in evidence


def test_without_leave_a_page_holds_nothing_of_the_gold(make_run, suite):
    run = make_run(
        ("answer", {"answer": "wrong"}, {}, (step(),)), ("table", {}, {"out.csv": b"city,sales\nRome,1\n"}, ())
    )
    secrets = (GOLD_SECRET, "Tromso", "sales.csv")
    with AttemptPages(run, suite) as pages:
        texts = [str(render_attempt(pages.page(key))) for key in run.attempts()]
    assert [secret for secret in secrets for text in texts if secret in text] == []
    with AttemptPages(run, suite, with_gold=True) as pages:  # and with it all of that is there
        told = "".join(str(render_attempt(pages.page(key))) for key in run.attempts())
    assert [secret for secret in secrets if secret not in told] == []


def test_hostile_text_is_harmless_wherever_it_stands(table_page):
    html = str(render_attempt(table_page))
    assert acting(html) == []
    assert not re.search(r"[\x00-\x08\x0b-\x1f\u202a-\u202e]", html)
    escaping = environment().overlay(autoescape=False)  # the control: it is the escaping that keeps them harmless
    assert acting(escaping.get_template("attempt.html").render(page=table_page, anchor="a"))


class Acting(HTMLParser):
    """Finds what a browser would act on: scripts, frames, handlers, addresses of elsewhere."""

    def __init__(self):
        super().__init__()
        self.found = []

    def handle_starttag(self, tag, attributes):
        if tag in {"script", "iframe", "object", "embed", "form", "style", "link", "meta", "svg", "base"}:
            self.found.append(tag)
        for name, value in attributes:
            leads = name in {"src", "href"} and not re.match(r"data:image/png;base64,|#", value or "")
            if name.startswith("on") or name == "style" or leads:
                self.found.append(f"{tag} {name}")


def acting(html):
    parser = Acting()
    parser.feed(html)
    return parser.found


def test_a_page_says_how_the_attempt_ended_what_it_took_and_which_files_it_read(make_run, suite):
    ending = LimitHit(which="wall", detail="after 30 minutes")
    run = make_run(("answer", {"ending": ending, "answer": None}, {}, (step(), step(index=2, exit_code=3))))
    with AttemptPages(run, suite, with_gold=True) as pages:
        page = pages.page(first(run))
    assert (page.ending, page.ending_detail.head) == ("limit: wall", "after 30 minutes")
    assert [(each.index, each.failed, each.calls[0].seconds) for each in page.steps] == [
        (1, False, 1.5),
        (2, True, 1.5),
    ]
    assert [(file.path, file.step, file.required) for file in page.files.files] == [("other.csv", 1, False)]
    assert page.files.missing == ("sales.csv",)
    html = str(render_attempt(page))
    assert all(
        text in html for text in ("limit: wall", "exit 3", "1,200 in", "$0.5", "other.csv", "How much in &lt;b&gt;")
    )


def test_an_attempt_without_suite_or_transcript_has_a_page(make_run, suite):
    run = make_run(("answer", {"uuid": "gone"}, {}, ()))
    with AttemptPages(run, None, with_gold=True) as pages:
        page = pages.page(first(run))
    assert not page.with_gold
    assert page.notes == (
        "the suite that the run was made on is not here: its tasks cannot be shown",
        "no transcript is kept of this attempt",
    )
    assert "Steps" in render_attempt(page)
    with AttemptPages(run, suite) as pages, pytest.raises(InputError, match="no finished attempt"):
        pages.page(Key("none", "answer", 1))


def test_long_texts_are_cut_with_a_note(make_run, suite):
    run = make_run(("answer", {"answer": "x" * 1_000_000}, {}, (step(output="y" * 1_000_000),)))
    with AttemptPages(run, suite) as pages:
        html = str(render_attempt(pages.page(first(run))))
    assert len(html) < 60_000
    assert html.count("characters are left out") == 2


def test_a_transcript_of_many_long_steps_makes_no_endless_page():
    from benchwright.publishing.pages.steps import steps_shown
    from benchwright.trajectory import NotMeasured

    long = step(code="x" * 100_000, output="y" * 100_000)
    steps = steps_shown([long.model_copy(update={"calls": long.calls * 50})] * 1000, NotMeasured(reason="none"), None)
    assert (len(steps), len(steps[0].calls)) == (300, 40)
    assert sum(len(call.text.head) for each in steps for call in each.calls) < 4_000_000


def test_a_verdict_that_is_not_the_kept_one_is_said(make_run, suite):
    run = make_run(("answer", {"answer": GOLD_SECRET}, {}, ()), scored=True)
    rows, stamp = run.read_scores("sound")
    changed = [row.model_copy(update={"score": row.score.model_copy(update={"value": 0.25})}) for row in rows]
    run.write_scores("sound", changed, stamp)
    with AttemptPages(run, suite, with_gold=True) as pages:
        page = pages.page(first(run))
    assert any("the sound verdict was 0.25 when the run was scored, and is 1 now" in note for note in page.notes)


class TestFiles:
    def show(self, tmp_path, content, name, gold=None, scorer=""):
        path = tmp_path / "kept"
        path.write_bytes(content)
        golds = ()
        if gold is not None:
            (tmp_path / "gold").write_bytes(gold)
            golds = (str(tmp_path / "gold"),)
        return exhibit(Showing(name=name, path=str(path), golds=golds, scorer=scorer))

    def test_rows_that_are_missing_or_too_many_are_told_apart(self, tmp_path):
        gold = b"id,v\n1,a\n2,b\n3,c\n"
        shown = self.show(tmp_path, b"id,v\n1,a\n3,x\n", "t.csv", gold, "table").found
        assert (shown.wrong_cells, shown.missing_rows, shown.surplus_rows) == (1, 1, 0)
        assert [row.state for row in shown.rows] == ["right", "wrong", "missing"]
        shown = self.show(tmp_path, b"id,v,more\n1,a,!\n2,b,!\n3,c,!\n9,z,!\n", "t.csv", gold, "table").found
        assert (shown.wrong_cells, shown.missing_rows, shown.surplus_rows) == (0, 0, 1)
        assert (shown.columns, shown.states) == (("id", "v", "more"), ("plain", "plain", "surplus"))
        shown = self.show(tmp_path, b"id\n1\n2\n3\n", "t.csv", gold, "table").found
        assert (shown.columns, shown.states) == (("id", "v"), ("plain", "missing"))

    def test_of_several_golds_the_one_that_is_most_like_it_is_shown(self, tmp_path):
        for name, last in (("one.csv", "z"), ("two.csv", "b")):
            (tmp_path / name).write_text(f"id,v\n1,a\n2,{last}\n")
        (tmp_path / "kept").write_text("id,v\n1,a\n2,b\n")
        golds = tuple(str(tmp_path / name) for name in ("one.csv", "two.csv"))
        shown = exhibit(Showing(name="t.csv", path=str(tmp_path / "kept"), golds=golds, scorer="table"))
        assert shown.found.wrong_cells == 0
        assert shown.notes == ("compared with one of 2 golds",)

    def test_a_table_without_any_column_of_the_gold_is_shown_as_it_is(self, tmp_path):
        shown = self.show(tmp_path, b"x,y\n1,2\n", "t.csv", b"id,v\n1,a\n", "table").found
        assert (shown.states, shown.gold_height, shown.wrong_cells) == (("surplus", "surplus"), 1, None)

    def test_of_a_long_table_the_rows_with_something_wrong_are_shown(self, tmp_path):
        gold = "id,v\n" + "".join(f"{number},{number}\n" for number in range(5000))
        shown = self.show(tmp_path, gold.replace("4321,4321", "4321,0").encode(), "t.csv", gold.encode(), "table").found
        assert [row.number for row in shown.rows if row.state == "wrong"] == [4322]
        assert len(shown.rows) < 20

    def test_documents_are_compared_line_by_line_whatever_the_order_of_their_keys(self, tmp_path):
        shown = self.show(tmp_path, b'{"b": 3, "a": 1}', "d.json", b'{"a": 1, "b": 2}', "document").found
        assert [(line.state, line.text.strip()) for line in shown.lines if line.state != "same"] == [
            ("gold", '"b": 2'),
            ("found", '"b": 3'),
        ]

    def test_equal_lines_far_from_a_difference_are_counted(self, tmp_path):
        lines = [f"line {number}" for number in range(100)]
        found = self.show(
            tmp_path, "\n".join([*lines, "end"]).encode(), "t.txt", "\n".join([*lines, "END"]).encode(), "text"
        )
        assert [line.skipped for line in found.found.lines if line.skipped] == [97]

    def test_a_picture_is_drawn_anew(self, tmp_path):
        shown = self.show(tmp_path, PICTURE + b"<script>alert(1)</script>", "c.png").found
        assert isinstance(shown, PictureShown)
        from PIL import Image

        drawn = base64.b64decode(shown.png)
        assert Image.open(io.BytesIO(drawn)).size == (1, 1)
        assert b"script" not in drawn

    def test_a_picture_of_noise_is_drawn_small(self, tmp_path):
        import numpy as np
        from PIL import Image

        noise = Image.fromarray(np.random.default_rng(1).integers(0, 255, (900, 1200, 3), dtype=np.uint8))
        noise.save(tmp_path / "noise.png")
        shown = self.show(tmp_path, (tmp_path / "noise.png").read_bytes(), "c.png").found
        assert (shown.width, shown.height) == (1200, 900)
        assert len(shown.png) < 1_500_000

    @pytest.mark.parametrize(
        ("content", "name", "reason"),
        [
            (b"\x89PNG\r\n\x1a\nnothing", "c.png", "not a picture that can be read"),
            (b"\x00\x01\x02", "model.bin", "a binary file"),
            (b"\x00" * 50, "table.csv", "binary file"),
        ],
    )
    def test_what_cannot_be_shown_is_said(self, tmp_path, content, name, reason):
        shown = self.show(tmp_path, content, name).found
        assert isinstance(shown, NotShown)
        assert reason in shown.reason

    def test_a_drawing_that_is_a_program_is_shown_as_text(self, tmp_path):
        shown = self.show(tmp_path, b"<svg onload='alert(1)'></svg>", "c.svg").found
        assert isinstance(shown, TextShown)

    def test_a_link_is_not_followed(self, tmp_path):
        (tmp_path / "secret").write_text("secret")
        (tmp_path / "link").symlink_to(tmp_path / "secret")
        shown = exhibit(Showing(name="a.txt", path=str(tmp_path / "link"))).found
        assert isinstance(shown, NotShown)

    def test_a_file_that_takes_too_much_costs_its_own_exhibit_and_no_other(self, tmp_path):
        bomb = tmp_path / "bomb.txt"
        bomb.write_bytes(b"x" * (2 << 20))
        small = WorkLimits(seconds=30, memory_mb=1)
        with Opener(small) as opener:
            assert isinstance(opener.exhibit(Showing(name="bomb.txt", path=str(bomb))).found, NotShown)
        with Opener() as opener:  # the control: without the limit it is shown
            assert isinstance(opener.exhibit(Showing(name="bomb.txt", path=str(bomb))).found, TextShown)


def test_a_template_that_names_what_is_not_there_is_an_error():
    with pytest.raises(jinja2.UndefinedError, match="is undefined"):
        environment().get_template("attempt.html").render(anchor="a")


def test_what_the_reference_solution_did_is_gold(make_run, suite):
    done = (
        "table",
        {"answer": GOLD_SECRET, "error": "Tromso"},
        {"out.csv": b"city,sales\nTromso,30\n"},
        (step(code="open('x')"),),
    )
    run = make_run(done, agent="oracle")
    secrets = (GOLD_SECRET, "Tromso", "other.csv", "open(&#39;x&#39;)")
    with AttemptPages(run, suite) as pages:
        text = str(render_attempt(pages.page(first(run), failure=FailureNote("F", "Tromso"))))
    assert [secret for secret in secrets if secret in text] == []
    assert "is the gold, and is not shown here" in text
    assert "3.5 s" in text
    with AttemptPages(run, suite, with_gold=True) as pages:
        text = str(render_attempt(pages.page(first(run), failure=FailureNote("F", "Tromso"))))
    assert [secret for secret in secrets if secret not in text] == []
