"""Small programs, one idiom each, and the files that they read."""

import textwrap

import pytest

from benchwright.reading import read_program

ONE = "shop/source/sales.csv"
TWO = "shop/source/stock.csv"

IDIOMS = {
    "a literal": f"import pandas as pd\ndf = pd.read_csv('{ONE}')",
    "a keyword": f"import pandas\npandas.read_csv(filepath_or_buffer='{ONE}')",
    "from import": f"from pandas import read_csv as load\nload('{ONE}')",
    "a variable": f"import pandas as pd\npath = '{ONE}'\npd.read_csv(path)",
    "the last of two assignments": f"import pandas as pd\npath = 'old/source/x.csv'\npath = '{ONE}'\npd.read_csv(path)",
    "plus": "import pandas as pd\nbase = 'shop/source/'\npd.read_csv(base + 'sales.csv')",
    "an f-string": "import pandas as pd\nname = 'sales'\npd.read_csv(f'shop/source/{name}.csv')",
    "an f-string with a format": "import pandas as pd\nn = 7\npd.read_csv(f'shop/source/part-{n:03d}.csv')",
    "percent": "import pandas as pd\npd.read_csv('%s/source/%s.csv' % ('shop', 'sales'))",
    "percent with a name": "import pandas as pd\npd.read_csv('%(d)s/source/sales.csv' % {'d': 'shop'})",
    "format": "import pandas as pd\npd.read_csv('{}/source/{n}.csv'.format('shop', n='sales'))",
    "str.join": "import pandas as pd\npd.read_csv('/'.join(['shop', 'source', 'sales.csv']))",
    "os.path.join": "import os, pandas as pd\npd.read_csv(os.path.join('shop', 'source', 'sales.csv'))",
    "pathlib": "from pathlib import Path\nimport pandas as pd\nroot = Path('shop')\npd.read_csv(root / 'source' / 'sales.csv')",
    "path.open": f"from pathlib import Path\nimport json\nwith Path('{ONE}').open() as f:\n    json.load(f)",
    "read_text": f"from pathlib import Path\ntext = Path('{ONE}').read_text()",
    "with_name": f"from pathlib import Path\nimport pandas as pd\npd.read_csv(Path('{TWO}').with_name('sales.csv'))",
    "a sibling by dirname": f"import os, pandas as pd\np = '{TWO}'\npd.read_csv(os.path.join(os.path.dirname(p), 'sales.csv'))",
    "open": f"import csv\nwith open('{ONE}', newline='') as f:\n    rows = list(csv.reader(f))",
    "open through a frame": f"import pandas as pd\nwith open('{ONE}') as f:\n    df = pd.read_csv(f)",
    "gzip": f"import gzip\nwith gzip.open('{ONE}', 'rt') as f:\n    f.read()",
    "sqlite": f"import sqlite3, pandas as pd\nc = sqlite3.connect('{ONE}')\npd.read_sql('select 1', c)",
    "sqlite uri": f"import sqlite3\nsqlite3.connect('file:{ONE}?mode=ro', uri=True)",
    "sqlalchemy": f"from sqlalchemy import create_engine\nimport pandas as pd\npd.read_sql('select 1', create_engine('sqlite:///{ONE}'))",
    "duckdb": f"import duckdb\nduckdb.sql(\"select * from '{ONE}' where a > 1\").df()",
    "duckdb connection": f"import duckdb\ncon = duckdb.connect()\ncon.execute(\"select * from read_csv_auto('{ONE}')\")",
    "polars": f"import polars as pl\npl.scan_csv('{ONE}').collect()",
    "numpy": f"import numpy as np\nnp.loadtxt('{ONE}')",
    "a workbook opened once": f"import pandas as pd\nbook = pd.ExcelFile('{ONE}')\npd.read_excel(book, 'a')\nbook.parse('b')",
    "a zip": f"import zipfile, pandas as pd\nz = zipfile.ZipFile('{ONE}')\npd.read_csv(z.open('inner.csv'))",
    "a function": f"import pandas as pd\ndef load(p):\n    return pd.read_csv(p)\nload('{ONE}')",
    "a default argument": f"import pandas as pd\ndef load(p='{ONE}'):\n    return pd.read_csv(p)\nload()",
    "a returned path": f"import pandas as pd\ndef where():\n    return '{ONE}'\npd.read_csv(where())",
    "a closure": "import pandas as pd\nbase = 'shop/source'\ndef load(n):\n    return pd.read_csv(f'{base}/{n}')\nload('sales.csv')",
    "main": f"import pandas as pd\ndef main():\n    pd.read_csv('{ONE}')\nif __name__ == '__main__':\n    main()",
    "a class": f"import pandas as pd\nclass Data:\n    def __init__(self, p):\n        self.p = p\n    def load(self):\n        return pd.read_csv(self.p)\nData('{ONE}').load()",
    "a class attribute": f"import pandas as pd\nclass Config:\n    PATH = '{ONE}'\npd.read_csv(Config.PATH)",
    "a dataclass": f"from dataclasses import dataclass\nimport pandas as pd\n@dataclass\nclass C:\n    path: str = '{ONE}'\npd.read_csv(C().path)",
    "a lambda": "import pandas as pd\nload = lambda n: pd.read_csv('shop/source/' + n)\nload('sales.csv')",
    "a partial": f"import functools, pandas as pd\nload = functools.partial(pd.read_csv, '{ONE}')\nload()",
    "string methods": "import pandas as pd\npd.read_csv('SHOP/SOURCE/SALES.TXT'.lower().replace('.txt', '.csv'))",
    "a conditional that is known": f"import pandas as pd\nsmall = False\npd.read_csv('no/source/x.csv' if small else '{ONE}')",
    "a branch never taken": f"import pandas as pd\nif False:\n    pd.read_csv('no/source/x.csv')\npd.read_csv('{ONE}')",
    "an encoding fallback": f"import pandas as pd\ntry:\n    pd.read_csv('{ONE}')\nexcept UnicodeDecodeError:\n    pd.read_csv('{ONE}', encoding='latin1')",
    "a check that raises": f"import os, pandas as pd\np = '{ONE}'\nif not os.path.exists(p):\n    raise FileNotFoundError(p)\npd.read_csv(p)",
    "a check that leaves": f"import os, sys, pandas as pd\np = '{ONE}'\nif not os.path.exists(p):\n    sys.exit(1)\npd.read_csv(p)",
    "a bare name first": f"import pandas as pd\ntry:\n    pd.read_csv('sales.csv')\nexcept FileNotFoundError:\n    pd.read_csv('{ONE}')",
    "a bare name last": f"import pandas as pd\ntry:\n    pd.read_csv('{ONE}')\nexcept FileNotFoundError:\n    pd.read_csv('sales.csv')",
    "candidates with break": f"import pandas as pd\nfor p in ['sales.csv', '{ONE}']:\n    try:\n        df = pd.read_csv(p)\n        break\n    except FileNotFoundError:\n        continue",
    "candidates by existence": f"import os, pandas as pd\nfor p in ['{ONE}', 'sales.csv']:\n    if os.path.exists(p):\n        break\npd.read_csv(p)",
    "a search function": f"import os, pandas as pd\ndef find():\n    for p in ('sales.csv', '{ONE}'):\n        if os.path.exists(p):\n            return p\n    return None\npd.read_csv(find())",
    "next over candidates": f"import os, pandas as pd\nps = ['{ONE}', 'sales.csv']\npd.read_csv(next(p for p in ps if os.path.exists(p)))",
    "early return": f"import os, pandas as pd\ndef load():\n    if os.path.exists('{ONE}'):\n        return pd.read_csv('{ONE}')\n    return pd.read_csv('sales.csv')\nload()",
    "chdir": "import os, pandas as pd\nos.chdir('shop/source')\npd.read_csv('sales.csv')",
    "a handed-over function": f"import pandas as pd\ndef load(_):\n    return pd.read_csv('{ONE}')\npd.Series([1]).apply(load)",
    "a thread pool": f"import pandas as pd\nfrom concurrent.futures import ThreadPoolExecutor\nwith ThreadPoolExecutor() as pool:\n    list(pool.map(pd.read_csv, ['{ONE}']))",
    "what it wrote itself is not data": f"import pandas as pd\ndf = pd.read_csv('{ONE}')\ndf.to_csv('clean.csv')\npd.read_csv('clean.csv')",
    "only opened for writing": f"import pandas as pd\nopen('log.txt', 'w').write('x')\npd.read_csv('{ONE}')",
    "text in memory": f"import io, pandas as pd\npd.read_csv(io.StringIO('a,b'))\npd.read_csv('{ONE}')",
    "a function never called": f"import pandas as pd\ndef other():\n    pd.read_csv('no/source/x.csv')\npd.read_csv('{ONE}')",
    "walrus": f"import pandas as pd\nif (p := '{ONE}'):\n    pd.read_csv(p)",
    "globals and nonlocal": f"import pandas as pd\npath = 'no/source/x.csv'\ndef choose():\n    global path\n    path = '{ONE}'\nchoose()\npd.read_csv(path)",
    "star arguments": "import os, pandas as pd\nparts = ['shop', 'source', 'sales.csv']\npd.read_csv(os.path.join(*parts))",
    "keyword arguments": f"import pandas as pd\nkw = {{'filepath_or_buffer': '{ONE}'}}\npd.read_csv(**kw)",
    "unpacking": f"import pandas as pd\n(a, b), *rest = ('{ONE}', 1), 2, 3\npd.read_csv(a)",
}

