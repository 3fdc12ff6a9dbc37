"""How attempts searched: when they saw, opened and last used what they needed, and what they opened instead."""

from benchwright.analysis.discovery.search import Moment, Read, Role, Search, Sought, search

__all__ = ["Moment", "Read", "Role", "Search", "Sought", "search"]
