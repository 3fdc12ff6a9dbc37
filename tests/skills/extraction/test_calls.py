import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.skills.extraction.calls import calls_of, coverage


@pytest.mark.parametrize(
    ("code", "calls"),
    [
        ("df = pd.read_csv('a').groupby('x').agg(total=('y', 'sum'))\nprint(len(df))", {"read_csv", "groupby", "agg"}),
        ("def load(p):\n    return read(p)\nload('a')", {"read"}),
        (">>> import x\n>>> x.fit(y)\n0.5\n", {"fit"}),
        ("In [3]: df.head()\n", {"head"}),
        ("%matplotlib inline\n!pip install x\nplt.plot(y)", {"plot"}),
        ("for x in y:\n    %time f(x)", set()),
        ("library(dplyr)\ndf <- filter(df, x > 3) %>% summarise(n = n())", {"library", "summarise", "n"}),
        ("SELECT region, SUM(x), MY_RANK(y) FROM t GROUP BY region", {"SUM", "MY_RANK"}),
        ("SELECT COUNT(*) FROM t WHERE x IN (SELECT MAX(y) FROM u) AND (z OR NOT (w))", {"COUNT", "MAX"}),
        ("CREATE TABLE IF NOT EXISTS a (b VARCHAR(9), UNIQUE (b));\nINSERT INTO a (b) VALUES (LOWER('X'))", {"LOWER"}),
        ("a.b.c().d()\n\noutput:\n  x  y\n1 2 3", {"c", "d"}),
        ("print(sorted(map(str, x)))", set()),
        ("f'{df.mean()}'", {"mean"}),
        ("", set()),
        ("x = 1", set()),
    ],
)
def test_the_calls_of_a_solution_are_those_that_say_what_it_does(code, calls):
    found = calls_of(code)
    assert found - {"filter"} == calls


def test_code_is_parsed_and_never_run(tmp_path):
    target = tmp_path / "made"
    calls_of(f"open({str(target)!r}, 'w').write('x')\n__import__('os').system('touch {target}')")
    assert not target.exists()


@given(st.text(max_size=300))
def test_any_text_has_calls_or_none(text):
    found = calls_of(text)
    assert calls_of(text) == found
    assert all(call and call in text for call in found)


@pytest.mark.parametrize(
    "piece",
    [
        "(",
        "f(",
        "-",
        "[",
        "a.",
        "lambda:",
        "x\n\n",
        "\\",
        "1if ",
        "f'{",
        "(" * 50 + "\n\n",
        "\n",
        "a",
        " ",
        "%",
        "def ",
    ],
)
@pytest.mark.parametrize("after", ["", " 1 no Python"])
def test_hostile_code_takes_no_longer_than_any_other(piece, after):
    began = time.process_time()
    calls_of(piece * (200_000 // len(piece)) + after)
    assert time.process_time() - began < 20


def test_coverage_counts_what_texts_name_as_whole_words():
    found = coverage(frozenset({"read_csv", "SUM", "fit"}), ["use pd.READ_CSV with sep", "outfit of sum"])
    assert (found.calls, found.missing) == (3, ("fit",))
    assert found.share == pytest.approx(2 / 3)
    assert coverage(frozenset(), []).share == 1
