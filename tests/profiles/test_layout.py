import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright.profiles.layout import layout_of


@pytest.mark.parametrize(
    ("text", "delimiter", "names", "skipped"),
    [
        ("a,b\n1,x\n2,y\n", ",", ("a", "b"), 1),
        ("country,2019,2020\nA,1.5,2.5\nB,3,4\n", ",", ("country", "2019", "2020"), 1),
        ("month,1,2,3,4\nA,5,3,2,1\nB,9,8,7,1\n", ",", ("month", "1", "2", "3", "4"), 1),
        ("2019,2020\n10,20\n30,40\n", ",", ("2019", "2020"), 1),
        ("5.1,3.5,setosa\n4.9,3.0,setosa\n", ",", None, 0),
        ("2019,5\n2020,6\n2021,9\n", ",", None, 0),
        ("2020-01-01,3\n2020-01-02,4\n", ",", None, 0),
        ("Ann,Rome\nBob,Paris\nAnn,Oslo\n", ",", None, 0),
        ("name,city\nAnn,Rome\nBob,Paris\n", ",", ("name", "city"), 1),
        ("Sales report\nsource: x\n\nid,name\n1,a\n2,b\n", ",", ("id", "name"), 4),
        ("Sales report,,\nid,name,z\n1,a,2\n", ",", ("id", "name", "z"), 2),
        ("x;y\n1,5;2,5\n3,1;4,2\n", ";", ("x", "y"), 1),
        ("a  b   c\n1  2   x\n2 3 y\n3 4 z\n", " ", ("a", "b", "c"), 1),
        ('id,"two\nlines"\n1,2\n', ",", ("id", "two\nlines"), 2),
        ("mpg,cyl\nMazda,21,6\nFiat,32,4\n", ",", ("", "mpg", "cyl"), 1),
        ("a,b\n1,2,\n3,4,\n", ",", ("a", "b", ""), 1),
        (",v\n0,a\n2,b\n1,c\n", ",", ("", "v"), 1),
        ("title,,\nw,x,y,z\na,b,c\n1,2,3\n4,5,6\n", ",", ("a", "b", "c"), 3),
        ("code\n007\n008\n", ",", ("code",), 1),
        ("1,2\n", ",", None, 0),
        ("", ",", None, 0),
    ],
)
def test_the_table_in_a_text_is_found(text, delimiter, names, skipped):
    layout = layout_of(text)
    assert (layout.delimiter, layout.names, layout.skipped) == (delimiter, names, skipped)


@settings(max_examples=40, deadline=None)
@given(st.text(max_size=200))
def test_no_text_breaks_it(text):
    layout = layout_of(text)
    assert 0 <= layout.skipped <= text.count("\n") + text.count("\r") + 1
