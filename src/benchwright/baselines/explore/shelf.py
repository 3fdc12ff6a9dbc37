"""Which files of a room may hold what a question asks for: names first, then the headers of a shortlist."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from .tables import KINDS, Sketch, kind, sketches
from .words import ORDINARY, STOPPED, Question, match, rarity, stem, tokens

BATCH, MOST = 8, 24
"""Headers are looked at in batches of so many files, up to so many, until one table speaks of enough."""
_SHARE = 0.6
"""Never more than this share of a room's files is opened: to open everything is no discovery."""
_SMALL = 10
"""In a room of fewer data files all may be opened."""
_ENOUGH = 0.6
"""The share of the question's telling words that a table has to speak of."""
_NEIGHBOURS = 0.3
"""How much of a table's score speaks for the files beside it."""
_STALE = re.compile(
    r"(?:^|[^a-z])(?:old|backup|bak|copy|draft|stale|archive[d]?|deprecated|tmp|temp|v\d|obsolete)(?:[^a-z]|$)",
    re.IGNORECASE,
)
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")


@dataclass(frozen=True)
class Found:
    """A table that was looked at, how well it suits the question, and the words of it that it speaks of."""

    sketch: Sketch
    score: float
    covered: frozenset[str]


def data_files(roots: Sequence[str]) -> list[Path]:
    """All files below the roots that may hold tables, by their endings; nothing is opened."""
    return sorted(path for root in roots for path in _below(Path(root)) if kind(path) in KINDS)


def search(roots: Sequence[str], question: Question) -> list[Found]:
    """The tables of the likeliest files, best first."""
    files = data_files(roots)
    named = dict(_name_scores(files, question))
    left, looked_at, found = by_name(files, named), list[Sketch](), list[Found]()
    opened, most = 0, min(MOST, len(files) if len(files) < _SMALL else int(len(files) * _SHARE))
    while opened < most:
        batch = left[: min(BATCH, most - opened)]
        opened, left = opened + len(batch), left[len(batch) :]
        looked_at += [sketch for path in batch for sketch in sketches(path)]
        weights = rarity(" ".join(sketch.columns) for sketch in looked_at)
        found = [_judge(sketch, question, weights, named[sketch.path]) for sketch in looked_at]
        if any(_covers(item, question) >= _ENOUGH for item in found):
            break
        left = by_name(left, named, _good_folders(found))
    return sorted(found, key=lambda item: -item.score)


def by_name(
    files: Sequence[Path], scores: Mapping[Path, float], folders: Mapping[Path, float] | None = None
) -> list[Path]:
    """The files, the likeliest first: by their names, by what was found beside them, and folder by folder in turn."""
    turns: Counter[Path] = Counter()
    keys: dict[Path, tuple[float, int, str]] = {}
    for path in sorted(files):
        likely = scores[path] + (folders or {}).get(path.parent, 0.0)
        keys[path] = (-likely, turns[path.parent], str(path))
        turns[path.parent] += 1
    return sorted(files, key=keys.__getitem__)


def _good_folders(found: Sequence[Found]) -> dict[Path, float]:
    """What a good table says for the other files of its folder."""
    best: dict[Path, float] = {}
    for item in found:
        best[item.sketch.path.parent] = max(best.get(item.sketch.path.parent, 0.0), _NEIGHBOURS * item.score)
    return best


def _name_scores(files: Sequence[Path], question: Question) -> Iterator[tuple[Path, float]]:
    weights = rarity(str(path) for path in files)
    for path in files:
        words = set(tokens(path.name.partition(".")[0]))
        folders = set(tokens(" ".join(path.parent.parts))) - words
        score = sum(_weight(word, question, weights) for word in words) / (1 + 0.25 * len(words))
        score += 0.3 * sum(_weight(word, question, weights) for word in folders)
        yield path, score - _staleness(path, question)


def _weight(word: str, question: Question, weights: Mapping[str, float]) -> float:
    if word not in question.meaningful:
        return 0.5 * weights[word] if len(word) > 3 and match(word, question).score > 0.8 else 0.0
    return weights[word]


def _staleness(path: Path, question: Question) -> float:
    """A name that calls itself old, or of a year that is not asked for, is less likely meant."""
    years = set(_YEAR.findall(path.name)) - set(question.stems)
    called_old = _STALE.search(path.name) and not _STALE.search(question.text)
    return (1.5 if called_old else 0.0) + (0.5 if years else 0.0)


def _judge(sketch: Sketch, question: Question, weights: Mapping[str, float], named: float) -> Found:
    """Columns count by how telling they are, values that the question names, and the file's name."""
    score, covered = named, {word for word in tokens(sketch.path.name) if word in question.meaningful}
    spoken: set[str] = set()
    for name in sketch.columns:
        hit = match(name, question)
        if hit.score >= 0.5 and question.stems[hit.at] not in spoken:
            spoken.add(question.stems[hit.at])
            score += hit.score * max((weights.get(word, 0.0) for word in tokens(name)), default=0.0)
    said = {value for values in sketch.samples.values() for value in values if _said(value, question)}
    return Found(sketch, score + 1.5 * min(3, len(said)), frozenset(covered | spoken | _words(said)))


def _words(values: Iterable[str]) -> set[str]:
    return {word for value in values for word in tokens(value)}


def _covers(found: Found, question: Question) -> float:
    telling = [word for word in question.meaningful if word not in ORDINARY]
    return sum(word in found.covered for word in telling) / max(1, len(telling))


def _said(value: str, question: Question) -> bool:
    """Whether the question names this value, as a name or a longer word."""
    if len(value) < 3 or value.replace(".", "").isdigit() or stem(value) in ORDINARY or stem(value) in STOPPED:
        return False
    loose = 0 if len(value) < 5 or value[:1].isupper() else re.IGNORECASE
    return re.search(rf"(?<!\w){re.escape(value)}(?!\w)", question.text, loose) is not None


def _below(root: Path) -> Iterator[Path]:
    """The regular files below a folder: opening a pipe would wait for ever for somebody to write into it."""
    for folder, _, names in os.walk(root):
        yield from (path for name in names if (path := Path(folder) / name).is_file())
