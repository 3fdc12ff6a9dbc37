"""A judge of pictures, for charts that come without a description: handed in, never looked for."""

from __future__ import annotations

from typing import Protocol

from benchwright.score import Score


class PictureJudge(Protocol):
    """Something that looks at pictures, a vision model for one."""

    def judge(self, picture: bytes, gold: bytes, question: str) -> Score:
        """Whether a picture shows what the gold's does; the score says in its details who judged."""
