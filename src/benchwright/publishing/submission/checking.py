"""Whether a submission can be taken: documents, ids, counts, digests and release, and what scoring it again says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date

from benchwright.publishing.submission.counts import nearest, possible, slack
from benchwright.publishing.submission.declared import declared, scorers
from benchwright.publishing.submission.findings import Finding, Verdict
from benchwright.publishing.submission.package import Package, handed_in, protocol_of
from benchwright.publishing.submission.parcel import PREDICTIONS, Parcel, wrong_files
from benchwright.publishing.submission.records import Manifest, ProtocolForm, Result, TaskLine
from benchwright.publishing.submission.rescoring import rescored
from benchwright.publishing.submission.results import complete, made_differently, result_of, rule_of, worth
from benchwright.publishing.submission.schema import PUBLISHED_SIZES, packaged
from benchwright.publishing.submission.strict_json import Share
from benchwright.scorers.registry import reference_task_rule
from benchwright.suite import Suite

_SHOWN = 5
_SAME = 1e-9


def check(
    parcel: Parcel,
    suite: Suite | None = None,
    *,
    partial: bool = False,
    sizes: Mapping[str, int] = PUBLISHED_SIZES,
    name: str = "",
    today: date | None = None,
) -> Verdict:
    """Everything that can be said of a submission; with a suite also its ids, and with its gold its scores.

    Never raises on what was handed in. Nothing is scored again where it was made with other questions or data. Of a
    claim without a manifest `partial` says whether tasks can be worth a part of 1, `sizes` how many tasks subsets have,
    and `name` what it is called where its form does not say; a suite tells the first two itself. `today` is the day in
    UTC, after which nothing can be dated.
    """
    if suite is not None:
        partial = partial or reference_task_rule(suite.info.reference) is not None
        sizes = {**sizes, **{each: len(suite.subset(each)) for each in suite.subsets}}
    package, findings = packaged(parcel, sizes, name)
    if package is None:
        return Verdict(tuple(findings))
    findings += [
        *_counts(package, partial=partial),
        *_forms(package),
        *_digests(parcel, package),
        *_ids(package),
        *_chosen(package),
        *declared(package, today),
    ]
    if package.manifest is None:
        findings.append(Finding("claim", "there are no predictions: nobody can score this again", refused=False))
    if suite is not None and package.manifest is None:
        findings += _claimed(package, suite)
    if suite is None or package.manifest is None:
        return Verdict(tuple(findings), package)
    findings += _against(package, package.manifest, suite)
    if any(finding.code in ("suite", "ids", "digest") for finding in findings) or not suite.has_gold:
        return Verdict(tuple(findings), package)
    lines = rescored(suite, package)
    results = {name: _result(suite, name, lines) for name in package.detailed.results if name in suite.subsets}
    findings += [*_rescored(package, suite, lines, results)]
    return Verdict(tuple(findings), package, lines, results)


# --- the documents by themselves


def _counts(package: Package, *, partial: bool) -> Iterator[Finding]:
    """Shares that are no k of n tasks, and counts that are not their shares."""
    partial = package.manifest.measure.partial if package.manifest else partial
    for name, result in package.detailed.results.items():
        yield from _accuracy(name, result, partial=partial)
        discovery = result.discovery_accuracy
        if discovery is not None and not len(possible(discovery, result.n_tasks)):
            yield _no_count(f"discovery accuracy ({name})", discovery, result.n_tasks)


def _accuracy(name: str, result: Result, *, partial: bool) -> Iterator[Finding]:
    share, n, right = result.execution_accuracy, result.n_tasks, result.n_correct
    if right is not None and (right > n or share is None):
        yield Finding("counts", f"{name}: {right} of {n} tasks cannot be right, at an accuracy of {share}")
    elif share is None:
        return
    elif partial:
        if right is not None and share + slack(share) < right / n:
            yield Finding("counts", f"{name}: an accuracy of {share} with {right} of {n} tasks right is too low")
    elif not len(possible(share, n)):
        yield _no_count(f"execution accuracy ({name})", share, n)
    elif right is not None and right not in possible(share, n):
        yield Finding("counts", f"{name}: {right} of {n} tasks is {right / n:.4f}, not {share}")


def _no_count(what: str, share: Share, n: int) -> Finding:
    return Finding("counts", f"{what} of {share} is k/{n} for no whole k: the nearest are {nearest(share, n)}")


def _forms(package: Package) -> Iterator[Finding]:
    """Both forms say the same."""
    mine, theirs = protocol_of(package.detailed), package.protocol
    for name in ProtocolForm.model_fields:
        one, other = getattr(mine, name), getattr(theirs, name)
        near = isinstance(one, Share) and isinstance(other, Share) and abs(one - other) <= slack(one) + slack(other)
        if one != other and not near:
            yield Finding(
                "forms", f"the two forms differ: {name} is {other} in the protocol's form, {one} in the other"
            )


def _digests(parcel: Parcel, package: Package) -> Iterator[Finding]:
    """Every text and file is the one that the manifest names."""
    if package.manifest is None:
        return
    told = package.manifest.predictions
    found = handed_in(parcel.texts[PREDICTIONS].read_bytes())
    if found != told:
        yield Finding(
            "digest",
            f"{PREDICTIONS} is not the one of the manifest: SHA-256 {found.sha256[:12]}, not {told.sha256[:12]}",
        )
    if wrong := wrong_files(parcel.files):
        yield Finding("digest", f"{len(wrong)} files are not what their SHA-256 says: {wrong[0][:12]}")
    named = {item.sha256 for each in package.predictions for item in each.files.values()}
    if gone := sorted(named - set(parcel.files)):
        yield Finding("digest", f"{len(gone)} files that predictions name did not come with them: {gone[0][:12]}")
    if more := sorted(set(parcel.files) - named):
        yield Finding("digest", f"{len(more)} files came that no prediction names: {more[0][:12]}")


def _ids(package: Package) -> Iterator[Finding]:
    """Every task once, and a verdict on each prediction where there are verdicts."""
    ids = Counter(prediction.id for prediction in package.predictions)
    if twice := [name for name, count in ids.items() if count > 1]:
        yield Finding("ids", f"{len(twice)} tasks have more than one prediction: {_listed(twice)}", tuple(twice))
    lines = Counter(line.id for line in package.manifest.tasks) if package.manifest else Counter()
    if lines and lines != Counter(ids.keys()):
        odd = sorted((set(lines) ^ set(ids)) | {name for name, count in lines.items() if count > 1})
        yield Finding("ids", f"the manifest's scores are not of the predicted tasks: {_listed(odd)}", tuple(odd))


def _chosen(package: Package) -> Iterator[Finding]:
    """The results are over whole subsets, and nothing was picked out of several attempts."""
    manifest = package.manifest
    if manifest is None:
        return
    for name, result in package.detailed.results.items():
        whole = manifest.suite.subsets.get(name)
        if whole is None:
            yield Finding("subset", f"the suite of the manifest has no subset {name}")
        elif result.n_tasks != whole:
            yield Finding("subset", f"{name} has {whole} tasks, the results are over {result.n_tasks}")
    predicted = len({each.id for each in package.predictions})
    if predicted < (most := max(result.n_tasks for result in package.detailed.results.values())):
        yield Finding("ids", f"{predicted} predicted tasks are fewer than the {most} that results are over")
    yield from _runs(manifest)
    if gone := sum(each.metadata.left_out for each in package.predictions):
        yield Finding(
            "left out", f"{gone} answers and files are not here in full: too large, or of no plain name", refused=False
        )
    if broken := sum(count for name, count in manifest.endings.items() if name.startswith("broke")):
        yield Finding("broken", f"{broken} attempts broke; they count 0", refused=False)


def _runs(manifest: Manifest) -> Iterator[Finding]:
    """The runs are of this one agent on this one suite, and of several epochs one was not picked unseen."""
    for run in manifest.runs:
        if run.only:
            yield Finding("subset", "a run repeats chosen attempts of another")
        if [cell.id for cell in run.cells] != [manifest.cell.id] or run.suite_digest != manifest.suite.digest:
            yield Finding("digest", "a run of the manifest is not of its agent and suite")
        if manifest.epoch > run.epochs:
            yield Finding("subset", f"epoch {manifest.epoch} of {run.epochs}")
    if (most := max(run.epochs for run in manifest.runs)) > 1:
        yield Finding("epochs", f"epoch {manifest.epoch} of {most} that were made", refused=False)


# --- against the suite


def _claimed(package: Package, suite: Suite) -> Iterator[Finding]:
    """Whether a claim is over the suite's own subsets."""
    for name, result in package.detailed.results.items():
        whole = len(suite.subset(name)) if name in suite.subsets else None
        if whole != result.n_tasks:
            told = f"no subset {name}" if whole is None else f"{whole} tasks in {name}, not {result.n_tasks}"
            yield Finding("subset", f"{suite.name} {suite.info.release} has {told}")


