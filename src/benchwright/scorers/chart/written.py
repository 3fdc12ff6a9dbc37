"""Whether the labels of a picture's axes say what its description says: they are written again, and compared.

Values that are all larger by one factor draw the same ink; only what stands beside the axes tells.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from benchwright.scorers.chart.drawing import figure_size
from benchwright.scorers.chart.numbers import column, listed, members, number

if TYPE_CHECKING:
    import numpy as np

PIXELS: Final = 1400
"""The longer side of the pictures that are compared: letters need more than ink does."""
_MOST_LABELS: Final = 60
_FEWEST: Final = 2
"""Labels of an axes from which on they tell anything."""
_STEPS: Final = (-2, -1, 1, 2)
"""How far away the labels stand that may have changed places."""
_CLEARLY: Final = 0.04
_LONGEST: Final = 60
_ROUND: Final = 3
"""Pixels by which a label may stand elsewhere."""
_SMALLEST: Final = 5
_SIDES: Final = 4
_LEAST_INK: Final = 30.0
_LARGEST_LETTERS: Final = 100.0


@dataclass(frozen=True, slots=True)
class _Label:
    """One label: its text, its box in shares of the figure (left, bottom, width, height), and how it is written."""

    text: str
    box: tuple[float, float, float, float]
    size: float
    turn: float


def labels_agree(description: Mapping[str, Any], axes: Mapping[str, Any], shown: np.ndarray[Any, Any]) -> float | None:
    """How far labels of ticks and of the legend look as they are described (the share of the variance), 0 to 1, the
    worst of them; None where there are too few, or their font is not here.

    `shown` is the whole figure as an array of height x width x 3.
    """
    found = [_axis_agrees(description, members(axes.get(name)), shown) for name in ("x", "y", "legend")]
    return min((value for value in found if value is not None), default=None)


def _axis_agrees(description: Mapping[str, Any], axis: Mapping[str, Any], shown: np.ndarray[Any, Any]) -> float | None:
    import numpy as np

    labels = list(_labels(axis))[:_MOST_LABELS]
    font = str(axis.get("label_font"))
    if len(labels) < _FEWEST or not _is_known(font):
        return None
    own = _each(description, labels, labels, font, shown)
    found = [value for value in own if value is not None]
    if len(found) < _FEWEST:
        return None
    if axis.get("fixed", True) is True and _other_way_round(description, labels, own, font, shown):
        return 0.0
    return float(np.mean(found)) ** 2


def _other_way_round(
    description: Mapping[str, Any],
    labels: Sequence[_Label],
    own: Sequence[float | None],
    font: str,
    shown: np.ndarray[Any, Any],
) -> bool:
    """Whether some labels look more like labels that stand near them: names that changed places."""
    better = [False] * len(labels)
    for step in {step % len(labels) for step in _STEPS} - {0}:
        turned = [*labels[step:], *labels[:step]]
        for place, value in enumerate(_each(description, labels, turned, font, shown)):
            mine = own[place]
            different = turned[place].text != labels[place].text
            better[place] |= different and value is not None and mine is not None and value > mine + _CLEARLY
    return sum(better) >= _FEWEST


def _each(
    description: Mapping[str, Any],
    labels: Sequence[_Label],
    texts: Sequence[_Label],
    font: str,
    shown: np.ndarray[Any, Any],
) -> list[float | None]:
    """How alike the places of labels look when these texts are written there."""
    there = [replace(label, text=other.text) for label, other in zip(labels, texts, strict=True)]
    written = _written(description, there, font, shown.shape)
    return [_alike(label, written, shown) for label in there]


def _is_known(font: Any) -> bool:
    """Whether letters can be written as they were: another font looks like other letters."""
    from matplotlib.font_manager import fontManager

    return any(font == known.name for known in fontManager.ttflist)


def _labels(axis: Mapping[str, Any]) -> Iterator[_Label]:
    size, turn = axis.get("label_size"), axis.get("label_turn")
    if size is None or not 0 < number(size) <= _LARGEST_LETTERS:
        return
    for text, box in zip(listed(axis.get("labels")), listed(axis.get("label_boxes")), strict=False):
        if not isinstance(text, str) or not text.strip() or len(text) > _LONGEST or len(listed(box)) != _SIDES:
            continue
        left, bottom, wide, high = column(box).tolist()
        if 0 <= left <= 1 and 0 <= bottom <= 1 and 0 < wide <= 1 and 0 < high <= 1:
            yield _Label(text, (left, bottom, wide, high), number(size), 0.0 if turn is None else number(turn))


def _written(
    description: Mapping[str, Any], labels: Sequence[_Label], font: str, shape: tuple[int, ...]
) -> np.ndarray[Any, Any]:
    """The labels alone, black on white, as large as the figure that is shown."""
    import matplotlib as mpl
    import numpy as np
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    width, height = figure_size(description)
    with mpl.rc_context():
        mpl.rcdefaults()
        figure = Figure(figsize=(width, height), dpi=max(shape[:2]) / max(width, height))
        canvas = FigureCanvasAgg(figure)
        for label in labels:
            left, bottom, wide, high = label.box
            place = (left + wide / 2, bottom + high / 2)
            options: dict[str, Any] = {"size": label.size, "rotation": label.turn, "family": font}
            figure.text(*place, label.text, ha="center", va="center", **options)
        canvas.draw()
        return np.asarray(canvas.buffer_rgba())[:, :, :3].copy()


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
    one = _ink(written[top:down, first:last])
    if one.max() < _LEAST_INK:
        return None
    best = 0.0
    for up in range(-_ROUND, _ROUND + 1):
        for across in range(-_ROUND, _ROUND + 1):
            other = _ink(shown[top + up : down + up, first + across : last + across])
            if other.max() >= _LEAST_INK:
                best = max(best, float(np.corrcoef(one.ravel(), other.ravel())[0, 1]))
    return best


def _ink(pixels: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """How far every pixel is from the background, smoothed."""
    import numpy as np
    from scipy.ndimage import gaussian_filter

    ground = np.median(pixels.reshape(-1, 3), axis=0)
    return np.asarray(gaussian_filter(np.abs(pixels.astype(float) - ground).max(axis=2), 1.0))
