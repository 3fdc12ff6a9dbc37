"""Skills with their categories, descriptions and places, and how they are shown and exported."""

from benchwright.skills.hierarchy.building import hierarchy_of
from benchwright.skills.hierarchy.describing import describe
from benchwright.skills.hierarchy.exporting import graphml
from benchwright.skills.hierarchy.making import Made, make_skills
from benchwright.skills.hierarchy.page import page
from benchwright.skills.hierarchy.tree import tree

__all__ = ["Made", "describe", "graphml", "hierarchy_of", "make_skills", "page", "tree"]
