"""The published comparison of texts: equal once white space is folded and letters are lower-case."""

from __future__ import annotations

from pathlib import Path

from benchwright.scorers.reference.agentic_data_bench.calls import Call, Verdict, finding


def compare_text(call: Call) -> Verdict:
    """1 or 0; a file that is missing or not UTF-8 is 0, whichever side it is on."""
    found = _words(call.output)
    if found is None:
        return Verdict(0.0, "no such file, or not UTF-8")
    wanted = _words(call.gold)
    if wanted is None:
        return Verdict(0.0, "the gold is missing or not UTF-8")
    if found == wanted:
        return Verdict(1.0)
    return Verdict(0.0, "another text", (finding("text", "not equal", wanted[:1000], found[:1000]),))


def _words(path: Path | None) -> str | None:
    try:
        return None if path is None else " ".join(path.read_text(encoding="utf-8").lower().split())
    except (FileNotFoundError, UnicodeDecodeError):
        return None
