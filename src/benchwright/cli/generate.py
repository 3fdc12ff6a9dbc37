"""`benchwright generate`: a new suite from a folder of data and skills, every task proved."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from benchwright.cli.asking import PricesOption, TokensOption, UsdOption, spent_document
from benchwright.cli.clusters import RayOption, spread_of
from benchwright.cli.generate_group import generate
from benchwright.cli.generate_writers import ModelChoice, writer_of
from benchwright.cli.output import print_json, print_table, progress
from benchwright.cli.run_options import SandboxKind
from benchwright.cli.skills_opening import DescriptionsOption, open_skills
from benchwright.cli.suites import JsonOption
from benchwright.errors import InputError

if TYPE_CHECKING:
    from benchwright.generation.executing import Machine
    from benchwright.generation.pipeline import Generated
    from benchwright.generation.rounds import State
    from benchwright.skills.nodes import Hierarchy, SkillNode

_SECONDS = 5.0


@generate.callback()
def make(  # noqa: PLR0913, PLR0917 - one parameter an option
    context: typer.Context,
    data: Annotated[Path | None, typer.Option(help="A folder of data; its folders are rooms, or it is one.")] = None,
    skills: Annotated[
        Path | None, typer.Option(help="Skills: a folder of ours, step-clusters.jsonl or skill-descriptions.jsonl.")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="The suite's folder; the same command goes on with it.")] = None,
    tasks: Annotated[int, typer.Option(min=1, help="How many tasks.")] = 20,
    writer: Annotated[str, typer.Option(help="template, model, or a writer of another package.")] = "template",
    model: Annotated[str, typer.Option(help="The model that writes, by Inspect's name.")] = "",
    judge_model: Annotated[str, typer.Option(help="Another model, which judges what the first one wrote.")] = "",
    same_judge: Annotated[bool, typer.Option("--same-judge", help="Let the model judge what it wrote itself.")] = False,
    steps: Annotated[int, typer.Option(min=1, help="Skills that a model's draft begins from.")] = 5,
    no_values: Annotated[
        bool, typer.Option("--no-values", help="Tell a model of the data's columns, and no value of them.")
    ] = False,
    budget_usd: UsdOption = None,
    budget_tokens: TokensOption = None,
    prices: PricesOption = None,
    seed: Annotated[int, typer.Option(min=0, help="The same seed makes the same suite.")] = 0,
    descriptions: DescriptionsOption = None,
    relations: Annotated[
        Path | None, typer.Option(help="Relations of the data that people reviewed: JSON Lines.")
    ] = None,
    sandbox: Annotated[SandboxKind, typer.Option(help="The kind of sandbox.")] = SandboxKind.AUTO,
    max_parallel: Annotated[int, typer.Option(min=0, help="Drafts to write and prove at a time; 0: one a core.")] = 0,
    ray: RayOption = "",
    as_json: JsonOption = False,
) -> None:
    """Make a new suite from data and skills: tasks are drafted, and kept where every proof succeeds.

    Killed at any moment, the same command goes on and makes the same suite. Every decision is a line of
    gold/generation/journal.jsonl in the suite's folder. Exit code 1: fewer tasks than asked for came of it.
    """
    if context.invoked_subcommand is not None:
        return
    if data is None or skills is None or out is None:
        missing = [name for name, value in (("data", data), ("skills", skills), ("out", out)) if value is None]
        raise InputError("generate needs more", found=f"no --{missing[0]}", expected="--data, --skills and --out")
    from benchwright.generation.elsewhere import Elsewhere
    from benchwright.generation.pipeline import WORK, Request, generate
    from benchwright.generation.rounds import Goal
    from benchwright.live.cluster.proving import Prove

    tops = _skills(skills, descriptions)
    goal = Goal(tasks, {node.name: node.description for node in tops}, seed)
    categories = {node.name: node.category for node in tops}
    at_once = max_parallel or _cores()
    with ExitStack() as held:
        spread = held.enter_context(spread_of(ray))
        choice = ModelChoice(
            model=model,
            judge=judge_model,
            same_judge=same_judge,
            budget_usd=budget_usd,
            budget_tokens=budget_tokens,
            prices=prices,
            tops=tops,
            steps=steps,
            values=not no_values,
            at_once=at_once,
            spread=spread,
        )
        machine = _machine(sandbox, out, held)
        wrote = writer_of(writer, choice, machine, out / WORK, held)
        elsewhere = None if spread is None else Elsewhere(spread, Prove, sandbox.value)
        request = Request(data, out, goal, categories, at_once, relations, elsewhere)
        told = held.enter_context(_telling(tasks))
        made = generate(request, wrote, machine, progress, told)
        spent = getattr(wrote, "spent", None)
    asked = {} if spent is None else {"asked": spent_document(spent)}
    document = _document(made, out, goal.skills, tasks) | asked
    print_json(document) if as_json else _print(made, document)
    if len(made.suite.tasks) < tasks:
        raise typer.Exit(1)


def _cores() -> int:
    import os

    return os.cpu_count() or 1


def _skills(path: Path, descriptions: Path | None) -> tuple[SkillNode, ...]:
    """The topmost skills of a folder or file, one or more."""
    if not (tops := tuple(_hierarchy(path, descriptions).tops)):
        raise InputError(f"{path} names no skill", expected="one skill or more")
    return tops


def _hierarchy(path: Path, descriptions: Path | None) -> Hierarchy:
    """Skills with what is known of them; those of a file of descriptions have nothing but these."""
    from benchwright.files import read_jsonl
    from benchwright.skills.nodes import Hierarchy, SkillNode, by_id
    from benchwright.skills.published import read_descriptions

    first = next(read_jsonl(path), None) if path.is_file() else None
    if first is not None and isinstance(first[1], dict) and "skill" in first[1] and "id" not in first[1]:
        found = read_descriptions(path)
        nodes = (SkillNode(id=f"1-{n}", name=name, description=text) for n, (name, text) in enumerate(found.items(), 1))
        return Hierarchy(by_id(nodes))
    return open_skills(path, descriptions)


def _machine(sandbox: SandboxKind, out: Path, held: ExitStack) -> Machine:
    """Sandboxes of the chosen kind, which show nothing of the suite; the toolbox is built at the first one.

    All are ended with `held`.
    """
    from benchwright.generation.executing import Machine
    from benchwright.live.opening import close_sandboxes, open_sandbox, toolbox_here

    held.callback(close_sandboxes)

    def opened(spec: Any) -> Any:
        toolbox_here(progress)
        return open_sandbox(spec, sandbox.value)

    return Machine(opened, hidden=(out.absolute(),))


@contextmanager
def _telling(tasks: int) -> Iterator[Callable[[State], None]]:
    """How far it is, on stderr: live on a terminal, else a line every few seconds."""
    import sys

    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    said = 0.0
    text_column = TextColumn("{task.description}")
    columns = (TextColumn("tasks"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), text_column)
    with Progress(*columns, console=Console(stderr=True), disable=not sys.stderr.isatty()) as bar:
        shown = bar.add_task("", total=tasks)

        def tell(now: State) -> None:
            nonlocal said
            text = f"round {now.round}: {now.drafted} drafted, {now.proved} proved, {now.rejected} rejected"
            bar.update(shown, completed=min(now.proved, tasks), description=text)
            if bar.disable and time.monotonic() - said > _SECONDS:
                said = time.monotonic()
                progress(f"{text}, {now.chosen} of {tasks} tasks")

        yield tell


def _document(made: Generated, out: Path, skills: Mapping[str, str], wanted: int) -> dict[str, Any]:
    return {
        "suite": made.suite.name,
        "written": str(out),
        "tasks": len(made.suite.tasks),
        "wanted": wanted,
        "why": made.why,
        "skills": dict(made.skills.most_common()),
        "skills_known": len(skills),
        "rejections": dict(made.rejections.most_common()),
        "unused": {room: list(sentences) for room, sentences in made.unused.items() if sentences},
    }


def _print(made: Generated, document: Mapping[str, Any]) -> None:
    rooms = [(room, tasks, len(skills)) for room, (tasks, skills) in sorted(made.by_room.items())]
    print_table(f"{document['suite']}: {document['tasks']} tasks", ("room", "tasks", "skills needed"), rooms)
    print_table("Drafts that were refused", ("reason", "drafts"), document["rejections"].items())
    if document["tasks"] < document["wanted"] and document["unused"]:
        told = [(room, sentence) for room, sentences in document["unused"].items() for sentence in sentences]
        print_table("What could not be used", ("room", "what and why"), told)
    typer.echo(f"{len(document['skills'])} of {document['skills_known']} skills are needed by a task")
    if asked := document.get("asked"):
        money = "" if asked["usd"] is None else f", {asked['usd']:.2f} dollars"
        typer.echo(f"models were called {asked['calls']:,} times: {asked['tokens']:,} tokens{money}")
    typer.echo(f"ended: {document['why']}; written to {document['written']}")
