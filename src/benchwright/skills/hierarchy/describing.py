"""Asking a model what each top skill is, and which of the categories it belongs to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from pydantic import Field

from benchwright.chat.asking import Asked, Ledger, Question, ask_all
from benchwright.chat.prompts import fenced_messages, reply_token
from benchwright.files import Record
from benchwright.skills.corpus.base import cleaned
from benchwright.skills.nodes import Hierarchy, SkillNode
from benchwright.skills.rounds.working import Means

_PROMPTS = Path(__file__).parent / "prompts"
_STAGE = "describe"


class SkillForm(Record):
    """What a skill is, as a model gives it; `case` repeats the token of the question."""

    case: str
    category: str
    description: str = Field(min_length=20, max_length=2000)


async def describe(hierarchy: Hierarchy, means: Means, categories: Sequence[str], ledger: Ledger) -> Hierarchy:
    """The same skills with a description and a category each; where the model gave none, the skill stays as it is."""
    questions = [_question(node, categories) for node in hierarchy.tops]
    telling = means.telling(len(questions))
    found = await ask_all(means.model, _STAGE, questions, ledger, means.limits, telling)
    return replace(hierarchy, nodes={name: _described(node, found) for name, node in hierarchy.nodes.items()})


def categorised(hierarchy: Hierarchy, by_skill: Mapping[str, str]) -> Hierarchy:
    """The same skills, each with the category that is known for its name, and otherwise the one it has."""
    nodes = {
        name: node.model_copy(update={"category": by_skill.get(node.name, node.category)})
        for name, node in hierarchy.nodes.items()
    }
    return replace(hierarchy, nodes=nodes)


def with_descriptions(hierarchy: Hierarchy, by_skill: Mapping[str, str]) -> Hierarchy:
    """The same skills with descriptions by name; names that no skill has are left out."""
    nodes = {
        name: node.model_copy(update={"description": by_skill.get(node.name, node.description)})
        for name, node in hierarchy.nodes.items()
    }
    return replace(hierarchy, nodes=nodes)


def _described(node: SkillNode, found: Mapping[str, Asked]) -> SkillNode:
    asked = found.get(node.id)
    if asked is None or asked.status != "done":
        return node
    answer = asked.read(SkillForm)
    return node.model_copy(update={"category": answer.category, "description": cleaned(answer.description).strip()})


def _question(node: SkillNode, categories: Sequence[str]) -> Question[SkillForm]:
    examples = "\n".join(f"- {' '.join(text.split())}" for text in node.examples) or "(none)"
    texts = {"name": node.name, "about": node.description or "(none)", "examples": examples}
    token = reply_token(_STAGE, node.id, *texts.values())

    def check(answer: SkillForm) -> str:
        if answer.case != token:
            return f'"case" is not "{token}"'
        return "" if answer.category in categories else f'"category" is none of: {", ".join(categories)}'

    listed = "\n".join(f"- {category}" for category in categories)
    prompts = ("describe_system", "describe_user")
    messages = fenced_messages(_PROMPTS, prompts, texts, token=token, categories=listed)
    return Question(node.id, messages, SkillForm, check, rule=", ".join(categories))
