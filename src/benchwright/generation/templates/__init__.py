"""Tasks without a model: deterministic templates over the tables of a room, each step with its skill."""

from benchwright.generation.templates.registry import TEMPLATES
from benchwright.generation.templates.writer import TemplateWriter

__all__ = ["TEMPLATES", "TemplateWriter"]
