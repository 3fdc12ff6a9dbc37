"""HTML to plain text in one pass over it: nothing is run, fetched or kept but words and code."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass, field

from benchwright.skills.corpus.base import cleaned, fenced_code

_TAG = re.compile(r"""<(?P<end>/?)(?P<name>[A-Za-z][A-Za-z0-9]*+)(?:"[^"<]*+"|'[^'<]*+'|[^<>"'])*+>""")
"""No part of it can pass the next `<`, so that a text of many of them takes no longer than any other."""
_NEXT = re.compile(r"<(?=[!?/A-Za-z])")
_SPACES = re.compile(r"[ \t\n\f\v\u00a0]+")
_UNSHOWN = frozenset({"script", "style", "head", "template", "noscript", "iframe", "object", "svg", "math"})
_CLOSE_THEMSELVES = frozenset({"svg", "math"})
_PARAGRAPHS = frozenset({"p", "div", "pre", "ul", "ol", "table", "blockquote", "hr", "section", "article", "dl"})
_PARAGRAPHS |= frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_LINES = frozenset({"br", "tr", "li", "dt", "dd"})


@dataclass(frozen=True, slots=True)
class Plain:
    """Plain text of HTML, its code in fenced blocks, and the blocks once more by themselves."""

    text: str
    blocks: tuple[str, ...]


def plain(source: str) -> Plain:
    """Words and code of a piece of HTML, well-formed or not."""
    page = _Page()
    place = 0
    while (found := _NEXT.search(source, place)) is not None:
        page.words(source[place : found.start()])
        place = page.markup(source, found.start())
    page.words(source[place:])
    return page.plain()


@dataclass(slots=True)
class _Page:
    """What was read so far; `_spaced` is text in which spaces mean nothing, `_code` that of an open block."""

    _parts: list[str] = field(default_factory=list)
    _spaced: list[str] = field(default_factory=list)
    _code: list[str] | None = None
    _blocks: list[str] = field(default_factory=list)
    _cell: bool = False
    _unshown: str = ""
    _endless: set[str] = field(default_factory=set)

    def words(self, text: str) -> None:
        """Text between tags."""
        if not text or self._unshown:
            return
        told = cleaned(html.unescape(text))
        if self._code is None:
            self._spaced.append(_SPACES.sub(" ", told))
        else:
            self._code.append(told)

    def markup(self, source: str, start: int) -> int:
        """Take what begins with `<` at this place, and say where it ends."""
        for opening, ending in (("<!--", "-->"), ("<![CDATA[", "]]>"), ("<!", ">"), ("<?", ">")):
            if source.startswith(opening, start):
                return self._skipped(source, start, ending)
        tag = _TAG.match(source, start)
        if tag is None:
            self.words("<")
            return start + 1
        name, end = tag["name"].lower(), bool(tag["end"])
        if end or name not in _UNSHOWN or self._unshown or self._hides(source, tag, name):
            self._tag(name, end)
        return tag.end()

    def _hides(self, source: str, tag: re.Match[str], name: str) -> bool:
        """Whether an element that is not shown has an end: without one it would hide all that follows."""
        if name in _CLOSE_THEMSELVES and tag[0].endswith("/>"):
            return False
        if name not in self._endless and not re.compile(f"</{name}\\b", re.IGNORECASE).search(source, tag.end()):
            self._endless.add(name)
        return name not in self._endless

    def _skipped(self, source: str, start: int, ending: str) -> int:
        """The end of a comment; one without an end is text, and no further end is looked for."""
        end = -1 if ending in self._endless else source.find(ending, start)
        if end < 0:
            self._endless.add(ending)
            self.words("<")
            return start + 1
        return end + len(ending)

    def _tag(self, name: str, end: bool) -> None:
        if self._unshown:
            self._unshown = "" if end and name == self._unshown else self._unshown
        elif name in _UNSHOWN:
            self._unshown = "" if end else name
        elif name == "pre":
            self._turn_code(begin=not end)
        elif self._code is not None:
            if name == "br":
                self._code.append("\n")
        elif name == "code":
            self._spaced.append("`")
        elif name in _PARAGRAPHS:
            self._end_paragraph()
        elif name in _LINES:
            self._cell = False
            self._spaced.append("\n- " if name == "li" and not end else "\n" if name != "li" else "")
        elif name in ("td", "th"):
            self._spaced.append(" | " if end or self._cell else "")
            self._cell = not end

    def _end_paragraph(self) -> None:
        lines = [line.strip() for line in "".join(self._spaced).split("\n")]
        text = "\n".join(line for line in lines if line)
        if text:
            self._parts.append(text)
        self._spaced = []

    def _turn_code(self, *, begin: bool) -> None:
        self._end_paragraph()
        code = "".join(self._code or ()).strip("\n")
        if code.strip():
            self._blocks.append(code)
            self._parts.append(fenced_code(code))
        self._code = [] if begin else None

    def plain(self) -> Plain:
        """All of it."""
        self._turn_code(begin=False)
        return Plain("\n\n".join(self._parts), tuple(self._blocks))
