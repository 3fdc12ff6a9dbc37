"""Profiles: what data files hold, measured in one pass and never guessed."""

from benchwright.profiles.base import Column, Numbers, Profile, TextDates
from benchwright.profiles.batches import READERS
from benchwright.profiles.context import STRUCTURES, as_code, as_paper
from benchwright.profiles.measure import profile_file

__all__ = ["READERS", "STRUCTURES", "Column", "Numbers", "Profile", "TextDates", "as_code", "as_paper", "profile_file"]
