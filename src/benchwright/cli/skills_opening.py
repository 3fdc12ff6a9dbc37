"""Skills as commands are given them: a folder of ours or published files, with categories and descriptions."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from benchwright.errors import EnvironmentFault

if TYPE_CHECKING:
    from benchwright.chat.base import Embedder
    from benchwright.skills.nodes import Hierarchy

DescriptionsOption = Annotated[Path | None, typer.Option(help="Descriptions: skill-descriptions.jsonl.")]
CategoriesOption = Annotated[Path | None, typer.Option(help="Categories of types (.toml); default: the paper's.")]

EmbedderOption = Annotated[
    str, typer.Option(help="Texts to vectors: offline, sentence-transformers/<model> or openai/<model>.")
]
EmbedderUrlOption = Annotated[str, typer.Option(help="The base of an OpenAI-compatible endpoint.")]
_KEY = "OPENAI_API_KEY"


def open_skills(path: Path, descriptions: Path | None = None, categories: Path | None = None) -> Hierarchy:
    """The skills of a folder or file; those of a published type get its category, and descriptions from their file."""
    from benchwright.skills.hierarchy.describing import categorised, with_descriptions
    from benchwright.skills.nodes import read_hierarchy
    from benchwright.skills.published import read_descriptions

    found = read_hierarchy(path)
    types = {node.name: node.type for node in found.nodes.values() if node.type}
    found = categorised(found, known_categories(types, categories)[0])
    return found if descriptions is None else with_descriptions(found, read_descriptions(descriptions))


def known_categories(types: Mapping[str, str], path: Path | None) -> tuple[Mapping[str, str], tuple[str, ...]]:
    """The category of each skill whose type is known, and all categories there are."""
    from benchwright.suites.agentic_data_bench.skills import SHIPPED, read_categories

    found = read_categories(types, path or SHIPPED)
    return found.by_skill, found.categories


def opened_embedder(name: str, url: str = "") -> Embedder:
    """The embedder of a name; the key of an endpoint is read from the environment."""
    import os

    from benchwright.skills.embedding import embedder_named

    return embedder_named(name, url, os.environ.get(_KEY, ""))


def needs(*packages: str) -> None:
    """EnvironmentFault where a package of the extra is not there."""
    from importlib.util import find_spec

    if missing := [name for name in packages if find_spec(name) is None]:
        found, hint = f"no {', '.join(missing)}", "pip install 'benchwright[skills]'"
        raise EnvironmentFault("packages for skills are not installed", found=found, hint=hint)
