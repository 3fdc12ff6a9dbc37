"""The tests of `find`: which files it lets through, as far as their paths tell that."""

from __future__ import annotations

import fnmatch
import itertools
import posixpath
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

Verdict = bool | None
"""Whether a file is let through; None where its path does not tell."""

_DEEPEST = 20
_MOST_STARS = 8
_LONGEST_PATTERN = 300
_ALWAYS = frozenset("-follow -xdev -mount -depth -noleaf -daystart -warn -nowarn".split())
_OPEN = frozenset("-empty -readable -writable -executable -nouser -nogroup".split())
"""Tests without a value of which a path tells nothing; every other test of that kind has one."""
_RUNNING = frozenset("-exec -execdir -ok -okdir".split())
_PRINTING = frozenset("-print -print0".split())


@dataclass(frozen=True, slots=True)
class Candidate:
    """A file, or a folder above one: its path as `find` prints it, and how deep it lies below where it began."""

    printed: str
    depth: int
    folder: bool = False

    def above(self) -> Iterator[Candidate]:
        """The folders that it lies in, without the one where the search began."""
        path = self.printed
        for depth in range(self.depth - 1, 0, -1):
            path = posixpath.dirname(path)
            yield Candidate(path, depth, folder=True)


Test = Callable[[Candidate], Verdict]


@dataclass(frozen=True, slots=True)
class Action:
    """What is done with files that come so far: a command over them (empty: they are printed)."""

    words: tuple[str, ...]
    test: Test


@dataclass(slots=True)
class Finds:
    """What `find` looks for, and what it does with it."""

    folders: tuple[str, ...]
    actions: list[Action] = field(default_factory=list)
    pruned: list[Test] = field(default_factory=list)
    least: int = 0
    most: int = 1 << 30

    def chosen(self, action: Action, candidates: Sequence[Candidate]) -> tuple[list[str], bool]:
        """The printed paths that come to an action, and whether that is sure of all of them."""
        verdicts = [(candidate.printed, self._verdict(action, candidate)) for candidate in candidates]
        return [path for path, verdict in verdicts if verdict is not False], None not in dict(verdicts).values()

    def _verdict(self, action: Action, candidate: Candidate) -> Verdict:
        if not self.least <= candidate.depth <= self.most:
            return False
        left_out = _any(test(folder) for test in self.pruned for folder in candidate.above())
        return _all((action.test(candidate), None if left_out is None else not left_out))


def finds(words: Sequence[str]) -> Finds:
    """Take apart the words after `find`."""
    rest = list(itertools.dropwhile(lambda word: word in ("-L", "-H", "-P"), words))
    folders = tuple(itertools.takewhile(lambda word: word[:1] not in ("-", "(", "!"), rest))
    told = Finds(folders or (".",))
    whole = _Parser(rest[len(folders) :], told).expression(())
    if not told.actions:
        told.actions.append(Action((), whole))
    return told


@dataclass(slots=True)
class _Parser:
    words: Sequence[str]
    told: Finds
    place: int = 0
    depth: int = 0

    def expression(self, before: tuple[Test, ...]) -> Test:
        """Alternatives; `before` are the tests that hold wherever this one is looked at."""
        terms: list[Test] = []
        while True:
            terms.append(self._term((*before, *map(_not, terms))))
            if self._word() not in ("-o", "-or", ","):
                return lambda file: _any(term(file) for term in terms)
            self.place += 1

    def _word(self) -> str:
        return self.words[self.place] if self.place < len(self.words) else ""

    def _next(self) -> str:
        self.place += 1
        return self.words[self.place - 1] if self.place <= len(self.words) else ""

    def _term(self, before: tuple[Test, ...]) -> Test:
        factors: list[Test] = []
        while self.place < len(self.words) and self._word() not in ("-o", "-or", ",", ")"):
            word = self._next()
            if word not in ("-a", "-and"):
                factors.append(self._factor(word, (*before, *factors)))
        return lambda file: _all(factor(file) for factor in factors)

    def _factor(self, word: str, before: tuple[Test, ...]) -> Test:
        if word in ("!", "-not"):
            return _not(self._factor(self._next(), before)) if self.place < len(self.words) else _unknown
        if word == "(":
            return self._enclosed(before)
        if word in _RUNNING or word in _PRINTING:
            command = itertools.takewhile(lambda item: item not in (";", "+", "\\;"), self.words[self.place :])
            words = tuple(command) if word in _RUNNING else ()
            self.place += len(words) + 1 if word in _RUNNING else 0
            self.told.actions.append(Action(words, lambda file: _all(test(file) for test in before)))
            return _true
        if word == "-prune":
            self.told.pruned.append(lambda file: _all(test(file) for test in before))
            return _true
        return self._test(word)

    def _enclosed(self, before: tuple[Test, ...]) -> Test:
        self.depth += 1
        inside = self.expression(before) if self.depth < _DEEPEST else _unknown
        self.depth -= 1
        self.place += self._word() == ")"
        return inside

    def _test(self, word: str) -> Test:
        if word in _ALWAYS or word in _OPEN or not word.startswith("-"):
            return _true if word in _ALWAYS else _unknown
        value = self._next()
        match word:
            case "-maxdepth" | "-mindepth" if value.isdecimal() and len(value) < 9:
                setattr(self.told, "most" if word == "-maxdepth" else "least", int(value))
                return _true
            case "-type":
                kinds = value.split(",")
                return lambda file: ("d" if file.folder else "f") in kinds
            case "-name" | "-iname":
                return _fitting(value, lambda file: posixpath.basename(file.printed), folded=word == "-iname")
            case "-path" | "-wholename" | "-ipath" | "-iwholename":
                return _fitting(value, lambda file: file.printed, folded=word.startswith("-i"))
        return _unknown


def _fitting(pattern: str, part: Callable[[Candidate], str], *, folded: bool) -> Test:
    if len(pattern) > _LONGEST_PATTERN or pattern.count("*") > _MOST_STARS:
        return _unknown
    wanted = pattern.lower() if folded else pattern

    def test(file: Candidate) -> Verdict:
        found = part(file)
        return fnmatch.fnmatchcase(found.lower() if folded else found, wanted)

    return test


def _true(_file: Candidate) -> Verdict:
    return True


def _unknown(_file: Candidate) -> Verdict:
    return None


def _not(test: Test) -> Test:
    def opposite(file: Candidate) -> Verdict:
        verdict = test(file)
        return None if verdict is None else not verdict

    return opposite


def _all(verdicts: Iterable[Verdict]) -> Verdict:
    """False where one is False, else None where one is not known."""
    known = list(verdicts)
    return False if False in known else None if None in known else True


def _any(verdicts: Iterable[Verdict]) -> Verdict:
    known = list(verdicts)
    return True if True in known else None if None in known else False
