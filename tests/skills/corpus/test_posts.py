import time
import tracemalloc
from xml.sax.saxutils import quoteattr

import pytest

from benchwright.errors import InputError
from benchwright.skills.corpus import Refused, Wanted
from benchwright.skills.corpus.posts import read_posts

DATA = Wanted()


def row(**attributes):
    return "<row " + " ".join(f"{name}={quoteattr(str(value))}" for name, value in attributes.items()) + " />"


def question(number, tags="<data-science><pandas>", accepted=None, title="How?", body="<p>I have a table.</p>"):
    more = {} if accepted is None else {"AcceptedAnswerId": accepted}
    return row(Id=number, PostTypeId=1, Title=title, Body=body, Tags=tags, Score=1, **more)


def answer(number, parent, score=0, body="<p>Use it:</p><pre><code>pd.read_csv('a')\n</code></pre>"):
    return row(
        Id=number,
        PostTypeId=2,
        ParentId=parent,
        Score=score,
        Body=body,
        ContentLicense="CC BY-SA 4.0",
        OwnerUserId=7,
    )


def dump(path, *rows):
    path.write_text('<?xml version="1.0" encoding="utf-8"?>\n<posts>\n' + "\n".join(rows) + "\n</posts>\n")
    return path


def read(path, wanted=DATA):
    found = list(read_posts(path, wanted))
    return (
        {each.id: each for each in found if not isinstance(each, Refused)},
        [each.reason for each in found if isinstance(each, Refused)],
    )


def test_accepted_answers_and_those_scored_above_the_bound_are_taken_with_ids_as_published(tmp_path):
    rows = [question(1, accepted=11), answer(10, 1, 3), answer(11, 1, -2), answer(12, 1, 4)]
    taken, refused = read(dump(tmp_path / "Posts.xml", *rows))
    assert list(taken) == ["1-11", "1-12"]
    assert refused == ["neither accepted nor scored above the bound"]
    assert (taken["1-11"].accepted, taken["1-11"].score) == (True, -2)


def test_a_record_holds_plain_text_code_tags_and_whom_to_credit(tmp_path):
    title = "Is a < b & c?"
    taken, _ = read(dump(tmp_path / "Posts.xml", question(1, accepted=11, title=title), answer(11, 1)))
    found = taken["1-11"]
    assert found.question == "Is a < b & c?\n\nI have a table."
    assert found.answer == "Use it:\n\n```\npd.read_csv('a')\n```"
    assert found.code == "pd.read_csv('a')"
    assert found.tags == ("data-science", "pandas")
    assert (found.licence, found.author, found.url) == ("CC BY-SA 4.0", "user 7", "https://stackoverflow.com/a/11")


def test_tags_filter_in_both_spellings_of_dumps_and_an_answer_may_come_before_its_question(tmp_path):
    rows = [answer(5, 9, 9), question(9, "|python|Data-Analysis|"), question(2, "<perl>"), answer(6, 2, 9)]
    taken, refused = read(dump(tmp_path / "Posts.xml", *rows))
    assert list(taken) == ["9-5"]
    assert refused == ["no wanted tag"]
    taken, refused = read(tmp_path / "Posts.xml", Wanted(frozenset()))
    assert (list(taken), refused) == (["9-5", "2-6"], [])


def test_posts_of_another_site_cannot_be_taken_for_those_of_stack_overflow(tmp_path):
    path = dump(tmp_path / "Posts.xml", question(1, accepted=2), answer(2, 1))
    taken, _ = read(path, Wanted(site="datascience.stackexchange.com"))
    assert list(taken) == ["datascience.stackexchange.com-1-2"]


def test_a_row_that_is_wrong_is_counted_and_the_others_are_read(tmp_path):
    wrong = [row(Id="x", PostTypeId=2, ParentId=1), row(Id=2, PostTypeId=2), answer("9" * 30, 1), answer(5, "9" * 5000)]
    rows = [question(1, accepted=3), question("9" * 30), question(8, accepted="1" * 30), *wrong, answer(3, 1)]
    taken, refused = read(dump(tmp_path / "Posts.xml", *rows, answer(4, 1, 9, body="<p> </p>")))
    assert list(taken) == ["1-3"]
    assert refused == [*["unreadable"] * 4, "empty"]


BOMB = '<?xml version="1.0"?><!DOCTYPE posts [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><posts>{}</posts>'


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (BOMB.format('<row Id="1" Body="&b;"/>'), "document type"),
        ('<!DOCTYPE p SYSTEM "file:///etc/passwd"><posts><row Id="1"/></posts>', "document type"),
        ('<posts><row Id="1" PostTypeId="1" />', "cut off"),
        ('<posts><row Id="1" Body="&undefined;"/></posts>', "not well-formed"),
        ("<users><user /></users>", "no posts"),
        ("", "not well-formed"),
        ('<?xml version="1.0" encoding="gbk"?><posts><row Id="1"/></posts>', "cannot be decoded"),
        ('<?xml version="1.0" encoding="nonsense"?><posts><row Id="1"/></posts>', "cannot be decoded"),
    ],
)
def test_what_is_no_dump_is_one_message(tmp_path, text, words):
    path = tmp_path / "Posts.xml"
    path.write_text(text)
    with pytest.raises(InputError, match=words):
        read(path)


def test_without_the_refusal_an_entity_would_be_filled_in():
    """The control: the same parser, left to itself, does what the document's declarations say."""
    from xml.parsers import expat

    seen = []
    parser = expat.ParserCreate()
    parser.StartElementHandler = lambda name, attributes: seen.append(attributes)
    parser.Parse(BOMB.format('<row Body="&b;"/>'), True)
    assert {"Body": "aaaaaaaa"} in seen


def test_memory_does_not_grow_with_the_dump(tmp_path):
    body = "<p>" + "word " * 2000 + "</p>"
    rows = [question(1, accepted=2), *(answer(n, 99, body=body) for n in range(3, 2000))]
    path = dump(tmp_path / "Posts.xml", *rows, answer(2, 1))
    assert path.stat().st_size > 19_000_000
    tracemalloc.start()
    count = sum(1 for _ in read_posts(path, DATA))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert count == 1998
    assert peak < 8_000_000


def test_a_post_of_megabytes_is_refused_and_costs_no_other(tmp_path):
    rows = [question(1, accepted=3), answer(4, 1, 9, body="x < 1\n" * 830_000), answer(3, 1)]
    taken, refused = read(dump(tmp_path / "Posts.xml", *rows))
    assert (list(taken), refused) == (["1-3"], ["too long"])


def test_a_row_without_an_end_is_refused_before_it_fills_the_memory(tmp_path):
    path = tmp_path / "Posts.xml"
    with path.open("w") as stream:
        stream.write('<posts><row Id="1" Body="')
        for _ in range(40):
            stream.write("a" * 1_000_000)
    began = time.process_time()
    with pytest.raises(InputError, match="without a row"):
        read(path)
    assert time.process_time() - began < 40


def test_an_answer_without_its_question_is_said_to_be_one_where_tags_do_not_matter(tmp_path):
    path = dump(tmp_path / "Posts.xml", question(1, accepted=3), answer(3, 1), answer(4, 99, 9))
    assert read(path, Wanted(tags=frozenset()))[1] == ["its question is not there"]
    assert read(path)[1] == ["no wanted tag"]
