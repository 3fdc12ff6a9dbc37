"""A report's tables as LaTeX: `tabular` within `table`, one a table, to be taken into a paper."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from benchwright.publishing.pages.words import clean
from benchwright.publishing.report.contents import Report
from benchwright.publishing.tables import Table

_SPECIAL: Final = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "_": r"\_",
    "%": r"\%",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "`": r"\textasciigrave{}",
    "'": r"\textquotesingle{}",
    "[": "{[}",
    "]": "{]}",
    "–": "--",
    "−": r"\textminus{}",
    "⟨": r"\textlangle{}",
    "⟩": r"\textrangle{}",
}
"""Brackets are wrapped because one after a line's end would be taken for its option."""
_ANY = re.compile("|".join(map(re.escape, _SPECIAL)))
_HEADER = r"""% Needs \usepackage{booktabs,textcomp} and \usepackage[T1]{fontenc}.
"""


def escaped(text: str) -> str:
    """A text that LaTeX prints as it is, on one line."""
    return _ANY.sub(lambda found: _SPECIAL[found[0]], " ".join(clean(text).split()))


def latex(report: Report) -> str:
    """Every table of the report, in its order."""
    return _HEADER + "\n".join("\n".join(_table(table)) + "\n" for table in report.tables if table.rows)


def _table(table: Table) -> Iterator[str]:
    grid = table.grid
    yield r"\begin{table}"
    yield r"\centering"
    yield f"\\caption{{{escaped(f'{table.title}. {table.note}' if table.note else table.title)}}}"
    yield f"\\label{{tab:{table.name.replace('_', '-')}}}"
    yield f"\\begin{{tabular}}{{@{{}}{''.join('r' if head.numeric else 'l' for head in grid.heads)}@{{}}}}"
    yield r"\toprule"
    yield f"{' & '.join(escaped(head.title) for head in grid.heads)} \\\\"
    yield r"\midrule"
    for line in grid.lines:
        yield f"{' & '.join(escaped(cell.plain) for cell in line)} \\\\"
    yield r"\bottomrule"
    yield r"\end{tabular}"
    yield r"\end{table}"
