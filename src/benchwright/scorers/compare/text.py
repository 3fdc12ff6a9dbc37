"""Text without the accidents of typing: one form of digits, dashes, quotes, spaces, case and accents."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_DASHES = dict.fromkeys(map(ord, "‐‑‒–—―﹘﹣－−➖"), "-")
_QUOTES = dict.fromkeys(map(ord, "‘’‚‛′ʼ´"), "'") | dict.fromkeys(map(ord, "“”„‟″«»"), '"')
_NUMERALS = {ord("٫"): ".", ord("٬"): ",", ord("٪"): "%", ord("؛"): ";", ord("、"): ",", ord("。"): ". "}
_PLAIN = {
    **_DASHES,
    **_QUOTES,
    **_NUMERALS,
    ord("⁄"): "/",
    ord("∕"): "/",
    ord("·"): " ",
    ord("•"): "\n",
    ord("→"): ": ",
}
_POWERS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")
_SUPERSCRIPT = re.compile("[⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺]+")
_LONE_MINUS = re.compile(r"(^|[;,:(\[]\s?)−\s+(?=[\d.])")
_SPACES = re.compile(r"[^\S\n]+")
_LINES = re.compile(r"[\r\n\v\f\x1c-\x1e\x85\u2028\u2029]+")
_INVISIBLE = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufe00-\ufe0f\ufeff\ud800-\udfff]"
)


def normalise(text: str) -> str:
    """NFKC text with ASCII digits, dashes and quotes; runs of blanks are one space, runs of line ends one newline.

    Superscripts become `^2` first: compatibility forms would otherwise turn 10² into 102.
    """
    if not text.isascii():
        text = _plain(text)
    text = _INVISIBLE.sub("", text)
    return _SPACES.sub(" ", _LINES.sub("\n", text)).strip()


def _plain(text: str) -> str:
    text = _LONE_MINUS.sub(r"\1-", _SUPERSCRIPT.sub(lambda match: "^" + match.group().translate(_POWERS), text))
    text = unicodedata.normalize("NFKC", text.translate(_PLAIN)).translate(_PLAIN)
    return "".join(str(unicodedata.decimal(char)) if char > "\x7f" and char.isdecimal() else char for char in text)


@lru_cache(maxsize=65536)
def fold(word: str) -> str:
    """A word without case and without accents of the Latin, Greek and Cyrillic scripts."""
    if word.isascii():
        return word.casefold()
    apart = unicodedata.normalize("NFD", word.casefold())
    return unicodedata.normalize("NFC", "".join(char for char in apart if not "\u0300" <= char <= "\u036f"))
