"""Drafts written by a model: a workflow that runs, what each skill is worth to it, and a question judged by another."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from threading import Lock

from benchwright.chat.asking import Ledger, Limits, Spending, Spent
from benchwright.chat.asking.shelf import Shelf
from benchwright.chat.base import ChatModel
from benchwright.closing import Closing
from benchwright.errors import InputError
from benchwright.files import canonical_json, sha256, write_jsonl
from benchwright.generation.modelled.ablating import ablate
from benchwright.generation.modelled.briefing import Briefing, prompts_digest
from benchwright.generation.modelled.building import build
from benchwright.generation.modelled.calling import Calling
from benchwright.generation.modelled.compositions import Compose, Composition, by_weight
from benchwright.generation.modelled.decisions import Decision, Telling, untold
from benchwright.generation.modelled.desk import Desk, Rules
from benchwright.generation.modelled.kept import Execute, KeptChat, Prove, kept_proofs, kept_runs
from benchwright.generation.modelled.lab import Lab
from benchwright.generation.modelled.talking import Talk
from benchwright.generation.modelled.wording import word
from benchwright.generation.workflow import Draft, Material, Rejection, Wanted


@dataclass(frozen=True, slots=True)
class Means:
    """What a writer works with.

    `folder` is where everything that was asked is kept, and in `decisions/<draft>.jsonl` what was decided. `lab` runs
    programs and proves drafts. The budget in `limits` is of all calls, the judge's included. So many drafts are written
    `at_once`, which changes nothing of what comes out, unless the budget is spent; `telling` is called from any thread.
    """

    model: ChatModel
    judge: ChatModel
    folder: Path
    lab: Lab
    compose: Compose = field(default_factory=by_weight)
    rules: Rules = field(default_factory=Rules)
    limits: Limits = field(default_factory=Limits)
    telling: Telling = untold
    at_once: int = 1


class ModelWriter(Closing):
    """Writes drafts with one model and has them judged by another.

    What was asked once is kept: a writer with the same folder, material and wants says the same without asking again.
    Errors: InputError where writer and judge are the same model and the rules do not allow it.
    """

    def __init__(self, means: Means) -> None:
        if means.model.name == means.judge.name and not means.rules.same_judge:
            raise InputError(
                "the judge is the writer",
                found=means.judge.name,
                expected="another model: who wrote a task does not see what is wrong with it",
                hint="name one with --judge-model, or allow it with --same-judge",
            )
        self._means = means
        self._calling = Calling()

    @property
    def name(self) -> str:
        """The models, and a digest of prompts and rules."""
        judge, rules = self._means.judge.name, self._means.rules
        depends = sha256(canonical_json([prompts_digest(), repr(rules), judge]))[:12]
        return f"model:{self._means.model.name} ({depends})"

    def drafts(self, material: Material, wanted: Wanted) -> Iterator[Draft | Rejection]:
        """One draft or rejection for each composition, in order; where the budget is used up, the last says so.

        Errors: Broken where a model is down; what was answered is kept.
        """
        with ExitStack() as held:
            bench = self._bench(material, wanted, held)
            threads = held.enter_context(ThreadPoolExecutor(self._means.at_once, thread_name_prefix="drafts"))
            held.callback(threads.shutdown, wait=True, cancel_futures=True)
            compositions = islice(self._means.compose(wanted), wanted.number)
            names = [_name_of(material, wanted, number) for number in range(wanted.number)]
            spent: list[Rejection] = []
            with self._calling.going():
                for item in threads.map(bench.written, names, compositions):
                    if isinstance(item, Rejection) and item.reason == "budget_spent":
                        spent.append(item)
                    else:
                        yield item
            yield from spent[:1]

    def _bench(self, material: Material, wanted: Wanted, held: ExitStack) -> _Bench:
        means, room, skills = self._means, _digest(material), wanted.skills.keys()
        lock = Lock()  # labs are for one thread at a time
        ledger = held.enter_context(Ledger.open(means.folder / "asked.sqlite"))
        shelf = held.enter_context(Shelf(means.folder / "kept.sqlite", "kept"))
        return _Bench(
            means=means,
            writer=Talk("generate: write", KeptChat(means.model, shelf), ledger, means.limits, self._calling),
            judge=Talk("generate: judge", KeptChat(means.judge, shelf), ledger, means.limits, self._calling),
            material=material,
            skills=skills,
            execute=kept_runs(means.lab.executing(material), shelf, room, lock),
            prove=kept_proofs(means.lab.proving(material, skills), shelf, room, lock),
        )

    @property
    def spent(self) -> Spending:
        """What all calls used, those of earlier runs included."""
        with Ledger.open(self._means.folder / "asked.sqlite") as ledger:
            return ledger.spending()

    def close(self) -> None:
        """End the loop that calls were made in. Idempotent."""
        self._calling.close()


@dataclass(frozen=True, slots=True)
class _Bench:
    """What all drafts of one room share."""

    means: Means
    writer: Talk
    judge: Talk
    material: Material
    skills: Collection[str]
    execute: Execute
    prove: Prove

    def written(self, draft: str, composition: Composition) -> Draft | Rejection:
        """One draft, or why there is none; its decisions are written down, however it ends."""
        decided: list[Decision] = []
        desk = self._desk(draft, decided)
        try:
            return _written(desk, composition)
        except Spent as error:
            return desk.rejection(("budget_spent", error.text()))
        finally:
            write_jsonl(self.means.folder / "decisions" / f"{draft}.jsonl", decided)

    def _desk(self, draft: str, decided: list[Decision]) -> Desk:
        """The place of one draft, whose decisions are collected, and told as they fall."""

        def telling(decision: Decision) -> None:
            decided.append(decision)
            self.means.telling(decision)

        rules = self.means.rules
        briefing = Briefing.about(draft, self.material, values=rules.values)
        return Desk(
            self.writer, self.judge, briefing, self.material, self.skills, self.execute, self.prove, rules, telling
        )


def _written(desk: Desk, composition: Composition) -> Draft | Rejection:
    if not desk.material.profiles:
        return desk.rejection(("no_material", "the room holds no file"))
    built = build(desk, composition)
    if isinstance(built, Rejection):
        return built
    workflow = ablate(desk, built)
    return workflow if isinstance(workflow, Rejection) else word(desk, built, workflow)


def _name_of(material: Material, wanted: Wanted, number: int) -> str:
    room = re.sub(r"[^A-Za-z0-9]+", "-", material.room).strip("-")[:60] or "room"
    return f"model-{room}-{wanted.seed}-{number}"


def _digest(material: Material) -> str:
    """What a program's outcome depends on: every file of the room."""
    return sha256(canonical_json([[file.path, file.bytes, file.sha256] for file in material.profiles]))
