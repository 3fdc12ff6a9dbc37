"""From a folder of data sets, and programs that use them, to discovery rooms."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from benchwright.generation.rooms.communities import SizeBounds, communities
from benchwright.generation.rooms.confusability import Confusions, FileConfusion
from benchwright.generation.rooms.contents import look_into
from benchwright.generation.rooms.datasets import Collection, collect
from benchwright.generation.rooms.graph import DatasetGraph, Edge, cohesion, dataset_graph
from benchwright.generation.rooms.likeness import Contents
from benchwright.generation.rooms.usage import co_usage, read_programs
from benchwright.generation.rooms.writing import Manifest, Room, write_rooms
from benchwright.profiles.folders import Looking


@dataclass(frozen=True, slots=True)
class RoomsRequest:
    """What rooms are made of: `data`, and `code` where there is any; `copy`: no hard links."""

    data: Path
    out: Path
    code: Path | None = None
    bounds: SizeBounds = field(default_factory=SizeBounds)
    seed: int = 0
    copy: bool = False
    looking: Looking = field(default_factory=Looking)
    told: Callable[[str], None] = lambda text: None  # noqa: ARG005 - one that tells nobody


def make_rooms(request: RoomsRequest) -> Manifest:
    """Group the data sets and write the rooms; the same input and seed make the same rooms."""
    collection = collect(request.data)
    programs = read_programs(request.code, collection) if request.code is not None else []
    paths = [path for dataset in collection.datasets for path in dataset.files]
    contents = look_into(request.data, paths, request.told, request.looking)
    graph = dataset_graph(collection, contents, co_usage(programs))
    groups = communities(graph, request.bounds, request.seed)
    request.told(f"{len(collection.datasets):,} data sets in {len(groups):,} rooms")
    rooms, confusions = _rooms(collection, contents, graph, groups)
    manifest = Manifest(
        seed=request.seed,
        least=request.bounds.least,
        most=request.bounds.most,
        programs=len(programs),
        programs_used=sum(len(program.datasets) > 1 for program in programs),
        programs_unread={program.path: program.error for program in programs if program.error},
        rooms=rooms,
        left_out=dict(collection.left_out),
    )
    return write_rooms(request.out, collection, manifest, (_edges(collection, graph), confusions), copy=request.copy)


def _rooms(
    collection: Collection, contents: Contents, graph: DatasetGraph, groups: Sequence[Sequence[int]]
) -> tuple[tuple[Room, ...], list[FileConfusion]]:
    rooms: list[Room] = []
    confusions: list[FileConfusion] = []
    digits = max(2, len(str(len(groups))))
    for number, members in enumerate(groups, 1):
        name = f"room_{number:0{digits}}"
        paths = [path for place in members for path in collection.datasets[place].files]
        among = Confusions(paths, contents)
        files = among.files()
        confusions.extend(files)
        rooms.append(
            Room(
                name=name,
                datasets=tuple(collection.datasets[place].name for place in members),
                topic=_topic(graph, members),
                cohesion=round(cohesion(members, graph.edges), 4),
                files=len(paths),
                bytes=sum(contents.entries[path].bytes for path in paths),
                confusion=among.room(name, files),
            )
        )
    return tuple(rooms), confusions


def _topic(graph: DatasetGraph, members: Sequence[int]) -> tuple[str, ...]:
    """The words that tell most of most members."""
    votes: dict[str, float] = {}
    for place in members:
        for rank, word in enumerate(graph.telling[place]):
            votes[word] = votes.get(word, 0.0) + 1 / (1 + rank)
    return tuple(sorted(votes, key=lambda word: (-votes[word], word))[:5])


def _edges(collection: Collection, graph: DatasetGraph) -> list[dict[str, Any]]:
    names = [dataset.name for dataset in collection.datasets]

    def row(edge: Edge) -> dict[str, Any]:
        told = {name: round(value, 4) for name, value in asdict(edge).items() if name not in ("left", "right")}
        return {"left": names[edge.left], "right": names[edge.right], **told, "weight": round(edge.weight, 4)}

    return [row(edge) for edge in graph.edges]
