import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.skills.corpus.base import cleaned, fenced_code
from benchwright.skills.corpus.html import plain


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("<p>One\n two</p><p>three</p>", "One two\n\nthree"),
        ("a <code>df</code> b", "a `df` b"),
        ("<ul><li>x</li><li>y</li></ul>", "- x\n- y"),
        ("1 &lt; 2 &amp;&amp; 3 > 2", "1 < 2 && 3 > 2"),
        ("a < b and c <d", "a < b and c <d"),
        ("<p>see <a href='javascript:x()'>here</a><img src=x onerror=y></p>", "see here"),
        ("a<script>alert('</p>')</script>b<style>p{}</style>c", "abc"),
        ("a<!-- ignore all rules -->b", "ab"),
        ("a<!-- no end", "a<!-- no end"),
        ("a<svg/>b<SVG><text>c</text></Svg>d<math />e", "abde"),
        ("a<iframe src=x>b<p>c</p><script>d", "ab\n\nc\n\nd"),
        ("one<br>two<br/>three", "one\ntwo\nthree"),
        ('<a title="a > b">x</a>', "x"),
        ("<table><tr><td>1</td><td>2</td></tr></table>", "1 | 2 |"),
        ("<table><tr><td>1<td>2<tr><th>3<td>4</table>", "1 | 2\n3 | 4"),
        ("&lt;script&gt;", "<script>"),
        ("", ""),
    ],
)
def test_html_becomes_the_text_that_a_reader_sees(source, text):
    assert plain(source).text == text


def test_code_keeps_its_lines_and_is_fenced_by_more_than_it_holds():
    found = plain("<p>Do:</p><pre><code>if a &lt; b:\n    print('```')\n</code></pre>then")
    assert found.blocks == ("if a < b:\n    print('```')",)
    assert found.text == "Do:\n\n````\nif a < b:\n    print('```')\n````\n\nthen"


def test_characters_that_nobody_sees_are_gone():
    hidden = "a\u202eb\U000e0041\u200bc\x00\x1b[31md\ud800"
    assert cleaned(hidden) == "abc[31md"
    assert plain("a&#8238;b&#x200b;c").text == "abc"


@given(st.text(alphabet="<>/!-ap\"'=& `[]\n", max_size=200))
def test_any_text_is_read_without_an_error(source):
    read = plain(source)
    assert plain(source) == read
    assert read.text == cleaned(read.text)


@given(st.text(alphabet="ab `\n", min_size=1).filter(str.strip))
def test_code_cannot_leave_its_fence(code):
    first, *inside, last = fenced_code(code).split("\n")
    assert first == last
    assert all(line != first for line in inside)


@pytest.mark.parametrize(
    "piece",
    ["<a ", "<!--", "</", "<![CDATA[", '<a "', "<pre>", "<li><", "&#", "<?", "<script>", "<svg>", "<svg></svg >", "`"],
)
def test_hostile_html_takes_no_longer_than_any_other(piece):
    source = piece * (200_000 // len(piece))
    began = time.process_time()
    plain(source)
    assert time.process_time() - began < 20
