"""Expert review: a spreadsheet of skills goes out, and what people decided about each comes back and is checked."""

from benchwright.skills.review.applying import Reviewed, apply
from benchwright.skills.review.deciding import Decision, Plan, Problem, plan
from benchwright.skills.review.sheets import Row, read_sheet, write_sheet
from benchwright.skills.review.suggesting import suggestions

__all__ = [
    "Decision",
    "Plan",
    "Problem",
    "Reviewed",
    "Row",
    "apply",
    "plan",
    "read_sheet",
    "suggestions",
    "write_sheet",
]
