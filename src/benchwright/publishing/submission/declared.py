"""What a submission declares of itself, held against what came with it: sizes, dates, traces and endings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime
from math import fsum, isclose

from benchwright import __version__
from benchwright.publishing.submission.counts import slack
from benchwright.publishing.submission.findings import Finding
from benchwright.publishing.submission.moments import ZONES
from benchwright.publishing.submission.package import Package
from benchwright.publishing.submission.records import Manifest
from benchwright.publishing.submission.results import is_partial, result_of
from benchwright.publishing.submission.strict_json import Share
from benchwright.scoring.attempt import scorer_digest
from benchwright.suite import Suite


def declared(package: Package, today: date | None = None) -> Iterator[Finding]:
    """Whatever a submission says of itself that cannot be; `today` is that of the reader, in UTC."""
    yield from _dates(package, today or datetime.now(UTC).date())
    yield from _sizes(package)
    if package.manifest is not None:
        yield from _attempts(package, package.manifest)
        yield from _effort(package, package.manifest)
        yield from _stamped(package.manifest)
        yield from _added_up(package, package.manifest)
    yield from _reads(package)
    if package.manifest is not None and package.manifest.anonymous:
        told = (
            "boards show neither makers nor agent nor model; the file itself tells agent and model: send it to keepers"
        )
        yield Finding("anonymous", told, refused=False)


def _dates(package: Package, today: date) -> Iterator[Finding]:
    """Ties go to the earlier day: it lies between the last attempt's end and now, wherever it was written."""
    stated, manifest = package.detailed.metadata.date, package.manifest
    if stated and date.fromisoformat(stated) > today + ZONES:
        yield Finding("date", f"it is dated {stated}, which is still to come")
    if manifest is None or not manifest.ended:
        return
    started, ended = (datetime.fromisoformat(each or manifest.ended) for each in (manifest.started, manifest.ended))
    if started > ended:
        yield Finding("date", f"its attempts are said to have ended before they began: {manifest.ended}")
    if ended.date() > today + ZONES:
        yield Finding("date", f"its attempts are said to end at {manifest.ended}, which is still to come")
    if stated and date.fromisoformat(stated) < ended.date() - ZONES:
        yield Finding("date", f"it is dated {stated}, before its attempts ended: {manifest.ended}")


def _sizes(package: Package) -> Iterator[Finding]:
    """Bytes that are said of files are those that came."""
    said = {item.sha256: item.bytes for each in package.predictions for item in each.files.values()}
    wrong = [
        (item, place)
        for each in package.predictions
        for item in each.files.values()
        if (place := package.files.get(item.sha256)) is not None and place.stat().st_size != item.bytes
    ]
    if wrong:
        item, place = wrong[0]
        yield Finding(
            "digest",
            f"{len(wrong)} of {len(said)} files have another size than is said: {item.sha256[:12]} "
            f"has {place.stat().st_size:,} bytes, not {item.bytes:,}",
        )


def _attempts(package: Package, manifest: Manifest) -> Iterator[Finding]:
    """The manifest counts the very attempts that the predictions tell of."""
    counted: Mapping[str, tuple[Mapping[str, int], Counter[str]]] = {
        "tracers": (manifest.tracers, Counter(each.metadata.told_by for each in package.predictions)),
        "endings": (manifest.endings, Counter(each.metadata.ending for each in package.predictions)),
    }
    for name, (told, found) in counted.items():
        if told and +Counter(told) != +found:
            yield Finding(
                "attempts", f"the manifest's {name} are {_words(told)}, those of the predictions {_words(found)}"
            )
    sums = {"isolation": manifest.isolation, **{f"limit {name}": told for name, told in manifest.limits.items()}}
    for name, told in sums.items():
        if told and sum(told.values()) != len(package.predictions):
            yield Finding(
                "attempts",
                f"the manifest's {ascii(name)[1:-1]} is told of {sum(told.values())} attempts, not of "
                f"{len(package.predictions)}",
            )


def _effort(package: Package, manifest: Manifest) -> Iterator[Finding]:
    """What attempts took is nothing below 0, and in the mean what the predictions tell one by one."""
    told = manifest.effort.model_dump()
    if less := [name for name, value in told.items() if value is not None and value < 0]:
        yield Finding("attempts", f"{less[0]} of {told[less[0]]:g} an attempt is less than nothing")
    for name in ("steps", "cost_usd"):
        each = [getattr(prediction.metadata, name) for prediction in package.predictions]
        mean = None if None in each or not each else fsum(each) / len(each)
        if mean is not None and told[name] is not None and not isclose(mean, told[name], rel_tol=1e-6, abs_tol=1e-6):
            yield Finding("attempts", f"{name} is {told[name]:g} in the manifest, and {mean:g} by the predictions")


def _words(counts: Mapping[str, int]) -> str:
    return ascii(", ".join(f"{count} {name}" for name, count in sorted(counts.items()) if count))[1:-1][:200] or "none"


def _stamped(manifest: Manifest) -> Iterator[Finding]:
    """Scores by task are of some golds and some scorers."""
    if manifest.tasks and not (manifest.suite.gold_digest and manifest.suite.scorer_digest):
        yield Finding("measure", "the manifest has scores by task, and does not say by which golds and scorers")


def _added_up(package: Package, manifest: Manifest) -> Iterator[Finding]:
    """The results are those of the manifest's own scores by task; whoever changes both is found by the gold."""
    lines, rule = manifest.tasks, manifest.measure.rule
    if not lines:
        return
    if manifest.measure.partial != is_partial(lines, rule):
        which = "none is" if manifest.measure.partial else "some are"
        yield Finding("measure", f"whether tasks are worth a part of 1 is told wrongly: by the scores by task, {which}")
    measured = any(line.discovery is not None for line in lines)
    for name, told in package.detailed.results.items():
        inside = [line for line in lines if name in line.subsets]
        if len(inside) != told.n_tasks:
            yield Finding("subset", f"{name} is over {told.n_tasks} tasks, of which {len(inside)} have scores")
            continue
        found = result_of(inside, rule, measured=measured)
        for what in ("execution_accuracy", "discovery_accuracy", "n_correct"):
            one, other = getattr(told, what), getattr(found, what)
            room = slack(one) if isinstance(one, Share) else 0
            if one is not None and (other is None or abs(one - other) > room + 1e-9):
                yield Finding(
                    "counts", f"{what} ({name}) is said to be {one:g}, and by its own scores by task is {_said(other)}"
                )


def _said(value: float | None) -> str:
    return "not measured" if value is None else f"{value:g}"


def _reads(package: Package) -> Iterator[Finding]:
    """Discovery is nothing but the submitter's word: said of every entry that claims any."""
    if any(result.discovery_accuracy is not None for result in package.detailed.results.values()):
        told = Counter(each.metadata.told_by for each in package.predictions)
        seen = f" ({_words(told)})" if told else ""
        yield Finding("discovery", f"what was read is the submitter's word{seen}: no check repeats it", refused=False)


def scorers(manifest: Manifest, suite: Suite) -> Iterator[Finding]:
    """Whether the scorers of a manifest are those that a suite is judged by here."""
    told, here = manifest.suite.scorer_digest, scorer_digest(suite)
    if told and told != here:
        same = manifest.benchwright == __version__
        yield Finding(
            "measure",
            f"scored by other scorers ({told[:12]}) than Benchwright {__version__} has for this suite ({here[:12]})"
            + ("" if same else f", namely those of {manifest.benchwright}: scored again by those that are here"),
            refused=same,
        )
