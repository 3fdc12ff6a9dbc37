"""`benchwright suites check`: lint a suite, look for personal data, and prove its tasks."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from benchwright.cli.output import print_json, print_table, progress, shortened
from benchwright.cli.run_options import SandboxKind
from benchwright.cli.suites import JsonOption, SuiteArgument, find_suite, suites
from benchwright.errors import InputError

if TYPE_CHECKING:
    from benchwright.proving import Opener, ProofOptions, Report
    from benchwright.sandbox.base import Sandbox, SandboxSpec
    from benchwright.suite import Suite


@suites.command()
def check(  # noqa: PLR0913, PLR0917 - one parameter an option
    suite: SuiteArgument,
    prove: Annotated[bool, typer.Option(help="Score the golds, and run the solutions in the sandbox.")] = True,
    privacy: Annotated[bool, typer.Option(help="Look for personal data in texts and data files.")] = True,
    twice: Annotated[bool, typer.Option("--twice", help="Run each solution two times and compare.")] = False,
    ids: Annotated[str, typer.Option(help="Prove these tasks only, by id, separated by commas.")] = "",
    full: Annotated[str, typer.Option(help="A suite that this one has to be a subset of.")] = "",
    predictions: Annotated[
        list[Path] | None, typer.Option(help="Predictions of one agent; from three on, golds they agree against.")
    ] = None,
    sandbox: Annotated[SandboxKind, typer.Option(help="The kind of sandbox.")] = SandboxKind.AUTO,
    max_parallel: Annotated[int, typer.Option(min=0, help="Tasks to prove at a time; 0: one a core.")] = 0,
    notes: Annotated[bool, typer.Option("--notes", help="Show notes, too.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Lint a suite and prove its tasks. Exit code 0: clean; 1: errors or warnings were found.

    Proofs are kept in the suite's checks.json: a second check does only what is missing or has changed.
    """
    from benchwright.proving import CheckOptions, PrivacyOptions
    from benchwright.proving import check as check_suite

    found = find_suite(suite)
    options = CheckOptions(
        proofs=_proofs(found, ids, sandbox, max_parallel, twice=twice) if prove else None,
        privacy=PrivacyOptions() if privacy else None,
        full=find_suite(full) if full else None,
        answers=_answers(found, predictions or []),
    )
    report = check_suite(found, options, progress)
    print_json(report.to_json()) if as_json else _print_report(report, notes)
    raise typer.Exit(0 if report.clean else 1)


def _proofs(suite: Suite, ids: str, sandbox: SandboxKind, parallel: int, *, twice: bool) -> ProofOptions:
    from benchwright.proving import ProofOptions

    wanted = tuple(name.strip() for name in ids.split(",") if name.strip())
    unknown = [name for name in wanted if name not in suite.tasks]
    if unknown:
        raise InputError(
            f"suite {suite.name} has no task {unknown[0]!r}", hint=f"see: benchwright suites show {suite.name}"
        )
    return ProofOptions(open=_opener(sandbox), parallel=parallel, twice=twice, ids=wanted)


def _opener(sandbox: SandboxKind) -> Opener:
    """Sandboxes of the chosen kind; the toolbox is built the first time that a solution is run."""
    from benchwright.live.opening import open_sandbox, toolbox_here

    def opened(spec: SandboxSpec) -> Sandbox:
        toolbox_here(progress)
        return open_sandbox(spec, sandbox.value)

    return opened


def _answers(suite: Suite, predictions: list[Path]) -> dict[str, list[str]]:
    """The answers of each file by task."""
    from benchwright.scoring import read_predictions, require_some

    found: dict[str, list[str]] = {}
    for path in predictions:
        read = read_predictions(path, suite.tasks)
        require_some(read, path, suite)
        for task_id, entry in read.entries.items():
            if entry.submission.answer is not None:
                found.setdefault(task_id, []).append(entry.submission.answer)
    return found


def _print_report(report: Report, notes: bool) -> None:
    shown = [finding for finding in report.findings if notes or finding.alarming]
    rows = [
        (finding.severity, finding.task_id or "(suite)", finding.rule, shortened(finding.evidence)) for finding in shown
    ]
    if rows:
        print_table(f"{report.suite} {report.release}", ("severity", "task", "rule", "evidence"), rows)
    counts = ", ".join(f"{count} {severity}s" for severity, count in report.counts.items())
    typer.echo(f"{report.tasks} tasks: {counts}")
    if report.proofs is not None:
        proofs = report.proofs
        idle = "".join(f", {count} not run ({reason})" for reason, count in proofs.not_run.items())
        typer.echo(f"proved {proofs.proved}, failed {proofs.failed}{idle}; {proofs.made_now} proofs made now")
    for rule, hint in {finding.rule: finding.hint for finding in shown}.items():
        typer.echo(f"  {rule}: {hint}")
