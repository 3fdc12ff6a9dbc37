"""Further idioms: what agents and notebooks write around their paths, and the files that are read in the end."""

import pytest

from benchwright.reading import read_program

PROGRAMS = {
    "dirname file": (
        "import os,pandas as pd\nH=os.path.dirname(os.path.abspath(__file__))\npd.read_csv(os.path.join(H,'data','x.csv'))",
        ["data/x.csv"],
    ),
    "path parent": (
        "from pathlib import Path\nimport pandas as pd\nH=Path(__file__).resolve().parent\npd.read_csv(H/'data'/'x.csv')",
        ["./data/x.csv"],
    ),
    "env": (
        "import os,pandas as pd\nd=os.environ.get('D','data')\npd.read_csv(f'{d}/x.csv')",
        ["data/x.csv"],
    ),
    "env2": (
        "import os,pandas as pd\nd=os.getenv('D') or 'data'\npd.read_csv(f'{d}/x.csv')",
        ["data/x.csv"],
    ),
    "argparse": (
        "import argparse,pandas as pd\np=argparse.ArgumentParser()\np.add_argument('--path',default='data/x.csv')\na=p.parse_args()\npd.read_csv(a.path)",
        ["data/x.csv"],
    ),
    "from glob": (
        "from glob import glob\nimport pandas as pd\npd.concat([pd.read_csv(f) for f in sorted(glob('d/*.csv'))])",
        ["d/*.csv"],
    ),
    "concat map": (
        "import glob\nimport pandas as pd\npd.concat(map(pd.read_csv, glob.glob('d/**/*.csv',recursive=True)))",
        ["d/**/*.csv"],
    ),
    "spark": (
        (
            "from pyspark.sql import SparkSession\nspark=SparkSession.builder.getOrCreate()\nspark.read.csv('a.csv')\n"
            "spark.read.option('header',True).schema(s).json('b.json')\nspark.read.format('csv').load('c.csv')\n"
            "frame.write.csv('d.csv')\nreader.csv('e.csv')"
        ),
        ["a.csv", "b.json", "c.csv"],
    ),
    "osp": (
        "import os.path as osp\nimport pandas as pd\npd.read_csv(osp.join('d','x.csv'))",
        ["d/x.csv"],
    ),
    "from os": (
        "from os import path\nimport pandas as pd\npd.read_csv(path.join('d','x.csv'))",
        ["d/x.csv"],
    ),
    "listdir filter": (
        "import os,pandas as pd\nfs=[f for f in os.listdir('d') if f.endswith('.csv')]\ndfs={f[:-4]:pd.read_csv('d/'+f) for f in fs}",
        ["d/*.csv"],
    ),
    "zip": (
        "import zipfile,pandas as pd\nwith zipfile.ZipFile('d/x.zip') as z:\n    with z.open('a.csv') as f:\n        pd.read_csv(f)",
        ["d/x.zip"],
    ),
    "pickle": (
        "import pickle\nwith open('d/x.pkl','rb') as f:\n    m=pickle.load(f)",
        ["d/x.pkl"],
    ),
    "ternary": (
        "import os,pandas as pd\np='d/source/x.csv' if os.path.exists('d/source/x.csv') else 'x.csv'\npd.read_csv(p)",
        ["d/source/x.csv"],
    ),
    "finally": (
        "import pandas as pd\ntry:\n    df=pd.read_csv('d/x.csv')\nfinally:\n    print(1)",
        ["d/x.csv"],
    ),
    "sheets": (
        "import pandas as pd\nfor s in ['a','b']:\n    pd.read_excel('d/x.xlsx',sheet_name=s)",
        ["d/x.xlsx"],
    ),
    "year skip": (
        "import pandas as pd\nfor y in range(2010,2014):\n    if y==2012: continue\n    pd.read_csv(f'd/{y}.csv')",
        ["d/2010.csv", "d/2011.csv", "d/2013.csv"],
    ),
    "nested dict": (
        "import pandas as pd\nC={'a':{'path':'d/x.csv'},'b':{'path':'d/y.csv'}}\nfor k in C: pd.read_csv(C[k]['path'])",
        ["d/x.csv", "d/y.csv"],
    ),
    "class loader": (
        "import pandas as pd\nclass B:\n    root='d'\n    def p(self,n): return f'{self.root}/{n}'\nclass D(B):\n    def __init__(self):\n        super().__init__()\n        self.df=pd.read_csv(self.p('x.csv'))\nD()",
        ["d/x.csv"],
    ),
    "namedtuple": (
        "from collections import namedtuple\nimport pandas as pd\nF=namedtuple('F','name path')\nfor f in [F('a','d/x.csv')]: pd.read_csv(f.path)",
        ["d/x.csv"],
    ),
    "typing nt": (
        "from typing import NamedTuple\nimport pandas as pd\nclass F(NamedTuple):\n    name:str\n    path:str\npd.read_csv(F('a','d/x.csv').path)",
        ["d/x.csv"],
    ),
    "kw only": (
        "import pandas as pd\ndef load(*,path,sep=','):\n    return pd.read_csv(path,sep=sep)\nload(path='d/x.csv')",
        ["d/x.csv"],
    ),
    "decorated": (
        "import functools,pandas as pd\n@functools.lru_cache\ndef load(p): return pd.read_csv(p)\nload('d/x.csv')",
        ["d/x.csv"],
    ),
    "own decorator": (
        "import pandas as pd\ndef log(f):\n    def w(*a,**k):\n        return f(*a,**k)\n    return w\n@log\ndef load(p): return pd.read_csv(p)\nload('d/x.csv')",
        ["d/x.csv"],
    ),
    "retry loop": (
        "import pandas as pd\ndf=None\nfor enc in ['utf-8','latin1']:\n    try:\n        df=pd.read_csv('d/x.csv',encoding=enc)\n        break\n    except UnicodeDecodeError:\n        pass",
        ["d/x.csv"],
    ),
    "read by ext": (
        "import pandas as pd\ndef load(p):\n    if p.endswith('.csv'): return pd.read_csv(p)\n    elif p.endswith('.xlsx'): return pd.read_excel(p)\nload('d/x.csv');load('d/y.xlsx')",
        ["d/x.csv", "d/y.xlsx"],
    ),
    "async": (
        "import asyncio,pandas as pd\nasync def main():\n    return pd.read_csv('d/x.csv')\nasyncio.run(main())",
        ["d/x.csv"],
    ),
    "thread": (
        "import threading,pandas as pd\ndef w(p): pd.read_csv(p)\nts=[threading.Thread(target=w,args=(p,)) for p in ['d/x.csv','d/y.csv']]\n[t.start() for t in ts]",
        ["d/x.csv", "d/y.csv"],
    ),
    "executor": (
        "from concurrent.futures import ThreadPoolExecutor as T\nimport pandas as pd\nwith T() as ex:\n    fs=[ex.submit(pd.read_csv,p) for p in ['d/x.csv','d/y.csv']]\n    r=[f.result() for f in fs]",
        ["d/x.csv", "d/y.csv"],
    ),
    "percent d": (
        "import pandas as pd\nfor i in range(1,3): pd.read_csv('d/p%02d.csv' % i)",
        ["d/p01.csv", "d/p02.csv"],
    ),
    "str(i).zfill": (
        "import pandas as pd\nfor i in range(1,3): pd.read_csv('d/p'+str(i).zfill(2)+'.csv')",
        ["d/p01.csv", "d/p02.csv"],
    ),
    "sqlite attach": (
        "import sqlite3\nc=sqlite3.connect('d/x.db')\nc.execute(\"attach database 'd/y.db' as y\")",
        ["d/x.db", "d/y.db"],
    ),
    "own write cache": (
        "import os,pandas as pd\nif os.path.exists('cache.parquet'):\n    df=pd.read_parquet('cache.parquet')\nelse:\n    df=pd.read_csv('d/x.csv')\n    df.to_parquet('cache.parquet')",
        ["d/x.csv"],
    ),
    "split": (
        "import pandas as pd\nfor n in 'x y'.split(): pd.read_csv(f'd/{n}.csv')",
        ["d/x.csv", "d/y.csv"],
    ),
    "triple": (
        "import pandas as pd\nfs='''d/x.csv\nd/y.csv'''.splitlines()\nfor f in fs: pd.read_csv(f.strip())",
        ["d/x.csv", "d/y.csv"],
    ),
    "enum": (
        "from enum import Enum\nimport pandas as pd\nclass P(Enum):\n    A='d/x.csv'\npd.read_csv(P.A.value)",
        ["d/x.csv"],
    ),
    "nonlocal": (
        "import pandas as pd\ndef f():\n    p='a.csv'\n    def g():\n        nonlocal p\n        p='d/x.csv'\n    g()\n    pd.read_csv(p)\nf()",
        ["d/x.csv"],
    ),
    "raise else": (
        "import os,pandas as pd\np='d/x.csv'\nif os.path.exists(p):\n    df=pd.read_csv(p)\nelse:\n    raise SystemExit",
        ["d/x.csv"],
    ),
    "pyarrow ds": (
        "import pyarrow.dataset as ds\nds.dataset('d/x.parquet',format='parquet').to_table()",
        ["d/x.parquet"],
    ),
    "pq": (
        "import pyarrow.parquet as pq\npq.read_table('d/x.parquet')\npq.ParquetFile('d/y.parquet')",
        ["d/x.parquet", "d/y.parquet"],
    ),
    "duck file": (
        "import duckdb\nduckdb.read_parquet('d/x.parquet')\nduckdb.from_csv_auto('d/y.csv')",
        ["d/x.parquet", "d/y.csv"],
    ),
    "duck fstr": (
        "import duckdb\np='d/x.csv'\nduckdb.sql(f\"SELECT * FROM read_csv_auto('{p}')\")",
        ["d/x.csv"],
    ),
    "gpd": (
        "import geopandas as gpd\ngpd.read_file('d/x.shp')",
        ["d/x.shp"],
    ),
    "pd.io": (
        "import pandas as pd\npd.io.json.read_json('d/x.json')",
        ["d/x.json"],
    ),
    "codecs json lines": (
        "import json\nrows=[json.loads(l) for l in open('d/x.jsonl')]",
        ["d/x.jsonl"],
    ),
    "while input": (
        "import pandas as pd\ni=0\nfs=['d/x.csv','d/y.csv']\nwhile fs:\n    pd.read_csv(fs.pop())",
        ["d/y.csv", "d/x.csv"],
    ),
    "assert isfile": (
        "import os,pandas as pd\nassert os.path.isfile('d/x.csv')\npd.read_csv('d/x.csv')",
        ["d/x.csv"],
    ),
    "two stage search": (
        "from pathlib import Path\nimport pandas as pd\ncands=[Path('x.csv'),Path('/data/d/source/x.csv')]\np=next((c for c in cands if c.exists()),None)\nif p is None: raise FileNotFoundError\npd.read_csv(p)",
        ["/data/d/source/x.csv"],
    ),
    "rglob": (
        "from pathlib import Path\nimport pandas as pd\np=list(Path('.').rglob('x.csv'))[0]\npd.read_csv(p)",
        ["./**/x.csv"],
    ),
    "pop popen": (
        "import subprocess\nsubprocess.run(['cat','d/x.csv'])",
        [],
    ),
    "del": (
        "import pandas as pd\nfs=['d/x.csv','d/y.csv']\nfs.remove('d/y.csv')\nfor f in fs: pd.read_csv(f)",
        ["d/x.csv"],
    ),
    "set diff": (
        "import pandas as pd\nfor f in {'d/x.csv','d/y.csv'}: pd.read_csv(f)",
        ["d/x.csv", "d/y.csv"],
    ),
    "open x": (
        "with open('d/x.csv') as f, open('out.txt','w') as g:\n    g.write(f.read())",
        ["d/x.csv"],
    ),
    "lambda sort": (
        "import pandas as pd\nfor f in sorted(['d/y.csv','d/x.csv'],key=lambda s:s): pd.read_csv(f)",
        ["d/y.csv", "d/x.csv"],
    ),
    "exec": (
        "exec(\"import pandas as pd\\npd.read_csv('d/x.csv')\")",
        ["d/x.csv"],
    ),
    "reduce": (
        "from functools import reduce\nimport pandas as pd\nreduce(lambda a,f: a.merge(pd.read_csv(f)), ['d/x.csv','d/y.csv'], pd.DataFrame())",
        ["d/x.csv", "d/y.csv"],
    ),
    "tempfile": (
        "import tempfile,pandas as pd\nwith tempfile.NamedTemporaryFile() as t:\n    pd.read_csv(t.name)",
        [],
    ),
    "a case that is known": (
        "import pandas as pd\nkind='b'\nmatch kind:\n    case 'a': f='d/a.csv'\n    case 'b' | 'c': f='d/b.csv'\n    case _: f='d/c.csv'\npd.read_csv(f)",
        ["d/b.csv"],
    ),
    "the case of all others": (
        "import pandas as pd\nkind='z'\nmatch kind:\n    case 'a': f='d/a.csv'\n    case _: f='d/c.csv'\npd.read_csv(f)",
        ["d/c.csv"],
    ),
    "delayed": (
        "import pandas as pd\nfrom joblib import Parallel, delayed\nParallel(n_jobs=2)(delayed(pd.read_csv)(f) for f in ['d/a.csv','d/b.csv'])",
        ["d/a.csv", "d/b.csv"],
    ),
}


@pytest.mark.parametrize("idiom", PROGRAMS)
def test_the_files_are_found_in_the_order_in_which_they_are_read(idiom):
    code, expected = PROGRAMS[idiom]
    assert [read.path for read in read_program(code).reads] == expected


@pytest.mark.parametrize(
    "hostile",
    [
        "x = 'exec(x)'\nexec(x)",
        "exec('(' * 5000)",
        "exec('a' * 10**9)",
        "import functools\nf = functools.partial(f)\nf()",
    ],
)
def test_text_that_is_run_as_a_program_cannot_make_the_reader_hang(hostile):
    assert not read_program(hostile).reads
