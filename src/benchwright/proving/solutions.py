"""How long reference solutions are, as the published rules count it."""

from __future__ import annotations


def effective_lines(code: str) -> int:
    """Lines that are neither blank nor a comment on their own (the count that fits CoDA-Bench's hard rule best)."""
    return sum(1 for line in code.splitlines() if line.strip() and not line.strip().startswith("#"))
