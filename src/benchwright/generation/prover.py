"""One draft from its static checks to its ablations: proved, or rejected with the first reason."""

from __future__ import annotations

import shutil
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from benchwright.generation.ablations import ablate
from benchwright.generation.proofs import PROOFS, no_join_is_told
from benchwright.generation.static_checks import refused
from benchwright.generation.trial import Room, Tools, Trial, begun, outcome_of
from benchwright.generation.workflow import Draft, Reason, Rejection
from benchwright.generation.writing import Proved
from benchwright.scratch import scratch_folder

_DETAIL = 300


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of a draft."""

    proved: Proved | None = None
    rejection: Rejection | None = None


def prove_draft(draft: Draft, room: Room, tools: Tools, skills: Collection[str], outputs: Path) -> Verdict:
    """Prove one draft; output files of a proved one are left in `outputs`, which is made for them.

    Errors: Broken where the sandbox failed, which says nothing of the draft.
    """
    if found := refused(draft, room.material, skills):
        return Verdict(rejection=_shortened(found))
    for reason, detail in no_join_is_told(draft, room.material):
        return _rejected(draft, reason, detail)
    with scratch_folder("draft") as folder:
        trial = begun(draft, room, tools, folder)
        if not isinstance(trial, Trial):
            return _rejected(draft, "failed_to_run", trial.failure or "it printed too much")
        return _tried(trial, outputs)


def _tried(trial: Trial, outputs: Path) -> Verdict:
    for proof in PROOFS:
        for reason, detail in proof(trial):
            return _rejected(trial.draft, reason, detail)
    ablations = tuple(ablate(trial))
    names = tuple(proof.__name__ for proof in PROOFS)
    proved = outcome_of(trial.draft, trial.first).model_copy(update={"ablations": ablations, "proofs": names})
    if not proved.skills:
        told = ", ".join(f"{each.step} {each.outcome}" for each in ablations) or "no step can be done without"
        return _rejected(trial.draft, "no_skill_necessary", told)
    for file, path in trial.first.files.items():
        outputs.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, outputs / file)
    return Verdict(proved=proved)


def _rejected(draft: Draft, reason: Reason, detail: str) -> Verdict:
    return Verdict(rejection=_shortened(Rejection(draft=draft.name, reason=reason, detail=detail)))


def _shortened(rejection: Rejection) -> Rejection:
    """Details are for people, and on one line; the end of a complaint says most."""
    text = " ".join(rejection.detail.split())
    return rejection.model_copy(update={"detail": text if len(text) <= _DETAIL else f"... {text[-_DETAIL:]}"})