def _against(package: Package, manifest: Manifest, suite: Suite) -> Iterator[Finding]:
    if told := made_differently(manifest.suite, suite):
        yield Finding("suite", f"made with another suite: {told}")
        return
    ids = {prediction.id for prediction in package.predictions}
    if unknown := sorted(ids - set(suite.tasks)):
        yield Finding("ids", f"{len(unknown)} predictions are of no task: {_listed(unknown)}", tuple(unknown))
    if strange := sorted(set(package.detailed.results) - set(suite.subsets)):
        yield Finding("suite", f"{suite.name} has no subset {_listed(strange)}")
    wanted = {task for name in package.detailed.results if name in suite.subsets for task in suite.subset(name)}
    if missing := sorted(wanted - ids):
        yield Finding("ids", f"{len(missing)} tasks have no prediction: {_listed(missing)}", tuple(missing))
    if spare := sorted((ids & set(suite.tasks)) - wanted):
        whole = complete(suite, ids)
        yield Finding(
            "subset",
            f"{len(spare)} predictions are of tasks outside the results: {_listed(spare)}; whole: {_listed(whole)}",
            tuple(spare),
        )
    if manifest.measure.rule != rule_of(suite):
        yield Finding("measure", f"scored by the {manifest.measure.rule} rule, not the {rule_of(suite)} one")
    if manifest.suite.gold_digest and suite.has_gold and manifest.suite.gold_digest != suite.gold_digest:
        yield Finding("gold", "scored against other golds than the suite's")
    elif suite.has_gold:
        yield from scorers(manifest, suite)


