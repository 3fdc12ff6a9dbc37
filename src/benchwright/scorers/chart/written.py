"""Whether the labels of a picture's axes say what its description says: they are written again, and compared.

Values that are all larger by one factor draw the same ink; only what stands beside the axes tells.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from benchwright.scorers.chart.drawing import figure_size
from benchwright.scorers.chart.numbers import among, column, listed, members, number

if TYPE_CHECKING:
    import numpy as np

_SHARPEST: Final = 4200
"""The longer side of the pictures in which letters are written."""
PIXELS: Final = 1400
"""The longer side of the pictures that are compared: letters need more than ink does."""
_MOST_LABELS: Final = 60
_FEWEST: Final = 2
"""Labels of an axes from which on they tell anything."""
_STEPS: Final = (-2, -1, 1, 2)
"""How far away the labels stand that may have changed places."""
_CLEARLY: Final = 0.04
_LONGEST: Final = 120
_ROUND: Final = 3
"""Pixels by which a label may stand elsewhere."""
_SMALLEST: Final = 5
_TOLD_APART: Final = 7.0
"""Pixels of the shorter side of a label from which on one is told from another."""
_STROKES: Final = 14.0
"""How many strokes wide a label is high."""
_SIDES: Final = 4
_LEAST_INK: Final = 30.0
_LARGEST_LETTERS: Final = 100.0
_SHORTEST: Final = 3
"""Letters from which on a title tells anything."""
_FAMILIAR: Final = 0.8
"""From which correlation on a text looks as it is described, though others may touch it."""
_STRANGE: Final = 0.5
"""What a text comes to that does not look as it is described: between bearing out and contradicting."""
_HEAVY: Final = frozenset(("bold", "heavy", "extra bold", "black", "semibold", "demibold", "demi", "600", "700", "800"))

Item = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Page:
    """A whole figure as it is shown: an array of height x width x 3, and how many dots an inch its picture had."""

    pixels: np.ndarray[Any, Any]
    dots: float


@dataclass(frozen=True, slots=True)
class _Label:
    """One label: its text, its box in shares of the figure (left, bottom, width, height), and how it is written."""

    text: str
    box: tuple[float, float, float, float]
    size: float
    turn: float
    font: str
    weight: str


def labels_agree(description: Item, axes: Item, page: Page) -> float | None:
    """How far labels of ticks look as they are described (the share of the variance), 0 to 1, the worst of them; None
    where there are too few, or their font is not here.
    """
    found = [
        _all_agree(description, list(_labels(axis)), page, fixed=axis.get("fixed", True) is True)
        for axis in (members(axes.get(name)) for name in ("x", "y"))
    ]
    return min((value for value in found if value is not None), default=None)


def legends_agree(description: Item, page: Page) -> float | None:
    """The same of the labels of all legends, of axes and of the figure, taken together: each may have but one."""
    legends = [members(axes.get("legend")) for axes in _axes_of(description)]
    legends += map(members, listed(members(description.get("figure")).get("legends")))
    return _all_agree(description, [label for legend in legends for label in _labels(legend)], page)


def texts_agree(description: Item, page: Page) -> float | None:
    """The same of titles, of what axes are called and of the names of slices, the worst of them.

    Texts that look like what is said of others contradict their description; any other that looks strange only bears
    nothing out: other things may lie on it.
    """
    found: list[float] = []
    for group in _text_groups(description):
        labels = [label for label in group if _is_known(label.font)][:_MOST_LABELS]
        own = _each(description, labels, labels, page) if labels else []
        if len(labels) >= _FEWEST and _other_way_round(description, labels, own, page):
            return 0.0
        found += [1.0 if value >= _FAMILIAR else _STRANGE for value in own if value is not None]
    return min(found, default=None)


def _text_groups(description: Item) -> Iterator[list[_Label]]:
    every = _axes_of(description)
    for name in ("title", "x_label", "y_label"):
        yield [label for axes in every for label in _titled(axes, name)]
    yield list(_titled(members(description.get("figure")), "title"))
    for axes in every:
        if any(members(item).get("kind") == "pie" for item in listed(axes.get("series"))):
            names = {str(name) for item in listed(axes.get("series")) for name in listed(members(item).get("labels"))}
            texts = [members(text) for text in listed(axes.get("texts"))]
            yield [
                label
                for text in texts
                if among(text.get("text"), names)
                for label in _labels({**text, "labels": [text["text"]]})
            ]


def _titled(owner: Item, name: str) -> Iterator[_Label]:
    written = members(members(owner.get("written")).get(name))
    text = owner.get(name)
    if written and isinstance(text, str) and len(text.strip()) >= _SHORTEST:
        yield from _labels({**written, "labels": [text]})


def _axes_of(description: Item) -> list[Item]:
    """The axes that are shown."""
    return [axes for axes in map(members, listed(description.get("axes"))) if axes.get("shown", True)]


def _all_agree(description: Item, every: Sequence[_Label], page: Page, *, fixed: bool = True) -> float | None:
    """How far labels look as they are described. `fixed`: whether they were set one by one, and may be exchanged."""
    import numpy as np

    labels = [label for label in every if _is_known(label.font)][:_MOST_LABELS]
    if len(labels) < _FEWEST:
        return None
    own = _each(description, labels, labels, page)
    found = [value for value in own if value is not None]
    if len(found) < _FEWEST:
        return None
    if fixed and _other_way_round(description, labels, own, page):
        return 0.0
    return float(np.mean(found)) ** 2


def _other_way_round(description: Item, labels: Sequence[_Label], own: Sequence[float | None], page: Page) -> bool:
    """Whether some labels look more like labels that stand near them: names that changed places."""
    better = [False] * len(labels)
    for step in {step % len(labels) for step in _STEPS} - {0}:
        turned = [*labels[step:], *labels[:step]]
        for place, value in enumerate(_each(description, labels, turned, page)):
            mine = own[place]
            different = turned[place].text != labels[place].text and _pixels(labels[place], page) >= _TOLD_APART
            better[place] |= different and value is not None and mine is not None and value > mine + _CLEARLY
    return sum(better) >= _FEWEST


def _pixels(label: _Label, page: Page) -> float:
    """The shorter side of a label."""
    _, _, wide, high = label.box
    return float(min(wide * page.pixels.shape[1], high * page.pixels.shape[0]))


def _each(description: Item, labels: Sequence[_Label], texts: Sequence[_Label], page: Page) -> list[float | None]:
    """How alike the places of labels look when these texts are written there."""
    there = [replace(label, text=other.text) for label, other in zip(labels, texts, strict=True)]
    written = _written(description, there, page)
    return [_alike(label, written, page.pixels) for label in there]


def _is_known(font: str) -> bool:
    """Whether letters can be written as they were: another font looks like other letters."""
    from matplotlib.font_manager import fontManager

    return any(font == known.name for known in fontManager.ttflist)


def _labels(axis: Item) -> Iterator[_Label]:
    size, turn, weight = axis.get("label_size"), axis.get("label_turn"), str(axis.get("label_weight"))
    if size is None or not 0 < number(size) <= _LARGEST_LETTERS:
        return
    for text, box in zip(listed(axis.get("labels")), listed(axis.get("label_boxes")), strict=False):
        if not isinstance(text, str) or not text.strip() or len(text) > _LONGEST or len(listed(box)) != _SIDES:
            continue
        left, bottom, wide, high = column(box).tolist()
        if 0 <= left <= 1 and 0 <= bottom <= 1 and 0 < wide <= 1 and 0 < high <= 1:
            turned = 0.0 if turn is None else number(turn)
            heavy = "bold" if weight in _HEAVY else "normal"
            yield _Label(text, (left, bottom, wide, high), number(size), turned, str(axis.get("label_font")), heavy)


def _written(description: Item, labels: Sequence[_Label], page: Page) -> np.ndarray[Any, Any]:
    """The labels alone, black on white, as large as the figure that is shown.

    They are written as sharp as those of the picture, and made smaller as it was: letters are set otherwise at every
    size.
    """
    import matplotlib as mpl
    import numpy as np
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from PIL import Image

    width, height = figure_size(description)
    across, down = page.pixels.shape[1], page.pixels.shape[0]
    dots = min(max(page.dots, max(across, down) / max(width, height)), _SHARPEST / max(width, height))
    with mpl.rc_context():
        mpl.rcdefaults()
        figure = Figure(figsize=(width, height), dpi=dots)
        canvas = FigureCanvasAgg(figure)
        for label in labels:
            left, bottom, wide, high = label.box
            place = (left + wide / 2, bottom + high / 2)
            options: dict[str, Any] = {"size": label.size, "rotation": label.turn, "family": label.font}
            figure.text(*place, label.text, ha="center", va="center", weight=label.weight, **options)
        canvas.draw()
        whole = Image.fromarray(np.asarray(canvas.buffer_rgba())[:, :, :3].copy())
        return np.asarray(whole.resize((across, down), Image.Resampling.BOX))


def _alike(label: _Label, written: np.ndarray[Any, Any], shown: np.ndarray[Any, Any]) -> float | None:
    """How alike (correlation) the place of a label looks in two pictures; None where it is too small to say."""
    import numpy as np

    height, width = (min(one, other) for one, other in zip(written.shape[:2], shown.shape[:2], strict=True))
    left, bottom, wide, high = label.box
    top, down = round((1 - bottom - high) * height), round((1 - bottom) * height)
    first, last = round(left * width), round((left + wide) * width)
    inside = min(top, first) >= _ROUND and down + _ROUND <= height and last + _ROUND <= width
    if not inside or min(down - top, last - first) < _SMALLEST:
        return None
    blur = max(1.0, min(down - top, last - first) / _STROKES)  # letters are set a little differently in each resolution
    one = _ink(written[top:down, first:last], blur)
    if one.max() < _LEAST_INK:
        return None
    best = 0.0
    for up in range(-_ROUND, _ROUND + 1):
        for across in range(-_ROUND, _ROUND + 1):
            other = _ink(shown[top + up : down + up, first + across : last + across], blur)
            if other.max() >= _LEAST_INK:
                best = max(best, float(np.corrcoef(one.ravel(), other.ravel())[0, 1]))
    return best


def _ink(pixels: np.ndarray[Any, Any], blur: float) -> np.ndarray[Any, Any]:
    """How far every pixel is from the background, smoothed over some pixels."""
    import numpy as np
    from scipy.ndimage import gaussian_filter

    ground = np.median(pixels.reshape(-1, 3), axis=0)
    return np.asarray(gaussian_filter(np.abs(pixels.astype(float) - ground).max(axis=2), blur))
