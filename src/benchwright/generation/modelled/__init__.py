"""Tasks written by a model: steps, dependencies, ablations and questions, each checked, run and judged."""

from benchwright.generation.modelled.decisions import Decision
from benchwright.generation.modelled.desk import Rules
from benchwright.generation.modelled.kept import Execute, Ran
from benchwright.generation.modelled.writer import Means, ModelWriter

__all__ = ["Decision", "Execute", "Means", "ModelWriter", "Ran", "Rules"]