TWO_FILES = {
    "a list": f"import pandas as pd\nfor p in ['{ONE}', '{TWO}']:\n    pd.read_csv(p)",
    "a comprehension": "import pandas as pd\n[pd.read_csv(f'shop/source/{n}.csv') for n in ('sales', 'stock')]",
    "dict items": f"import pandas as pd\nfor name, p in {{'a': '{ONE}', 'b': '{TWO}'}}.items():\n    pd.read_csv(p)",
    "dict comprehension": f"import pandas as pd\nd = {{k: pd.read_csv(v) for k, v in {{'a': '{ONE}', 'b': '{TWO}'}}.items()}}",
    "appended": f"import pandas as pd\nps = []\nps.append('{ONE}')\nps += ['{TWO}']\nfor p in ps:\n    pd.read_csv(p)",
    "map": f"import pandas as pd\nlist(map(pd.read_csv, ['{ONE}', '{TWO}']))",
    "zip and enumerate": f"import pandas as pd\nfor i, (n, p) in enumerate(zip('ab', ['{ONE}', '{TWO}'])):\n    pd.read_csv(p)",
    "each checked": f"import os, pandas as pd\nfor p in ['{ONE}', '{TWO}']:\n    if os.path.exists(p):\n        pd.read_csv(p)",
    "each in a try": f"import pandas as pd\nfor p in ['{ONE}', '{TWO}']:\n    try:\n        pd.read_csv(p)\n    except Exception:\n        continue",
    "both with a fallback": f"import pandas as pd\ntry:\n    a = pd.read_csv('{ONE}'); b = pd.read_csv('{TWO}')\nexcept FileNotFoundError:\n    a = pd.read_csv('sales.csv'); b = pd.read_csv('stock.csv')",
    "a generator": "import pandas as pd\ndef names():\n    yield 'sales'\n    yield 'stock'\nfor n in names():\n    pd.read_csv(f'shop/source/{n}.csv')",
    "a class with two loads": "import pandas as pd\nclass L:\n    base = 'shop/source'\n    def get(self, n):\n        return pd.read_csv(f'{self.base}/{n}.csv')\nl = L()\nl.get('sales'); l.get('stock')",
    "while": f"import pandas as pd\nps = ['{ONE}', '{TWO}']\ni = 0\nwhile i < len(ps):\n    pd.read_csv(ps[i])\n    i += 1",
    "a join in duckdb": f"import duckdb\nduckdb.query(\"select * from '{ONE}' a join read_csv('{TWO}') b using (id)\")",
}


