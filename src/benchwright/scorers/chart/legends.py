"""Labels that only the colours of a legend tell: seaborn lists its groups by other artists than it draws."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from benchwright.scorers.chart.numbers import among, listed, members

_MOST_ENTRIES: Final = 500
_OPAQUE: Final = 7
"""Letters of a colour without its opacity."""


def entries(legends: Sequence[Any]) -> Mapping[str, str]:
    """By colour the label that stands beside it; colours that stand beside several labels tell nothing."""
    pairs = {
        (color[:_OPAQUE].lower(), label)
        for legend in map(members, legends[:_MOST_ENTRIES])
        for color, label in zip(
            listed(legend.get("colors"))[:_MOST_ENTRIES], listed(legend.get("labels")), strict=False
        )
        if isinstance(color, str) and isinstance(label, str) and color and label
    }
    counts = Counter(color for color, _ in pairs)
    return {color: label for color, label in pairs if counts[color] == 1}


def shown_labels(legends: Sequence[Any]) -> frozenset[str]:
    """All that these legends say."""
    given = (label for legend in map(members, legends[:_MOST_ENTRIES]) for label in listed(legend.get("labels")))
    return frozenset(label for label in given if isinstance(label, str))


def labelled(item: Mapping[str, Any], known: Mapping[str, str], shown: frozenset[str]) -> Iterator[Mapping[str, Any]]:
    """A series under the label of its colour, whatever its own is, or else under its own if a legend shows that; points
    of several colours one by one.
    """
    if item.get("label") and not among(item["label"], shown):
        item = {**item, "label": ""}
    style = members(item.get("style"))
    given = style.get("color") or style.get("colors")
    colors = [str(color)[:_OPAQUE].lower() for color in (given if isinstance(given, list) else [given])]
    if item.get("kind") == "pie" and not any(listed(item.get("labels"))):
        names = [known.get(color, "") for color in colors]
        yield {**item, "labels": names} if all(names) else item
        return
    if len(known) < len(("one", "another")) or not all(color in known for color in colors):
        yield item
    elif len(set(colors)) == 1:
        yield {**item, "label": known[colors[0]]}
    elif item.get("kind") == "scatter" and not item.get("label"):
        yield from _split(item, [known[color] for color in colors], listed(style.get("which")))
    else:
        yield item


def _split(item: Mapping[str, Any], labels: Sequence[str], which: Sequence[Any]) -> Iterator[Mapping[str, Any]]:
    """One item a colour, each with the points that have it."""
    parts = {name: item[name] for name in ("x", "y", "z", "values", "x_days") if name in item}
    if not all(isinstance(part, list) and len(part) == len(which) for part in parts.values()):
        yield item
        return
    for number, label in enumerate(labels):
        rows = [place for place, one in enumerate(which) if one == number]
        if rows:
            yield {**item, "label": label, **{name: [part[row] for row in rows] for name, part in parts.items()}}
