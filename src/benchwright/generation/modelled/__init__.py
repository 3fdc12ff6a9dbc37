"""Tasks written by a model: steps, dependencies, ablations and questions, each checked, run and judged."""

from benchwright.generation.modelled.decisions import Decision
from benchwright.generation.modelled.desk import Rules
from benchwright.generation.modelled.kept import Execute, Prove, Ran
from benchwright.generation.modelled.lab import Lab, Sandboxed
from benchwright.generation.modelled.writer import Means, ModelWriter

__all__ = ["Decision", "Execute", "Lab", "Means", "ModelWriter", "Prove", "Ran", "Rules", "Sandboxed"]
