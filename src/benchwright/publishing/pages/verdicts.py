"""Verdicts as pages show them: those that the run keeps, and beside them, where gold may be shown, their evidence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from benchwright.publishing.pages.attempt import EvidenceShown, VerdictShown
from benchwright.publishing.pages.words import line
from benchwright.score import Evidence, Score, Scored
from benchwright.scoring import TaskScores

_EVIDENCE = 40
_TEXT = 600
MODES = ("sound", "reference", "discovery")


def kept_verdicts(kept: Mapping[str, Score]) -> tuple[VerdictShown, ...]:
    """The verdicts that the run keeps of an attempt, by their names, sound first: they hold no word of the gold."""
    names = sorted(kept, key=lambda name: (MODES.index(_mode(name)), name))
    return tuple(_shown(_mode(name), _about(name), kept[name]) for name in names)


def found_verdicts(scores: TaskScores, kept: Mapping[str, Score]) -> tuple[VerdictShown, ...]:
    """Verdicts found anew, with evidence; a value that the run keeps counts before them, as it may be a judge's."""
    return tuple(_counted(mode, about, score, kept) for mode, about, score in _all(scores))


def disagreements(scores: TaskScores, kept: Mapping[str, Score]) -> tuple[str, ...]:
    """Where a value found now is not the one that the run keeps: the gold or a scorer has changed since."""
    pairs = ((mode, score, kept.get(mode)) for mode, about, score in _all(scores) if not about)
    return tuple(
        f"the {mode} verdict was {old.value:g} when the run was scored, and is {new.value:g} now: score the run again"
        for mode, new, old in pairs
        if isinstance(new, Scored) and isinstance(old, Scored) and abs(new.value - old.value) > 1e-9
    )


def _all(scores: TaskScores) -> Iterator[tuple[str, str, Score]]:
    for mode in ("sound", "reference"):
        if (whole := getattr(scores, mode)) is not None:
            yield mode, "", whole
        for check in scores.checks if len(scores.checks) > 1 else ():
            if (part := getattr(check, mode)) is not None:
                yield mode, f"{check.scorer} of {check.output}", part
    yield "discovery", "", scores.discovery.score


def _counted(mode: str, about: str, score: Score, kept: Mapping[str, Score]) -> VerdictShown:
    shown = _shown(mode, about, score)
    old = kept.get(mode)
    if about or not isinstance(old, Scored) or isinstance(score, Scored):
        return shown
    return VerdictShown(mode, about, old.value, "as it was decided when the run was scored", shown.evidence)


def _mode(name: str) -> str:
    mode = name.partition(".")[0]
    return mode if mode in MODES else MODES[-1]


def _about(name: str) -> str:
    rest = name.partition(".")[2]
    return f"check {rest}" if rest.isdigit() else rest


def _shown(mode: str, about: str, score: Score) -> VerdictShown:
    if not isinstance(score, Scored):
        return VerdictShown(mode, about, None, line(score.reason, _TEXT))
    evidence = tuple(_evidence(item) for item in score.evidence if _says(item))
    return VerdictShown(mode, about, score.value, line(score.reason, _TEXT), evidence[:_EVIDENCE])


def _says(item: Evidence) -> bool:
    """Whether there are words to it: what a run keeps has none."""
    return bool(item.part or item.expected or item.found or item.reason)


def _evidence(item: Evidence) -> EvidenceShown:
    texts = (line(text, _TEXT) for text in (item.expected, item.found, item.reason))
    return EvidenceShown(line(item.part), item.verdict, *texts)