def paths(code: str) -> set[str]:
    return {read.path for read in read_program(textwrap.dedent(code)).reads}


@pytest.mark.parametrize("idiom", IDIOMS)
def test_one_file_is_found_however_its_path_is_built(idiom):
    expected = "shop/source/part-007.csv" if "format" in idiom and "f-string" in idiom else ONE
    assert paths(IDIOMS[idiom]) == {expected}


@pytest.mark.parametrize("idiom", TWO_FILES)
def test_two_files_are_found_however_they_are_listed(idiom):
    assert paths(TWO_FILES[idiom]) == {ONE, TWO}


def test_what_stands_in_for_a_missing_file_is_its_alternative():
    (read,) = read_program(IDIOMS["a bare name first"]).reads
    assert read.alternatives == ("sales.csv",)


def test_either_of_two_files_is_conditional_and_names_the_other():
    reading = read_program(
        f"import pandas as pd\nif input():\n    pd.read_csv('{ONE}')\nelse:\n    pd.read_csv('{TWO}')"
    )
    (read,) = reading.reads
    assert (read.path, read.conditional, read.alternatives) == (ONE, True, (TWO,))


@pytest.mark.parametrize(
    ("code", "pattern"),
    [
        (
            "import glob, pandas as pd\nfor p in glob.glob('shop/source/*.csv'):\n    pd.read_csv(p)",
            "shop/source/*.csv",
        ),
        (
            "import os, pandas as pd\nd = 'shop/source'\nfor n in os.listdir(d):\n    if n.endswith('.csv'):\n        pd.read_csv(os.path.join(d, n))",
            "shop/source/*.csv",
        ),
        (
            "from pathlib import Path\nimport pandas as pd\n[pd.read_csv(p) for p in sorted(Path('shop/source').glob('s*.csv'))]",
            "shop/source/s*.csv",
        ),
        (
            "import os, pandas as pd\nfor r, d, fs in os.walk('.'):\n    if 'sales.csv' in fs:\n        pd.read_csv(os.path.join(r, 'sales.csv'))",
            "./**/sales.csv",
        ),
        ("import duckdb\nduckdb.sql(\"from 'shop/source/*.parquet'\")", "shop/source/*.parquet"),
    ],
)
def test_names_that_only_the_disk_knows_become_patterns(code, pattern):
    (read,) = read_program(code).reads
    assert (read.path, read.glob) == (pattern, True)


