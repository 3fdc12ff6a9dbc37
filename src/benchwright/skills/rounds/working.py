"""The rounds themselves: cluster, split, merge, and again over the skills that are on top, until few are left."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from benchwright.chat.asking import Ledger, Limits, Spending
from benchwright.chat.base import ChatModel, Embedder
from benchwright.errors import InputError
from benchwright.skills.clustering import Clustering
from benchwright.skills.clustering.kept import KeptClusters
from benchwright.skills.embedding import KeptVectors
from benchwright.skills.rounds.counting import Count
from benchwright.skills.rounds.doubting import Judge, Settled, doubts, settle
from benchwright.skills.rounds.entangling import Rule, disentangle
from benchwright.skills.rounds.lineage import Lineage
from benchwright.skills.rounds.merging import collapse, merge
from benchwright.skills.rounds.representatives import representatives
from benchwright.skills.rounds.splitting import Group, Split, Telling, split_all, untold
from benchwright.skills.rounds.synonyms import CLOSENESS, same_meaning
from benchwright.skills.steps import SkillStep

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

LEDGER_FILE, VECTORS_FILE = "state.sqlite", "vectors.sqlite"


@dataclass(frozen=True, slots=True)
class Settings:
    """When rounds end and what counts as the same.

    Rounds go on until at most `target` skills are on top, a round takes off less than `shrinkage` of them, or `rounds`
    are done. `min_solutions`: a skill of fewer solutions is no skill. Names of at least the cosine `closeness` are
    merged, and so are chains of them; with `ask_from` a model judges names that are closer than that, and the ends of
    chains.
    """

    target: int = 500
    rounds: int = 5
    shrinkage: float = 0.02
    closeness: float = CLOSENESS
    ask_from: float | None = None
    words: Rule = "published"
    min_solutions: int = 2

    def __post_init__(self) -> None:
        if self.target < 1 or self.rounds < 1 or self.min_solutions < 1:
            found = f"target {self.target}, rounds {self.rounds}, solutions {self.min_solutions}"
            raise InputError("rounds of clustering", found=found, expected="each at least 1")
        if not 0 < self.closeness <= 1 or not 0 <= self.shrinkage < 1:
            found = f"closeness {self.closeness}, shrinkage {self.shrinkage}"
            raise InputError("rounds of clustering", found=found, expected="closeness in (0, 1], shrinkage in [0, 1)")
        if self.ask_from is not None and not 0 < self.ask_from <= self.closeness:
            expected = f"above 0, at most the closeness that needs no asking ({self.closeness})"
            raise InputError("from which cosine names are asked about", found=str(self.ask_from), expected=expected)


@dataclass(frozen=True, slots=True)
class Means:
    """What the work is done with: who names skills, who embeds texts, how vectors are clustered, and within limits.

    `told` is called with what was done, `telling` with how many questions come next.
    """

    model: ChatModel
    embedder: Embedder
    clustering: Clustering
    limits: Limits = field(default_factory=Limits)
    told: Callable[[str], None] = lambda _: None
    telling: Telling = untold


@dataclass(frozen=True, slots=True)
class Worked:
    """What the rounds came to: the lineage, the typical steps of each skill, the counts, and what was spent."""

    lineage: Lineage
    examples: dict[str, tuple[str, ...]]
    counts: tuple[Count, ...]
    spent: Spending


async def work(steps: Sequence[SkillStep], folder: Path, means: Means, settings: Settings) -> Worked:
    """Skills from steps. All that costs (answers, vectors, clusters) is kept in the folder as soon as it is there.

    The rest follows from it without chance, so that a work that was killed and begun again comes to the same end.
    """
    with (
        Ledger.open(folder / LEDGER_FILE) as ledger,
        KeptVectors(folder / VECTORS_FILE) as vectors,
        KeptClusters(folder / VECTORS_FILE) as clusters,
    ):
        rounds = _Rounds(means, settings, ledger, vectors, clusters)
        await rounds.first(steps)
        for number in range(2, settings.rounds + 1):
            if not await rounds.another(number):
                break
        rounds.finish()
        return Worked(rounds.lineage, rounds.typical(), tuple(rounds.counts), ledger.spending())


@dataclass(slots=True)
class _Rounds:
    """The work between two rounds."""

    means: Means
    settings: Settings
    ledger: Ledger
    kept: KeptVectors
    clusters: KeptClusters
    lineage: Lineage = field(default_factory=Lineage)
    counts: list[Count] = field(default_factory=list)
    steps: dict[str, SkillStep] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    places: dict[str, int] = field(default_factory=dict)
    rows: NDArray[np.float32] = field(init=False)

    async def first(self, steps: Sequence[SkillStep]) -> None:
        """Steps to skills."""
        self.steps = {step.id: step for step in steps}
        self.places = {name: place for place, name in enumerate(self.steps)}
        self.rows = await self.kept.of(self.means.embedder, [step.text for step in self.steps.values()])
        owners = [step.solution_id for step in self.steps.values()]
        self.texts = {name: step.text for name, step in self.steps.items()}
        for split in await self._split(1, self.texts, self.rows, owners):
            for name, members in split.members.items():
                self.lineage.add(name, split.descriptions[name], 1, steps=members)
            for step, reason in split.left.items():
                self.lineage.loose.setdefault(step, reason)
        await self._join(1, frozenset(self.lineage.names), 0)

    async def another(self, number: int) -> bool:
        """One more round over the top skills; False where none is needed, or it does not shrink them enough."""
        before, tops = self.lineage, self.lineage.tops()
        if len(tops) <= self.settings.target:
            return False
        summaries = self._summaries(tops)
        rows = await self.kept.of(self.means.embedder, list(summaries.values()))
        self.lineage = before.copy()
        fresh = [
            self.lineage.add(name, split.descriptions[name], number, children=members)
            for split in await self._split(number, summaries, rows, tops)
            for name, members in split.members.items()
        ]
        await self._join(number, frozenset(fresh), len(tops))
        after = len(self.lineage.tops())
        if after >= len(tops):
            self.lineage = before
            self.counts[-1] = self.counts[-1].model_copy(update={"kept": False})
        return after < len(tops) * (1 - self.settings.shrinkage)

    def finish(self) -> None:
        """Take out what is entangled, and count what is left."""
        before, gone = len(self.lineage.names), len(self.lineage.gone)
        disentangle(self.lineage, self.settings.rounds + 1, self.settings.words, self.settings.min_solutions)
        removed = len(self.lineage.gone) - gone
        self._count("entanglement", before, 0, removed)

    def typical(self) -> dict[str, tuple[str, ...]]:
        """The steps that stand for each skill."""
        return representatives(self.lineage.steps(), self.texts, self.places, self.rows)

    async def _split(
        self, number: int, texts: dict[str, str], rows: NDArray[np.float32], owners: Sequence[str]
    ) -> list[Split]:
        """Cluster items and have each cluster split."""
        found = self.clusters.of(self.means.clustering, rows, owners)
        ids = list(texts)
        groups = [
            Group(tuple(ids[place] for place in group), tuple(texts[ids[place]] for place in group))
            for group in found.groups
        ]
        self.means.told(f"round {number}: {len(ids):,} items in {len(groups):,} clusters")
        means = self.means
        return await split_all(means.model, f"round {number}", groups, self.ledger, means.limits, means.telling)

    async def _join(self, number: int, fresh: frozenset[str], tops: int) -> None:
        """Merge synonyms and take out mere renamings."""
        before, gone = len(self.lineage.names), len(self.lineage.gone)
        names = await self.kept.of(self.means.embedder, list(self.lineage.names.values()))
        merge(self.lineage, fresh, names, number, await self._settled(number, fresh, names))
        collapse(self.lineage, fresh, number)
        self._count(f"round {number}", before - len(fresh), len(fresh), len(self.lineage.gone) - gone)
        self.means.told(
            f"round {number}: {tops or len(self.steps):,} items, now {len(self.lineage.tops()):,} skills on top"
        )

    async def _settled(self, number: int, fresh: frozenset[str], vectors: NDArray[np.float32]) -> Settled:
        """Which names mean the same: by their vectors, or where that is wanted by the model in what is doubtful."""
        names, closeness = list(self.lineage.names.values()), self.settings.closeness
        if self.settings.ask_from is None:
            return Settled(tuple(same_meaning(names, vectors, closeness)), closeness)
        places = frozenset(place for place, skill in enumerate(self.lineage.names) if skill in fresh)
        found = doubts(names, vectors, places, closeness, self.settings.ask_from)
        judge = Judge(self.means.model, self.ledger, self.means.limits, self.means.telling)
        described = [self.lineage.descriptions[skill] for skill in self.lineage.names]
        settled = await settle(names, described, found, judge, f"round {number}: same")
        self.means.told(f"round {number}: {settled.asked:,} doubtful pairs of names, {settled.same:,} mean the same")
        return settled

    def _count(self, stage: str, before: int, made: int, gone: int) -> None:
        used = frozenset().union(*self.lineage.steps().values()) if self.lineage.names else frozenset()
        self.counts.append(
            Count(
                stage=stage,
                steps=len(self.steps),
                assigned=len(used),
                unassigned=len(self.steps.keys() - used),
                skills_before=before,
                made=made,
                gone=gone,
                skills=len(self.lineage.names),
                tops=len(self.lineage.tops()),
            ).balanced()
        )

    def _summaries(self, tops: Sequence[str]) -> dict[str, str]:
        """Each top skill in words: its name, its description and its most typical step."""
        own = self.lineage.steps()
        typical = representatives({skill: own[skill] for skill in tops}, self.texts, self.places, self.rows, 1)
        return {
            skill: f"{self.lineage.names[skill]}: {self.lineage.descriptions[skill]} For instance: "
            f"{self.steps[typical[skill][0]].text}"
            for skill in tops
        }
