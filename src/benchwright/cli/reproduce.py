"""`benchwright reproduce`: score or run again what a manifest describes, and say what differs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from benchwright.cli.app import app
from benchwright.cli.output import print_json, print_table
from benchwright.cli.suites import find_suite
from benchwright.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from benchwright.live.reproducing import Again
    from benchwright.publishing.submission import Package
    from benchwright.publishing.submission.reproducing import Reproduction
    from benchwright.suite import Suite

_SHOWN = 40


@app.command()
def reproduce(  # noqa: PLR0913, PLR0917 - a command's options are its parameters
    manifest: Annotated[Path, typer.Argument(help="A submission, a manifest.json, or a run folder.")],
    rerun: Annotated[
        bool, typer.Option("--rerun/--rescore", help="Make the attempts again, or only score them.")
    ] = False,
    suite: Annotated[str, typer.Option(help="The suite's name or folder; default: as the manifest names it.")] = "",
    out: Annotated[Path | None, typer.Option(help="With --rerun: the folder of the new runs; resumes them.")] = None,
    prompts: Annotated[Path | None, typer.Option(help="With --rerun: a folder of prompts that replace ours.")] = None,
    model_arg: Annotated[
        list[str] | None, typer.Option("-M", help="With --rerun: NAME=VALUE, each setting of the model, confirmed.")
    ] = None,
    agent: Annotated[str, typer.Option(help="With --rerun: the agent's name, confirmed, where it is not ours.")] = "",
    budget_usd: Annotated[float | None, typer.Option(min=0.0, help="With --rerun: dollars it may cost.")] = None,
    max_parallel: Annotated[int | None, typer.Option(min=1, help="With --rerun: attempts at once.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")] = False,
) -> None:
    """Score again what a submission or a run holds, or make its attempts again, and say what differs.

    What differs: versions, digests of questions, rooms, golds and scorers, prompts by hash, and every verdict that is
    not the same. Exit code 1: some verdict differs.
    """
    if not rerun and (out or prompts or model_arg or agent or budget_usd or max_parallel):
        raise InputError("these options belong to --rerun", hint="benchwright reproduce --help")
    is_run = (manifest / "run.toml").is_file()
    if rerun:
        from benchwright.live.reproducing import Again

        again = Again(out or _folder(manifest), prompts, _pairs(model_arg), agent, budget_usd, max_parallel)
        found = _rerun_run(manifest, suite, again) if is_run else _rerun(manifest, suite, again)
    else:
        found = _rescore_run(manifest, suite) if is_run else _rescore(manifest, suite)
    if as_json:
        print_json(found.document())
    else:
        _print(found)
    raise typer.Exit(1 if found.differs else 0)


def _rescore(path: Path, named: str) -> Reproduction:
    from benchwright.publishing.submission.reproducing import package_at, rescored_package

    with package_at(path) as package:
        if not package.predictions:
            raise InputError(
                f"{path} is a manifest alone: there are no predictions to score",
                hint="--rerun makes the attempts again; or name the submission that it belongs to",
            )
        suite = find_suite(named or _suite_of(package))
        return rescored_package(package, suite, _prompts(suite))


def _rerun(path: Path, named: str, again: Again) -> Reproduction:
    from benchwright.live.reproducing import rerun
    from benchwright.publishing.submission.reproducing import compare_packages, package_at

    with package_at(path) as package:
        if package.manifest is None:
            raise InputError(f"{path} has no manifest")
        return compare_packages(package, rerun(package.manifest, find_suite(named or _suite_of(package)), again))


def _rescore_run(path: Path, named: str) -> Reproduction:
    from benchwright.publishing.submission.reproducing import rescored_run
    from benchwright.run import RunFolder

    run = RunFolder.open(path)
    suite = find_suite(named or run.spec.suite_folder)
    return rescored_run(run, suite, _prompts(suite))


def _rerun_run(path: Path, named: str, again: Again) -> Reproduction:
    from benchwright.live.reproducing import rerun_run
    from benchwright.publishing.submission.reproducing import compare_runs
    from benchwright.run import RunFolder

    run = RunFolder.open(path)
    suite = find_suite(named or run.spec.suite_folder)
    return compare_runs(run, rerun_run(run, suite, again), suite)


def _suite_of(package: Package) -> str:
    return package.manifest.suite.name if package.manifest else ""


def _prompts(suite: Suite) -> dict[str, str]:
    from benchwright.live.prompts import Prompts

    return Prompts().of(suite).digests()


def _folder(path: Path) -> Path:
    """Where attempts are made again: the same command finds the same place, and so resumes."""
    return Path("runs") / f"again-{path.stem if path.suffix else path.name}"


def _pairs(texts: list[str] | None) -> dict[str, str]:
    pairs = {}
    for text in texts or ():
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise InputError("-M takes NAME=VALUE", found=name or "nothing")
        pairs[name] = value
    return pairs


def _print(found: Reproduction) -> None:
    done = "scored again" if found.mode == "rescore" else "made again"
    print_table(done, ("what", "then", "now"), list(_summary(found)))
    if found.settings:
        heads = ("what", "name", "then", "now")
        print_table("made with other things", heads, [(s.kind, s.name, s.then, s.now) for s in found.settings])
    if found.tasks:
        more = f", the first {_SHOWN}" if len(found.tasks) > _SHOWN else ""
        rows = [(item.task, item.verdict, _value(item.then), _value(item.now)) for item in found.tasks[:_SHOWN]]
        print_table(f"verdicts that differ{more}", ("task", "verdict", "then", "now"), rows)


def _summary(found: Reproduction) -> Iterator[tuple[object, ...]]:
    yield "verdicts, and those that are the same", found.same + len(found.tasks), found.same
    if found.means is not None:
        p = "" if found.p is None or found.mode == "rescore" else f" (p = {found.p:.2g})"
        yield "mean", f"{found.means[0]:.4f}", f"{found.means[1]:.4f}{p}"
    if found.answers is not None:
        yield "answers, and those that are the same", found.answers[1], found.answers[0]
    if found.left_out:
        yield "tasks left out", len(found.left_out), ", ".join(found.left_out[:5])


def _value(value: float | None) -> str:
    return "no verdict" if value is None else f"{value:g}"