def _result(suite: Suite, name: str, lines: Iterable[TaskLine]) -> Result:
    inside = set(suite.subset(name))
    chosen = [line for line in lines if line.id in inside]
    measured = any(line.discovery is not None for line in chosen)
    return result_of(chosen, rule_of(suite), measured=measured)


def _rescored(
    package: Package, suite: Suite, lines: Sequence[TaskLine], results: Mapping[str, Result]
) -> Iterator[Finding]:
    """Claims that scoring again does not bear out. A verdict that only a judge could give may be anything."""
    by_id, rule = {line.id: line for line in lines}, rule_of(suite)
    claimed = {line.id: line for line in package.manifest.tasks} if package.manifest else {}
    for name, told in package.detailed.results.items():
        found = results[name]
        open_ = sum(worth(by_id[task], rule) is None for task in suite.subset(name))
        yield from _differs(
            f"execution accuracy ({name})", told.execution_accuracy, found.execution_accuracy, open_ / found.n_tasks
        )
        yield from _differs(f"discovery accuracy ({name})", told.discovery_accuracy, found.discovery_accuracy, 0.0)
        if told.n_correct is not None and not 0 <= told.n_correct - (found.n_correct or 0) <= open_:
            yield Finding("score", f"{name}: {told.n_correct} tasks are said to be right, {found.n_correct} are")
    other = [task for task, line in claimed.items() if _otherwise(line, by_id[task])]
    if other:
        yield Finding("score", f"{len(other)} tasks score otherwise than the manifest says", tuple(other))
    if moved := [task for task, line in claimed.items() if _labels(line) != _labels(by_id[task])]:
        yield Finding("suite", f"{len(moved)} tasks have other domains or subsets than the suite's", tuple(moved))
    if claimed and (n := sum(_unjudged(line, by_id[task]) for task, line in claimed.items())):
        yield Finding("judge", f"{n} verdicts were given by a judge, and were not given again", refused=False)


def _differs(what: str, told: Share | None, found: Share | None, room: float) -> Iterator[Finding]:
    """A claim outside what was found, and what a judge may have given on top of it (`room`)."""
    if told is None:
        return
    if found is None:
        yield Finding("score", f"{what} is said to be {told}, and is not measured")
    elif not found - slack(told) - _SAME <= told <= found + room + slack(told) + _SAME:
        most = f" to {found + room:.4f}" if room else ""
        yield Finding("score", f"{what} is said to be {told}, and is {found:.4f}{most}")


_VERDICTS = ("reference", "numeric", "sound", "discovery")


def _otherwise(told: TaskLine, found: TaskLine) -> bool:
    """Whether any verdict that was given both times differs, or one is claimed that only the scorer of a file gives."""
    pairs = [(getattr(told, name), getattr(found, name)) for name in _VERDICTS]
    differ = any(one is not None and two is not None and abs(one - two) > _SAME for one, two in pairs)
    return differ or (told.discovery is not None and found.discovery is None)


def _labels(line: TaskLine) -> tuple[object, ...]:
    return line.domain, line.subsets


def _unjudged(told: TaskLine, found: TaskLine) -> bool:
    return any(getattr(told, name) is not None and getattr(found, name) is None for name in ("reference", "sound"))


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(ascii(name)[1:-1][:60] for name in names[:_SHOWN]) + more
