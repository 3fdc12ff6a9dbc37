"""Rewrites that keep a program's meaning keep the set of files that it reads."""

import ast
import warnings

from hypothesis import given
from hypothesis import strategies as st

from benchwright.reading import Reading, canonical_key, read_program

names = st.text("abcdefghijk_0123456789", min_size=1, max_size=8).filter(lambda text: text[0].isalpha())
files = st.lists(
    st.tuples(names, names).map(lambda pair: f"{pair[0]}/source/{pair[1]}.csv"), min_size=1, max_size=5, unique=True
)


def direct(paths):
    return "import pandas as pd\n" + "".join(f"d{n} = pd.read_csv({path!r})\n" for n, path in enumerate(paths))


def by_list(paths):
    return f"import pandas as pd\nfor p in {paths!r}:\n    pd.read_csv(p)\n"


def by_table(paths):
    return f"import pandas as pd\nt = {dict(enumerate(paths))!r}\nfor k, p in t.items():\n    t[k] = pd.read_csv(p)\n"


def by_function(paths):
    calls = "".join(f"load(*{path.rsplit('/', 1)!r})\n" for path in paths)
    return "import os, pandas as pd\ndef load(d, f):\n    return pd.read_csv(os.path.join(d, f))\n" + calls


def by_pieces(paths):
    parts = [path[:-4].split("/") for path in paths]
    return f"import pandas as pd\n[pd.read_csv(f'{{a}}/{{b}}/{{c}}.csv') for a, b, c in {parts!r}]\n"


def by_class(paths):
    return (
        "import pandas as pd\nclass Loader:\n    def __init__(self, paths):\n        self.paths = paths\n"
        "    def run(self):\n        return {p: self.one(p) for p in self.paths}\n"
        f"    def one(self, p):\n        return pd.read_csv(p)\nLoader({paths!r}).run()\n"
    )


def in_main(paths):
    body = "".join("    " + line + "\n" for line in direct(paths).splitlines())
    return f"def main():\n{body}\nif __name__ == '__main__':\n    main()\n"


def guarded(paths):
    return direct([]) + "".join(
        f"try:\n    pd.read_csv({path!r})\nexcept OSError:\n    pd.read_csv({path.rpartition('/')[2]!r})\n"
        for path in paths
    )


def searched(paths):
    return "import os, pandas as pd\n" + "".join(
        f"p = {path!r}\nif not os.path.exists(p):\n    p = {path.rpartition('/')[2]!r}\npd.read_csv(p)\n"
        for path in paths
    )


WRITERS = (direct, by_list, by_table, by_function, by_pieces, by_class, in_main, guarded, searched)


@given(files, st.sampled_from(WRITERS))
def test_every_way_to_write_a_program_reads_the_same_files(paths, writer):
    found = {canonical_key(read.path) for read in read_program(writer(paths)).reads}
    assert found == {canonical_key(path) for path in paths}


@given(files, st.sampled_from(WRITERS))
def test_a_program_reformatted_by_the_parser_reads_the_same_files(paths, writer):
    code = writer(paths)
    assert [read.path for read in read_program(code).reads] == [
        read.path for read in read_program(ast.unparse(ast.parse(code))).reads
    ]


CODE = "open ( ) [ ] { } 'a.csv' , : = . import os as f def for in if else try: except: * + lambda \n \n    pd".split(
    " "
)


@given(st.text() | st.lists(st.sampled_from(CODE), max_size=20).map(" ".join))
def test_any_text_is_followed_and_one_that_is_no_program_reads_nothing(text):
    reading = read_program(text)
    if reading.error:
        assert reading == Reading(error=reading.error, complete=False)
    else:
        with warnings.catch_warnings(action="ignore"):
            ast.parse(text)  # what parses not, has an error
    lines = 1 + text.count("\n") + text.count("\r")
    assert all(read.path and 1 <= read.line <= lines for read in (*reading.reads, *reading.optional))
