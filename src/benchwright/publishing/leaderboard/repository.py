"""A leaderboard as a folder: its settings, its submissions as they came, and what scoring them again gave."""

from __future__ import annotations

import secrets
import shutil
import tempfile
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from benchwright import __version__
from benchwright.errors import InputError
from benchwright.files import read_json, read_toml, require_place, toml_text, write_atomic
from benchwright.publishing.leaderboard.entries import ANONYMOUS, Board, Entry, Verified, entry_of, swept
from benchwright.publishing.submission import Finding, Package, Verdict, check, opened
from benchwright.publishing.submission.manifests import made_of
from benchwright.publishing.submission.records import SuiteMade
from benchwright.publishing.submission.schema import PUBLISHED_SIZES, packaged
from benchwright.suite import Suite

SETTINGS = "leaderboard.toml"
SUBMISSIONS = "submissions"
SCORES = "scores"
REFUTED = "what it claims does not stand when it is scored again"
"""Why `verify` takes a submission out of the ranking."""


class Unread(NamedTuple):
    """A file that lies among the submissions and is no entry, and why."""

    file: str
    why: str


class Leaderboard:
    """A folder with `leaderboard.toml`, `submissions/` and `scores/`."""

    def __init__(self, folder: Path, board: Board) -> None:
        self.folder = folder
        self.board = board

    @classmethod
    def open(cls, folder: Path) -> Leaderboard:
        """Open one. Errors: InputError where the folder is none, or its settings are wrong."""
        path = folder / SETTINGS
        if not path.is_file():
            raise InputError(
                f"not a leaderboard: {folder}",
                found=f"no {SETTINGS}",
                hint="make one with: benchwright leaderboard init DIR --suite SUITE",
            )
        return cls(folder, Board.from_json(read_toml(path), str(path)))

    @classmethod
    def create(cls, folder: Path, board: Board) -> Leaderboard:
        """Make an empty one. Errors: InputError where there is one already, or where the folder holds other things."""
        if (folder / SETTINGS).exists():
            raise InputError(f"there is a leaderboard in {folder} already")
        require_place(folder, SETTINGS)
        (folder / SUBMISSIONS).mkdir(parents=True, exist_ok=True)
        made = cls(folder, board)
        made._write_settings()
        return made

    def _write_settings(self) -> None:
        write_atomic(self.folder / SETTINGS, toml_text(self.board.to_json()))

    @property
    def sizes(self) -> dict[str, int]:
        """Tasks by subset, for claims that do not tell: CoDA-Bench's where the settings say nothing else."""
        return {**PUBLISHED_SIZES, **self.board.sizes}

    def entries(self) -> tuple[Entry, ...]:
        """Every submission of the folder that can be read, withdrawn ones too, in order of what they are called."""
        return self.read()[0]

    def read(self) -> tuple[tuple[Entry, ...], tuple[Unread, ...]]:
        """The entries, and the files that are none: what cannot be read, and submissions of one id."""
        found: dict[str, list[Entry]] = {}
        unread: list[Unread] = []
        ids: set[str] = set()
        for path in self._files():
            try:
                package = self._package(path)
                entry = entry_of(package, self.board, self._verified(package), path.name)
                found.setdefault(package.id.casefold(), []).append(entry)
                ids.add(package.id)
            except InputError as error:
                unread.append(Unread(path.name, error.text().replace(str(self.folder), self.folder.name)))
        for several in found.values():
            if len(several) > 1:
                why = f"{len(several)} submissions of one id, whatever the case of its letters"
                unread += [Unread(entry.file or entry.id, why) for entry in several]
        unread += self._strangers(ids)
        alone = [several[0] for several in found.values() if len(several) == 1]
        return tuple(sorted(alone, key=lambda entry: entry.id)), tuple(sorted(unread))

    def _package(self, path: Path) -> Package:
        if path.is_symlink():
            raise InputError(f"{path} is a link", expected="a file or a folder: links are not followed")
        with opened(path) as parcel:
            package, findings = packaged(parcel, self.sizes, path.stem)
        if package is None:
            raise InputError(f"{path} is no submission", found=findings[0].reason if findings else "")
        return package

    def _ids(self) -> dict[str, list[str]]:
        """The files by id, of submissions that can be read."""
        found: dict[str, list[str]] = {}
        for path in self._files():
            with suppress(InputError):
                found.setdefault(self._package(path).id, []).append(path.name)
        return found

    def _strangers(self, ids: Collection[str]) -> Iterator[Unread]:
        """Ids in the settings that no submission has: of one that was to be hidden or withdrawn, it is not."""
        for setting in ("withdrawn", "anonymous", "revealed", "measured"):
            for name in getattr(self.board, setting):
                if name not in ids:
                    yield Unread(SETTINGS, f"{setting}: there is no submission {name}")

    def _files(self) -> list[Path]:
        """Where the submissions lie, in order of their names."""
        folder = self.folder / SUBMISSIONS
        found = folder.iterdir() if folder.is_dir() else iter(())
        return sorted(path for path in found if not path.name.startswith("."))

    def _verified(self, package: Package) -> Verified | None:
        path = self.folder / SCORES / f"{package.id}.json"
        found = Verified.from_json(read_json(path), str(path)) if path.is_file() else None
        now = package.manifest.predictions.sha256 if package.manifest else ""
        return found if found and found.predictions in ("", now) else None

    def judge(self, path: Path, suite: Suite | None = None, *, published: bool = False) -> Verdict:
        """What a check says of a submission to this board; `published` takes claims whose numbers contradict.

        Errors: InputError where it cannot be read, or is a link.
        """
        return self._judged(path, suite, self._ids(), published=published)

    def _judged(
        self, path: Path, suite: Suite | None, ids: Mapping[str, Sequence[str]], *, published: bool = False
    ) -> Verdict:
        if path.is_symlink() and path.absolute().parent == (self.folder / SUBMISSIONS).absolute():
            raise InputError(f"{path} is a link", expected="a file or a folder: links are not followed")
        with opened(path) as parcel:
            verdict = check(parcel, suite, partial=self.board.partial, sizes=self.sizes, name=path.stem)
        package = verdict.package
        more = [] if package is None else list(self._unfit(package))
        findings = [*verdict.findings, *more]
        if package is not None and set(_of(ids, package.id)) - {path.name}:
            findings.append(Finding("again", f"there is a submission {package.id} already"))
        if published:
            findings = [_noted(finding) for finding in findings]
        return Verdict(tuple(findings), package, verdict.lines, verdict.results)

    def _unfit(self, package: Package) -> Iterator[Finding]:
        board, manifest = self.board, package.manifest
        if manifest and board.suite and manifest.suite.name != board.suite:
            yield Finding(
                "suite", f"the leaderboard is about {board.suite}, the submission about {manifest.suite.name}"
            )
        if manifest and board.release and manifest.suite.release != board.release:
            yield Finding("suite", f"the leaderboard is about release {board.release}, not {manifest.suite.release}")
        if manifest and board.digest and manifest.suite.digest != board.digest:
            yield Finding("suite", "made with other questions or data than the leaderboard's")
        for name, result in package.detailed.results.items():
            if wrong := board.wrong_size(name, result):
                yield Finding("subset", wrong)
        if board.subset not in package.detailed.results:
            yield Finding("subset", f"places go by {board.subset}, on which it has no results")

    def add(self, path: Path, suite: Suite | None = None, *, published: bool = False) -> Verdict:
        """Take a submission in, where nothing refuses it; with the gold its scores are written down as verified.

        An id stands for one submission: another file of that id is refused.
        """
        verdict = self.judge(path, suite, published=published)
        package = verdict.package
        if package is None or verdict.refused:
            return verdict
        if _of(self._ids(), package.id) or self._places(package.id):
            again = Finding("again", f"there is a submission {package.id} already, or a file of its name")
            return Verdict((*verdict.findings, again), package, verdict.lines, verdict.results)
        self._keep(path, package)
        if verdict.results and suite is not None:
            self._keep_scores(package, verdict, suite)
        return verdict

    def _places(self, submission_id: str) -> list[Path]:
        """What lies where a submission would lie, be it one or not."""
        names = {f"{submission_id}{suffix}".casefold() for suffix in ("", ".zip", ".json")}
        return [path for path in self._files() if path.name.casefold() in names]

    def _keep(self, path: Path, package: Package) -> None:
        """Put a submission as it came among the others, whole or not at all."""
        target = self.folder / SUBMISSIONS / package.id
        if path.is_dir():
            with tempfile.TemporaryDirectory(prefix=".", dir=target.parent) as name:
                whole = shutil.copytree(path, Path(name) / package.id)
                whole.rename(target)
        else:
            suffix = ".zip" if package.manifest else ".json"
            write_atomic(target.with_name(f"{package.id}{suffix}"), path.read_bytes())

    def _keep_scores(self, package: Package, verdict: Verdict, suite: Suite) -> None:
        made: SuiteMade = made_of(suite)
        record = Verified(
            submission_id=package.id,
            predictions=package.manifest.predictions.sha256 if package.manifest else "",
            benchwright=__version__,
            suite_digest=made.digest,
            gold_digest=made.gold_digest,
            scorer_digest=made.scorer_digest,
            results=dict(verdict.results),
            tasks=() if self.board.private else verdict.lines,
            swept=swept(package, suite),
        )
        write_atomic(self.folder / SCORES / f"{package.id}.json", record.model_dump_json(indent=1) + "\n")

    def verify(self, suite: Suite) -> Iterator[tuple[str, Verdict]]:
        """Score every submission with predictions again, and write down what that gives.

        One that is refused leaves the ranking, with what it was verified as before, until it stands again.
        """
        ids = self._ids()
        for path in self._files():
            try:
                verdict = self._judged(path, suite, ids)
            except InputError as error:
                verdict = Verdict((Finding("schema", error.text()),))
            package = verdict.package
            if package is not None and package.manifest is not None:
                self._take_over(package, verdict, suite)
            if package is None or package.manifest is not None:
                yield package.id if package else path.name, verdict

    def _take_over(self, package: Package, verdict: Verdict, suite: Suite) -> None:
        if verdict.refused:
            (self.folder / SCORES / f"{package.id}.json").unlink(missing_ok=True)
            if package.id not in self.board.withdrawn:
                self.withdraw(package.id, REFUTED)
        elif verdict.results:
            self._keep_scores(package, verdict, suite)
            self._readmit(package.id)

    def _readmit(self, submission_id: str) -> None:
        """What was only left out because it was refused stands in the ranking again."""
        if self.board.withdrawn.get(submission_id) == REFUTED:
            self._set(withdrawn={name: why for name, why in self.board.withdrawn.items() if name != submission_id})

    def withdraw(self, submission_id: str, reason: str) -> None:
        """Take an entry out of the ranking; its file and the reason stay. Errors: InputError, also without a reason."""
        if not reason.strip():
            raise InputError("an entry is withdrawn for a reason", found="none", expected="a few words for readers")
        self._need(submission_id)
        self._set(withdrawn={**self.board.withdrawn, submission_id: reason})

    def hide(self, submission_id: str) -> str:
        """Show an entry without its makers, its agent and its model; returns what it is called until it is revealed."""
        self._need(submission_id)
        alias = self.board.anonymous.get(submission_id) or f"{ANONYMOUS}-{secrets.token_hex(6)}"
        rest = tuple(name for name in self.board.revealed if name != submission_id)
        self._set(anonymous={**self.board.anonymous, submission_id: alias}, revealed=rest)
        return alias

    def reveal(self, submission_id: str) -> None:
        """Show an anonymous entry as what it is."""
        self._need(submission_id)
        rest = {name: alias for name, alias in self.board.anonymous.items() if name != submission_id}
        self._set(anonymous=rest, revealed=tuple(dict.fromkeys((*self.board.revealed, submission_id))))

    def _need(self, submission_id: str) -> None:
        if submission_id not in self._ids():
            raise InputError(f"no submission {submission_id!r} in {self.folder}")

    def _set(self, **changes: object) -> None:
        """Change settings, checked as if they had been read."""
        self.board = Board.from_json({**self.board.model_dump(mode="json"), **changes}, SETTINGS)
        self._write_settings()


def _of(ids: Mapping[str, Sequence[str]], wanted: str) -> list[str]:
    """The files of an id, whatever the case of its letters."""
    return [file for name, files in ids.items() if name.casefold() == wanted.casefold() for file in files]


def _noted(finding: Finding) -> Finding:
    """A contradiction of published numbers is said, and is no reason to leave them out."""
    return Finding(finding.code, finding.reason, finding.tasks, refused=finding.refused and finding.code != "counts")
