import pytest

from benchwright.reading import required_files


@pytest.mark.parametrize(
    ("code", "status", "files"),
    [
        ("import pandas as pd\npd.read_csv('a/source/b.csv')", "static", ["a/source/b.csv"]),
        ("import pandas as pd\npd.read_csv('../input/a/b.csv')", "static", ["a/source/b.csv"]),
        (
            "import glob, pandas as pd\nfor p in glob.glob('a/source/*.csv'):\n    pd.read_csv(p)\npd.read_csv('a/source/x/y.csv')",
            "glob",
            ["a/source/*.csv", "a/source/x/y.csv"],
        ),
        (
            "import os, pandas as pd\nfor r, _, fs in os.walk('.'):\n    if 'b.csv' in fs:\n        pd.read_csv(os.path.join(r, 'b.csv'))",
            "basename_only",
            ["b.csv"],
        ),
        ("print(1 + 1)", "embedded_or_none", []),
        ("import pandas as pd\npd.read_csv('http://x.y/z.csv')", "remote", []),
        ("One sentence, no program.", "unparsable", []),
        ("import sys, pandas as pd\npd.read_csv(sys.argv[1])", "unknown", []),
    ],
)
def test_the_status_says_how_well_the_files_are_known(code, status, files):
    found = required_files(code)
    assert (found.status, [target.path for target in found.files]) == (status, files)
    assert found.note or status in {"static", "glob", "basename_only"}


def test_alternatives_are_places_in_a_room():
    code = "import pandas as pd\ntry:\n    pd.read_csv('../input/a/b.csv')\nexcept OSError:\n    pd.read_csv('b.csv')"
    (target,) = required_files(code).files
    assert (target.path, target.alternatives) == ("a/source/b.csv", ("b.csv",))
