"""How well an attempt applied each of the skills that its task needs, as a model scores it."""

from benchwright.analysis.applications.asking import APPLICATIONS, Applications, score_applications

__all__ = ["APPLICATIONS", "Applications", "score_applications"]
