"""The scorer of JSON documents: the share of the gold's fields that are right."""

from __future__ import annotations

from pathlib import Path

from benchwright.score import Score, Scored, Unscored
from benchwright.scorers.base import Expected
from benchwright.scorers.compare.documents import Document, read_document
from benchwright.scorers.document.rule import DocumentRule
from benchwright.scorers.document.walk import GoldLacksField, Walk
from benchwright.scorers.outputs import judge_output
from benchwright.trajectory import Submission

_LINES = (".jsonl", ".ndjson")


class DocumentScorer:
    """Compares the output file of a check with its gold files; with several golds the best one counts."""

    name = "document"
    version = 1

    def score(self, submission: Submission, expected: Expected) -> Score:
        """The share of fields that are right, with the first differences as evidence."""
        rule = DocumentRule.read(expected.check.options)
        if rule.self_reported:
            return Unscored(
                reason="self-reported: the file holds what the agent says of its own work, and nothing to check it by",
                details={"gold": "self-reported"},
            )
        return judge_output(submission, expected, _read, lambda gold, found: _compare(gold, found, rule))


def _read(path: Path, name: str) -> Document:
    return read_document(path, lines=name.casefold().endswith(_LINES))


def _compare(gold: Document, found: Document, rule: DocumentRule) -> Score:
    walk = Walk(rule)
    try:
        tally = walk.root(gold.value, found.value)
    except GoldLacksField as error:
        return Unscored(reason=f"suite: {error}", details={"gold": "lacks a field"})
    share = min(1.0, max(0.0, tally.share))
    return Scored(
        value=share,
        reason="right" if not walk.wrong else f"{walk.wrong} wrong values, the first at {_first(walk)}",
        evidence=tuple(walk.evidence),
        details={"fields": tally.weight, "wrong": walk.wrong, "notes": [*found.notes, *walk.notes]},
    )


def _first(walk: Walk) -> str:
    first = walk.evidence[0]
    return f"{first.part or 'the top'}: {first.reason}"
