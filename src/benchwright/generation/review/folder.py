"""The review folder: one page a task, a manifest of what was reviewed, and the decisions read back from it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from benchwright.errors import InputError
from benchwright.files import Record, canonical_json, read_json, read_jsonl, read_text, sha256, write_atomic
from benchwright.generation.review.decisions import Decision, Unclear, read_decision, without_decision
from benchwright.generation.review.novelty import novelty
from benchwright.generation.review.page import Sheet, page
from benchwright.generation.review.privacy import private
from benchwright.generation.writing import Kept
from benchwright.profiles.entries import FileProfile
from benchwright.profiles.folders import Looking, profile_files
from benchwright.proving.lint.base import Case, cases
from benchwright.proving.lint.rooms import required_paths
from benchwright.suite import Suite

MANIFEST = "review.json"
PAGES = "tasks"
KEPT = Path("gold", "generation", "kept.jsonl")
"""Where a generated suite keeps the drafts and proofs of its tasks."""

_TEXT_BYTES = 4000
_READ_ME = """# Review of {suite}

One page a task in `{pages}/`, {count} in all. On each page fill in the block under "Decision" and change nothing else:

- `verdict`: `accept`, `edit` (with a new `question` or `guidelines`) or `reject` (with a `reason`).
- Solve the task from its question and data before you look at the gold.

Accept a task only if all of this is true: the workflow solves it; its skills are needed; it is concise, clear and
something that one can act on; its answer can be verified.

Each reviewer works on a copy of this folder. The pages hold golds: do not publish them, and show them to no agent.
"""


class Manifest(Record):
    """What was reviewed: the suite by its digests, and each page by the SHA-256 of what is not its decision."""

    suite: str
    digest: str
    gold_digest: str
    pages: dict[str, str]


@dataclass(frozen=True, slots=True)
class Wish:
    """How pages are made: of which tasks (`ids`; all), compared `against` which suites, with `sample` rows or none.

    `earlier` has, by task, what reviewers decided: for an adjudication.
    """

    ids: tuple[str, ...] = ()
    against: tuple[Suite, ...] = ()
    sample: bool = True
    earlier: Mapping[str, str] = field(default_factory=dict)
    looking: Looking = field(default_factory=Looking)
    told: Callable[[str], None] = lambda text: None  # noqa: ARG005 - one that tells nobody


def make_review(suite: Suite, out: Path, wish: Wish) -> Manifest:
    """Write the folder, its manifest last. Raises InputError where `out` holds anything, or gold is withheld."""
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise InputError(f"{out} is not empty", expected="a new folder: pages may hold decisions of people")
    unknown = [task_id for task_id in wish.ids if task_id not in suite.tasks]
    if unknown:
        raise InputError(f"suite {suite.name} has no task {unknown[0]!r}")
    if not suite.has_gold:
        raise InputError(f"suite {suite.name} holds no gold: nothing to review", expected="gold/gold.jsonl")
    pages: dict[str, str] = {}
    for sheet in sheets(suite, wish):
        text = page(sheet, sample=wish.sample)
        task_id = sheet.case.task.id
        write_atomic(out / PAGES / f"{task_id}.md", text)
        pages[task_id] = sha256(without_decision(text))
    manifest = Manifest(suite=suite.name, digest=suite.digest, gold_digest=suite.gold_digest, pages=pages)
    write_atomic(out / "README.md", _READ_ME.format(suite=suite.name, pages=PAGES, count=len(pages)))
    write_atomic(out / MANIFEST, canonical_json(manifest.to_json()) + "\n")
    return manifest


def sheets(suite: Suite, wish: Wish) -> Iterator[Sheet]:
    """What each page shows, in the suite's order."""
    wish.told("comparing questions")
    near = novelty(suite, wish.against)
    kept = read_kept(suite)
    chosen = [case for case in cases(suite) if not wish.ids or case.task.id in wish.ids]
    profiles = _profiles(suite, chosen, wish)
    for case in chosen:
        files = profiles(case)
        task_id, own = case.task.id, kept.get(case.task.id)
        yield Sheet(
            case=case,
            kept=own,
            files=files,
            room_files=_room_files(suite, case),
            gold_texts=[*_gold_texts(suite, case)],
            found=private(case, own.draft.workflow.code if own else "", files if wish.sample else ()),
            near=[each for each in near if task_id == each.task or (not each.suite and task_id == each.other)],
            earlier=wish.earlier.get(task_id, ""),
        )


