"""Skills as GraphML, for programs that draw or measure graphs."""

from __future__ import annotations

from pathlib import Path

from benchwright.files import write_atomic
from benchwright.skills.nodes import Hierarchy

_ALLOWED = {"\t", "\n"}


def graphml(hierarchy: Hierarchy, path: Path) -> None:
    """Write skills and the links from each to those below it; steps are only counted."""
    import networkx as nx

    graph = nx.DiGraph()
    for node in hierarchy.nodes.values():
        graph.add_node(
            _xml(node.id),
            name=_xml(node.name),
            category=_xml(node.category),
            description=_xml(node.description),
            steps=len(node.steps),
            top=node.top,
            round=node.round,
        )
    graph.add_edges_from((_xml(node.id), _xml(child)) for node in hierarchy.nodes.values() for child in node.children)
    write_atomic(path, "\n".join(nx.generate_graphml(graph)) + "\n")


def _xml(text: str) -> str:
    """Text that XML can hold: characters that it has no way to write become U+FFFD."""
    return "".join(
        each
        if each in _ALLOWED or " " <= each < "\ud800" or "\ue000" <= each < "\ufffe" or each > "\uffff"
        else "\ufffd"
        for each in text
    )
