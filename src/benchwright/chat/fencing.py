"""Texts of others in a prompt: between lines that cannot occur in them, and of bearable length."""

from __future__ import annotations

from benchwright.files import sha256

MOST_CHARACTERS = 12_000
"""How much of one text a prompt holds."""


def fence(text: str) -> str:
    """A line that the text does not hold: it depends on all of the text, so that no text can hold its own."""
    number = 0
    while (line := f"=====DATA-{sha256(f'fence{number}{text}')[:16]}=====") in text:
        number += 1
    return line


def shortened(text: str, most: int = MOST_CHARACTERS) -> str:
    """Long texts lose their middle: answers stand at the end, questions at the beginning."""
    text = text.strip()
    if len(text) <= most:
        return text
    half = most // 2
    return f"{text[:half]}\n[{len(text) - 2 * half} characters left out]\n{text[-half:]}"