def read_kept(suite: Suite) -> dict[str, Kept]:
    """The drafts and proofs of a generated suite's tasks; none for others."""
    path = suite.folder / KEPT
    if not path.is_file():
        return {}
    rows = (Kept.from_json(value, f"{path}, line {number}") for number, value in read_jsonl(path))
    return {row.task_id: row for row in rows}


def _profiles(suite: Suite, chosen: Iterable[Case], wish: Wish) -> Callable[[Case], list[FileProfile]]:
    """What gives a task's required files that are here, each looked at once."""
    paths = {case.task.id: required_paths(suite, case) or () for case in chosen}
    wanted = sorted({path for each in paths.values() for path in each})
    roots = sorted((suite.room_path(room) for room in suite.info.rooms), key=lambda root: -len(str(root)))
    wish.told(f"profiling {len(wanted):,} files")
    named = [(path, _name(path, roots)) for path in wanted]
    found = dict(zip(wanted, profile_files(named, wish.looking), strict=True)) if named else {}
    return lambda case: [found[path] for path in sorted(paths[case.task.id])]


def _name(path: Path, roots: Sequence[Path]) -> str:
    return next((path.relative_to(root).as_posix() for root in roots if path.is_relative_to(root)), path.name)


def _room_files(suite: Suite, case: Case) -> int | None:
    counts = [suite.info.rooms[mount.room].files for mount in case.task.data]
    known = [count for count in counts if count is not None]
    return sum(known) if known and len(known) == len(counts) else None


def _gold_texts(suite: Suite, case: Case) -> Iterator[tuple[str, str]]:
    for name in case.gold.files:
        path = suite.gold_files(case.task.id) / name
        if path.is_file() and not path.is_symlink():
            with path.open("rb") as stream:
                beginning = stream.read(_TEXT_BYTES)
            told = "(not text)" if b"\0" in beginning else beginning.decode("utf-8", "replace")
            yield name, told


@dataclass(frozen=True, slots=True)
class Returned:
    """A folder that came back: decisions by task, and what is wrong with pages, by task."""

    decisions: Mapping[str, Decision]
    problems: Mapping[str, str]


def read_review(folder: Path, suite: Suite) -> Returned:
    """The decisions of a folder about this suite.

    Raises InputError for a folder that is no review, or is one of another state of the suite.
    """
    if not (folder / MANIFEST).is_file():
        raise InputError(f"{folder} is no review", found=f"no {MANIFEST}", expected="a folder of: generate review make")
    manifest = Manifest.from_json(read_json(folder / MANIFEST), str(folder / MANIFEST))
    if (manifest.digest, manifest.gold_digest) != (suite.digest, suite.gold_digest):
        raise InputError(
            f"{folder} reviews another state of the suite",
            found=f"{manifest.suite} {manifest.digest[:12]}, gold {manifest.gold_digest[:12]}",
            expected=f"{suite.name} {suite.digest[:12]}, gold {suite.gold_digest[:12]}",
        )
    decisions: dict[str, Decision] = {}
    problems: dict[str, str] = {}
    for task_id, digest in manifest.pages.items():
        try:
            decisions[task_id] = _read(folder / PAGES / f"{task_id}.md", task_id, digest)
        except Unclear as error:
            problems[task_id] = str(error)
        except InputError as error:
            problems[task_id] = error.what
    return Returned(decisions, problems)


def _read(path: Path, task_id: str, digest: str) -> Decision:
    text = read_text(path)
    if sha256(without_decision(text)) != digest:
        raise Unclear("the page was changed outside of its decision: write new texts into the decision")
    return read_decision(text, task_id)


def for_adjudication(wish: Wish, reviews: Sequence[Mapping[str, Decision]], tasks: Sequence[str]) -> Wish:
    """The wish for pages of the tasks on which reviewers differ, each page with what they said."""
    told = partial(_told, reviews)
    return replace(wish, ids=tuple(tasks), earlier={task: told(task) for task in tasks})


def _told(reviews: Sequence[Mapping[str, Decision]], task: str) -> str:
    parts = []
    for number, review in enumerate(reviews, 1):
        each = review[task]
        texts = [f"{name}: {text}" for name in ("reason", "question", "guidelines") if (text := getattr(each, name))]
        parts.append("\n".join([f"reviewer {number}: {each.verdict}", *texts]))
    return "\n\n".join(parts)