def test_listing_a_folder_reads_nothing():
    assert (
        paths("import os, glob\nprint(os.listdir('shop'), glob.glob('*.csv'), os.path.getsize('a/source/b.csv'))")
        == set()
    )


def test_network_reads_are_kept_apart():
    reading = read_program(
        "import pandas as pd, seaborn as sns\npd.read_csv('https://a.b/c.csv')\nsns.load_dataset('tips')"
    )
    assert reading.reads == ()
    assert reading.remote == ("https://a.b/c.csv", "tips")


def test_a_path_that_is_named_and_never_opened_is_declared_unread():
    reading = read_program(f"import pandas as pd\nother = '{TWO}'\npd.read_csv('{ONE}')")
    assert reading.declared_unread == (TWO,)


def test_a_path_from_outside_leaves_the_reading_incomplete():
    reading = read_program(f"import sys, pandas as pd\npd.read_csv('{ONE}')\npd.read_csv(sys.argv[1])")
    assert [read.path for read in reading.reads] == [ONE]
    assert not reading.complete


@pytest.mark.parametrize(
    "hostile",
    [
        "x = 'a' * 10**12\nopen(x)",
        "x = '%1000000000d' % 1\nopen(x)",
        "x = f'{1:1000000000}'\nopen(x)",
        "x = 'a'\nfor i in range(100):\n    x = x + x\nopen(x)",
        "def f(x):\n    return f(f(x))\nf(1)",
        "while True:\n    open('a.csv')",
        "x = [0]\nfor i in x:\n    x.append(i)",
        "x = [1] * 9\nfor a in x:\n  for b in x:\n    for c in x:\n      for d in x:\n        for e in x:\n          for f in x:\n            for g in x:\n              open('a')",
        "(" * 500 + ")" * 500,
        "-" * 20000 + "1",
        "x = 10 ** 10 ** 10",
        "\x00",
        "'a'.replace('', 'b' * 4000).replace('', 'c' * 4000)",
        "class A(A):\n    pass\nA().x",
        "import itertools\nlist(itertools.product(*[range(1000)] * 50))",
    ],
)
@pytest.mark.timeout(120)
def test_no_program_makes_the_reader_fail_or_hang(hostile):
    assert len(read_program(hostile).reads) <= 5000


def test_a_program_that_names_thousands_of_files_is_called_incomplete_and_takes_no_square_of_the_time():
    program = """
        import pandas as pd
        for a in range(100):
            for b in range(70):
                pd.read_csv(f"d{a}/source/{b}.csv")
    """
    reading = read_program(textwrap.dedent(program))
    assert len(reading.reads) == 5000
    assert not reading.complete
