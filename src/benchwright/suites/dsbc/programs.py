"""Reference solutions as programs of their own: the data file is loaded, and the answer printed at the end."""

from __future__ import annotations

import json

_BEFORE = """\
import warnings
warnings.filterwarnings("ignore")
import json, math, re
from datetime import datetime, timedelta
import matplotlib
matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
data = pd.read_csv({path})
{alias} = df = data.copy()
"""
_AFTER = """

def _shown(value):
    if isinstance(value, (pd.DataFrame, pd.Series)):
        return str(value)
    return json.dumps(value, ensure_ascii=False, default=_plain)

def _plain(value):
    return value.item() if hasattr(value, "item") else str(value)

if "answer" in globals():
    print(_shown(answer))
"""


def program(code: str, path: str, short_name: str) -> str:
    """A program around published or worked solution code.

    The code finds the file as `data`, `df` and `df_<NAME>` (published solutions use the last), with numpy, pandas and
    pyplot under their usual names. What it prints stays; where it sets `answer`, that is printed as JSON.
    """
    alias = f"df_{short_name.upper()}" if f"df_{short_name}".isidentifier() else "df"
    return _BEFORE.format(path=json.dumps(path), alias=alias) + code + _AFTER
