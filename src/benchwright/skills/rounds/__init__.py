"""Rounds of clustering: steps to parent skills, and those to parents again, until few are left."""
