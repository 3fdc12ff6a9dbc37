"""`benchwright suites`: list, show, build and check suites."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from benchwright.cli.app import group
from benchwright.cli.output import print_json, print_table, progress, shortened
from benchwright.errors import InputError

if TYPE_CHECKING:
    from benchwright.proving import SuiteStatistics
    from benchwright.proving.statistics import DomainStatistics, Spread
    from benchwright.suite import Suite

suites = group("suites", "List, show, build and check suites of tasks.")

SuiteArgument = Annotated[str, typer.Argument(metavar="SUITE", help="A suite's name or folder.")]
JsonOption = Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")]
_LISTED = 14
_EXTRA = {"allow_extra_args": True, "ignore_unknown_options": True}


@suites.command("list")
def list_suites(as_json: JsonOption = False) -> None:
    """The families that can be built, and the suites that are built on this machine."""
    from benchwright.suites.registry import built, families, loader

    offered = [loader(name) for name in families()]
    if as_json:
        print_json(
            {
                "families": [
                    {"name": each.name, "title": each.title, "sources": dict(each.sources)} for each in offered
                ],
                "built": {name: str(path) for name, path in built().items()},
            }
        )
        return
    rows = [(each.name, each.title, " ".join(f"--{source} PATH" for source in each.sources)) for each in offered]
    print_table("Families (benchwright suites build NAME ...)", ("name", "title", "sources"), rows)
    print_table("Built", ("name", "folder"), built().items())


@suites.command()
def show(
    suite: SuiteArgument,
    stats: Annotated[bool, typer.Option("--stats", help="Files, MB, lines, skills, domains, formats.")] = False,
    skills: Annotated[Path | None, typer.Option(help="With --stats: the skills that there are, for coverage.")] = None,
    as_json: JsonOption = False,
) -> None:
    """What a suite holds: its tasks with labels and required files, or its statistics."""
    found = find_suite(suite)
    if stats:
        from benchwright.proving.statistics import statistics

        counted = statistics(found, _universe(skills))
        print_json(counted.to_json()) if as_json else _print_statistics(counted)
    else:
        document = _described(found)
        print_json(document) if as_json else _print_tasks(document)


@suites.command(context_settings=_EXTRA)
def build(
    context: typer.Context,
    name: Annotated[str, typer.Argument(help="The family to build, see: benchwright suites list.")],
    out: Annotated[Path | None, typer.Option(help="The suite folder to make [default: by name].")] = None,
    release: Annotated[str, typer.Option(help="The release, where the family has several.")] = "",
) -> None:
    """Make a suite folder from local files, given as --SOURCE PATH (for coda_bench: --tasks, --hard, --data)."""
    from benchwright.files import home
    from benchwright.suites.base import BuildRequest
    from benchwright.suites.registry import loader, made

    family = loader(name)
    sources = _sources(context.args, family.sources)
    folder = out or home() / "suites" / name
    suite = made(family, BuildRequest(out=folder, sources=sources, release=release, progress=progress))
    typer.echo(f"{suite.name} {suite.info.release}: {len(suite.tasks)} tasks in {folder}")


def _universe(path: Path | None) -> tuple[str, ...]:
    """The names of the skills in a hierarchy, or of lines with `skill` or `name`."""
    if path is None:
        return ()
    from benchwright.files import read_jsonl

    source = path / "skills.jsonl" if path.is_dir() else path
    rows = [row for _, row in read_jsonl(source) if isinstance(row, dict)]
    named = [str(row.get("skill") or row.get("name") or "") for row in rows if row.get("top", True)]
    if not any(named):
        raise InputError(f"{source} names no skills", expected='lines with "skill" or "name"')
    return tuple(dict.fromkeys(filter(None, named)))


def find_suite(named: str) -> Suite:
    """A suite by its folder or name; built-in ones are built when they are first asked for."""
    from benchwright.suites.registry import find

    return find(named, progress)


def _sources(arguments: list[str], known: Mapping[str, str]) -> dict[str, Path]:
    """The pairs `--source PATH` of a build."""
    words, found = iter(arguments), {}
    for word in words:
        name, joined, value = word.removeprefix("--").partition("=")
        name = name.replace("-", "_")
        if not word.startswith("--") or name not in known:
            expected = ", ".join(f"--{source} PATH ({text})" for source, text in known.items()) or "no sources"
            raise InputError(f"unknown argument {word}", expected=expected)
        path = value if joined else next(words, "")
        if not path:
            raise InputError(f"--{name} needs a path", expected=known[name])
        found[name] = Path(path)
        if not found[name].exists():
            raise InputError(f"--{name}: no such file or folder: {path}", expected=known[name])
    return found


def _described(suite: Suite) -> dict[str, Any]:
    golds = suite.golds if suite.has_gold else {}
    return {
        "suite": suite.name,
        "release": suite.info.release,
        "digest": suite.digest,
        "n_tasks": len(suite.tasks),
        "subsets": {name: len(suite.subset(name)) for name in suite.subsets},
        "tasks": [
            {
                "id": task_id,
                "labels": suite.label(task_id).model_dump(mode="json", exclude={"task_id"}),
                "required_files": [file.path for file in golds[task_id].required_files] if task_id in golds else [],
                "required_files_status": golds[task_id].required_files_status if task_id in golds else "unknown",
            }
            for task_id in suite.tasks
        ],
    }


def _print_tasks(document: dict[str, Any]) -> None:
    subsets = ", ".join(f"{name} {count}" for name, count in document["subsets"].items())
    rows = [
        (
            task["id"],
            task["labels"]["domain"] or task["labels"]["dataset"],
            task["labels"]["difficulty"],
            task["labels"]["answer_type"],
            task["required_files_status"],
            shortened(", ".join(task["required_files"])),
        )
        for task in document["tasks"]
    ]
    columns = ("task", "domain", "difficulty", "answer", "files known", "required files")
    print_table(f"{document['suite']} {document['release']} ({subsets})", columns, rows)


def _print_statistics(counted: SuiteStatistics) -> None:
    print_table(f"{counted.suite} {counted.release}: {counted.tasks} tasks", ("", ""), list(_figures(counted)))
    rows = [_domain_row(domain) for domain in (*counted.domains, counted.total)]
    columns = (
        "domain",
        "tasks",
        "files",
        "MB",
        "files a task",
        "MB a task",
        "required",
        "required MB",
        "skills",
        "its own",
    )
    print_table("By domain (means over tasks)", columns, rows)


def _figures(counted: SuiteStatistics) -> Iterator[tuple[str, str | int | None]]:
    yield "subsets", _listed(counted.subsets)
    yield "rooms (on this machine)", f"{counted.rooms} ({counted.rooms_here})"
    yield "lines of solution", _spread(counted.solution_lines)
    yield "required files a task", _spread(counted.total.required_files)
    yield "parts of an answer", _spread(counted.answer_parts)
    yield "steps of a workflow", _spread(counted.workflow_steps)
    yield "words of a question", _spread(counted.question_words)
    yield "skills", counted.distinct_skills
    yield "skills that one task alone needs", counted.skills_once
    yield "skills that three tasks or more need", counted.skills_in_three
    yield "tasks a skill", _spread(counted.tasks_a_skill, "skills")
    if (cover := counted.coverage) is not None:
        foreign = f"; {len(cover.foreign)} others" if cover.foreign else ""
        yield (
            "coverage",
            f"{cover.covered} of {cover.skills} skills ({cover.share:.1%}), {cover.in_three} thrice{foreign}",
        )
    yield "categories", counted.distinct_categories
    yield "writers", _listed(counted.writers)
    yield "outputs", _listed(counted.outputs)
    yield "tasks with table output", counted.table_outputs
    yield "answer types", _listed(counted.answer_types)
    yield "difficulty", _listed(counted.difficulties)
    yield "required files known", _listed(counted.required_statuses)
    yield f"formats ({counted.formats_of})", _listed(counted.formats)
    yield "modalities", _listed(counted.modalities)


def _domain_row(domain: DomainStatistics) -> tuple[object, ...]:
    return (
        domain.domain or "total",
        domain.tasks,
        domain.files,
        _rounded(domain.megabytes),
        *(
            _rounded(spread.mean) if spread else None
            for spread in (
                domain.room_files,
                domain.room_megabytes,
                domain.required_files,
                domain.required_megabytes,
                domain.skills,
            )
        ),
        ", ".join(skill for skill, _ in domain.representative),
    )


def _spread(spread: Spread | None, of: str = "tasks") -> str | None:
    if spread is None:
        return None
    return (
        f"mean {spread.mean:.1f}, median {spread.median:g}, {spread.least:g} to {spread.most:g} ({spread.count} {of})"
    )


def _rounded(value: float | None) -> str | None:
    return None if value is None else f"{value:.1f}"


def _listed(counts: Mapping[str, int]) -> str | None:
    shown = [f"{name} {count}" for name, count in list(counts.items())[:_LISTED]]
    return ", ".join([*shown, f"and {len(counts) - _LISTED} more"] if len(counts) > _LISTED else shown) or None
