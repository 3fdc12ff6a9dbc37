"""A leaderboard as a folder: its settings, its submissions as they came, and what scoring them again gave."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

from benchwright import __version__
from benchwright.errors import InputError
from benchwright.files import read_json, read_toml, toml_text, write_atomic
from benchwright.publishing.leaderboard.entries import Board, Entry, Verified, entry_of
from benchwright.publishing.submission import Finding, Package, Verdict, check, opened
from benchwright.publishing.submission.making import made_of
from benchwright.publishing.submission.records import SuiteMade
from benchwright.publishing.submission.schema import PUBLISHED_SIZES, packaged
from benchwright.suite import Suite

SETTINGS = "leaderboard.toml"
SUBMISSIONS = "submissions"
SCORES = "scores"
REFUTED = "what it claims does not stand when it is scored again"
"""Why `verify` takes a submission out of the ranking."""


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
        """Make an empty one. Errors: InputError where there is one already."""
        if (folder / SETTINGS).exists():
            raise InputError(f"there is a leaderboard in {folder} already")
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
        """Every submission of the folder, withdrawn ones too. Errors: InputError names the file that is not one."""
        found = tuple(self._entries())
        by_id: dict[str, Entry] = {}
        for entry in found:
            if entry.id in by_id:
                raise InputError(
                    f"two submissions of one id in {self.folder}",
                    found=f"{entry.id}: {by_id[entry.id].file}, {entry.file}",
                )
            by_id[entry.id] = entry
        return found

    def _entries(self) -> Iterator[Entry]:
        for path in self._files():
            with opened(path) as parcel:
                package, findings = packaged(parcel, self.sizes, path.stem)
            if package is None:
                raise InputError(f"{path} is no submission", found=findings[0].reason if findings else "")
            yield entry_of(package, self.board, self._verified(package), path.name)

    def _files(self) -> list[Path]:
        """Where the submissions lie, in order of their names."""
        folder = self.folder / SUBMISSIONS
        found = folder.iterdir() if folder.is_dir() else iter(())
        return sorted(path for path in found if not path.name.startswith("."))

    def _verified(self, package: Package) -> Verified | None:
        path = self.folder / SCORES / f"{package.id}.json"
        return Verified.from_json(read_json(path), str(path)) if path.is_file() else None

    def judge(self, path: Path, suite: Suite | None = None, *, published: bool = False) -> Verdict:
        """What a check says of a submission to this board; `published` takes claims whose numbers contradict."""
        with opened(path) as parcel:
            verdict = check(parcel, suite, partial=self.board.partial, sizes=self.sizes, name=path.stem)
        package = verdict.package
        more = [] if package is None else list(self._unfit(package))
        findings = [*verdict.findings, *more]
        if package is not None and any(entry.id == package.id and entry.file != path.name for entry in self.entries()):
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
        if any(entry.id == package.id for entry in self.entries()):
            again = Finding("again", f"there is a submission {package.id} already")
            return Verdict((*verdict.findings, again), package, verdict.lines, verdict.results)
        self._keep(path, package)
        if verdict.results and suite is not None:
            self._keep_scores(package, verdict, suite)
        return verdict

    def _keep(self, path: Path, package: Package) -> None:
        target = self.folder / SUBMISSIONS / package.id
        if path.is_dir():
            shutil.copytree(path, target)
        else:
            suffix = ".zip" if package.manifest else ".json"
            write_atomic(target.with_name(f"{package.id}{suffix}"), path.read_bytes())

    def _keep_scores(self, package: Package, verdict: Verdict, suite: Suite) -> None:
        made: SuiteMade = made_of(suite)
        record = Verified(
            submission_id=package.id,
            benchwright=__version__,
            suite_digest=made.digest,
            gold_digest=made.gold_digest,
            scorer_digest=made.scorer_digest,
            results=dict(verdict.results),
            tasks=() if self.board.private else verdict.lines,
        )
        write_atomic(self.folder / SCORES / f"{package.id}.json", record.model_dump_json(indent=1) + "\n")

    def verify(self, suite: Suite) -> Iterator[tuple[str, Verdict]]:
        """Score every submission with predictions again, and write down what that gives.

        One that is refused leaves the ranking, with what it was verified as before, until it stands again.
        """
        for path in self._files():
            verdict = self.judge(path, suite)
            package = verdict.package
            if package is not None and package.manifest is not None:
                if verdict.refused:
                    (self.folder / SCORES / f"{package.id}.json").unlink(missing_ok=True)
                    if package.id not in self.board.withdrawn:
                        self.withdraw(package.id, REFUTED)
                elif verdict.results:
                    self._keep_scores(package, verdict, suite)
                    self._readmit(package.id)
                yield package.id, verdict

    def _readmit(self, submission_id: str) -> None:
        """What was only left out because it was refused stands in the ranking again."""
        if self.board.withdrawn.get(submission_id) == REFUTED:
            rest = {name: why for name, why in self.board.withdrawn.items() if name != submission_id}
            self.board = self.board.model_copy(update={"withdrawn": rest})
            self._write_settings()

    def withdraw(self, submission_id: str, reason: str) -> None:
        """Take an entry out of the ranking; its file and the reason stay."""
        if submission_id not in {entry.id for entry in self.entries()}:
            raise InputError(f"no submission {submission_id!r} in {self.folder}")
        board = self.board.model_copy(update={"withdrawn": {**self.board.withdrawn, submission_id: reason}})
        self.board = Board.from_json(board.model_dump(mode="json"), "withdrawn")
        self._write_settings()


def _noted(finding: Finding) -> Finding:
    """A contradiction of published numbers is said, and is no reason to leave them out."""
    return Finding(finding.code, finding.reason, finding.tasks, refused=finding.refused and finding.code != "counts")
