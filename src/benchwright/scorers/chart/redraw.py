"""How far a picture bears out its description: the description is drawn again, and the ink of both compared."""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from benchwright.files import sha256
from benchwright.scorers.chart.numbers import column, listed, members
from benchwright.scorers.chart.panels import UnreadableChart

if TYPE_CHECKING:
    import numpy as np

CONFIRMED: Final = 0.75
CONTRADICTED: Final = 0.4
"""From which agreement on a picture bears out its description, and below which it shows something else; measured by
benchmarks/chart_redraw.py."""
_PIXELS: Final = 640
_MOST_PIXELS: Final = 50_000_000
_INK: Final = 36
"""How far a pixel is from the background (of 441) to be ink."""
_SLACK: Final = 3
"""Pixels by which ink may be off: line widths, fonts' and markers' shapes differ."""
_FRAME: Final = 3
_INK_ALL_OVER: Final = frozenset(("heatmap", "contour", "hexbin"))
_SOLID: Final = frozenset(("bar", "histogram", "area"))
"""What fills the ground below its values, so that most of its ink is there whatever they are: edges tell more."""
_THIN: Final = frozenset(("line", "rule", "errorbar", "segments"))
_SAME_COLOUR: Final = 60
_SMALLEST: Final = 16
_BORDER: Final = 5
_BESIDE: Final = 2
_LEAST_GROUND: Final = 0.05
_LEAST_INK: Final = 0.0002


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far a picture agrees with a drawing of its description, from 0 to 1; None: that is not known."""

    value: float | None
    reason: str
    confirms: bool = False
    contradicts: bool = False


def verify(description: Mapping[str, Any], picture: bytes, name: str) -> Agreement:
    """Draw the description and compare it with the picture, axes by axes; the worst axes decides."""
    known = members(description.get("pictures")).get(name)
    changed = "" if known == sha256(picture) else "; the picture is not the one that was described"
    try:
        values = _agreements(description, picture)
    except ImportError:
        return Agreement(None, f"not drawn again: the extra 'plots' is not installed{changed}")
    except UnreadableChart as error:
        return Agreement(None, f"{error}{changed}")
    except Exception as error:  # noqa: BLE001 - whatever a drawing library says to what an agent wrote
        return Agreement(None, f"cannot be drawn again: {type(error).__name__}: {error}"[:200] + changed)
    if not values:
        return Agreement(None, f"no axes is large enough, or has ink enough, to be looked at{changed}")
    worst = min(values)
    return Agreement(
        worst,
        f"agreement {worst:.2f} in the worst of {len(values)} axes{changed}",
        confirms=worst >= CONFIRMED and not changed,
        contradicts=worst < CONTRADICTED,
    )


def _agreements(description: Mapping[str, Any], picture: bytes) -> list[float]:
    from benchwright.scorers.chart.drawing import drawn

    if "axes" not in description:
        raise UnreadableChart("it is not drawn again: it was not made with matplotlib")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        drawing = drawn(description, _PIXELS)
        shown = _as_figure(_decoded(picture), description, drawing.shape[1], drawing.shape[0])
    return [value for axes in _visible(description) if (value := _agreement(axes, drawing, shown)) is not None]


def _visible(description: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Axes with something in them that lie on no other; twins are looked at together with what they lie on."""
    for axes in listed(description.get("axes")):
        plain = isinstance(axes, dict) and axes.get("role") == "plot" and axes.get("twin_of") is None
        if plain and listed(axes.get("series")) and axes.get("shown", True):
            yield axes


def _decoded(picture: bytes) -> Any:
    from PIL import Image, UnidentifiedImageError

    try:
        image = Image.open(io.BytesIO(picture), formats=("PNG", "JPEG", "WEBP", "TIFF", "GIF", "BMP"))
    except UnidentifiedImageError as error:
        raise UnreadableChart("this kind of picture is not looked at") from error
    if image.width * image.height > _MOST_PIXELS:
        raise UnreadableChart(f"the picture has {image.width} x {image.height} pixels")
    whole = image.convert("RGBA")
    page = Image.new("RGBA", whole.size, "white")
    return Image.alpha_composite(page, whole).convert("RGB")


def _as_figure(image: Any, description: Mapping[str, Any], width: int, height: int) -> np.ndarray[Any, Any]:
    """The picture in the place that it has in its figure, at the drawing's size; white where it was cut off."""
    import numpy as np
    from PIL import Image

    from benchwright.scorers.chart.drawing import figure_size

    crop = members(description.get("figure")).get("crop")
    if crop is None:
        return np.asarray(image.resize((width, height), Image.Resampling.BOX))
    left, bottom, wide, high = column(crop).tolist()
    scale = width / figure_size(description)[0]
    if not (0 < wide * scale <= 4 * width and 0 < high * scale <= 4 * height):
        raise UnreadableChart("the picture is no part of its figure")
    page = Image.new("RGB", (width, height), "white")
    part = image.resize((max(1, round(wide * scale)), max(1, round(high * scale))), Image.Resampling.BOX)
    page.paste(part, (round(left * scale), height - round((bottom + high) * scale)))
    return np.asarray(page)


def _agreement(axes: Mapping[str, Any], drawing: np.ndarray[Any, Any], shown: np.ndarray[Any, Any]) -> float | None:
    """How far two pictures agree within one axes; None where it is too small to say."""
    import numpy as np

    height, width = drawing.shape[:2]
    left, bottom, wide, high = column(axes.get("position")).tolist()
    rows = slice(round((1 - bottom - high) * height) + _FRAME, round((1 - bottom) * height) - _FRAME)
    across = slice(round(left * width) + _FRAME, round((left + wide) * width) - _FRAME)
    one, other = drawing[rows, across].astype(float), shown[rows, across].astype(float)
    if min(one.shape[:2]) < _SMALLEST:
        return None
    seen = _seen(axes, one.shape[0], one.shape[1])
    items = [item for item in listed(axes.get("series")) if isinstance(item, dict)]
    kinds = {str(item.get("kind")) for item in items}
    if kinds & _INK_ALL_OVER or any(item.get("kind") == "patch" and "values" in item for item in items):
        return _shades(one, other, seen)
    expected = (np.abs(one - 255.0).max(axis=2) > _INK / 2) & seen  # what is drawn again stands on white
    found = _ink(other, ~expected) & seen
    overlap = _ink_overlap(expected, found)
    if overlap is None:
        return None
    if "pie" in kinds:
        return min(overlap, _colours(one, other, expected))
    if kinds & _SOLID and kinds <= _SOLID | _THIN:
        upright = any(item.get("vertical", True) is True for item in items)
        apart = _seen(axes, one.shape[0], one.shape[1], _BESIDE)
        return min(overlap, _ends_overlap(expected & apart, found & apart, 0 if upright else 1))
    return overlap


def _colours(one: np.ndarray[Any, Any], other: np.ndarray[Any, Any], where: np.ndarray[Any, Any]) -> float:
    """The share of some pixels that have about the same colour in both."""
    import numpy as np

    apart = np.sqrt(((one - other) ** 2).sum(axis=2))
    return float((apart <= _SAME_COLOUR)[where].mean()) if where.any() else 1.0


def _ends_overlap(one: np.ndarray[Any, Any], other: np.ndarray[Any, Any], axis: int) -> float:
    """How far the places agree where solid ink ends along an axis of the picture: ends of bars, rims of areas."""
    import numpy as np
    from scipy.ndimage import binary_closing, binary_opening

    # Grid lines leave gaps in bars and lines beside them.
    solid = [binary_opening(binary_closing(side, np.ones((7, 7))), np.ones((4, 4))) for side in (one, other)]
    inner = np.zeros(one.shape, dtype=bool)
    inner[_BORDER:-_BORDER, _BORDER:-_BORDER] = True  # where ink is cut off it does not end
    ends = [side != np.roll(side, -1, axis) for side in solid]
    found = _ink_overlap(ends[0], ends[1], inner)
    return 1.0 if found is None else found


def _seen(axes: Mapping[str, Any], height: int, width: int, beside: int = 1) -> np.ndarray[Any, Any]:
    """Where to look: not at legends, texts, and grid lines with some pixels beside them, which are not drawn again."""
    import numpy as np

    seen = np.ones((height, width), dtype=bool)
    boxes = [members(item).get("box") for item in [axes.get("legend"), *listed(axes.get("texts"))]]
    for box in boxes:
        if isinstance(box, list) and len(box) == 4:
            left, bottom, wide, high = column(box).tolist()
            rows = slice(max(0, int((1 - bottom - high) * height) - 3), max(0, int((1 - bottom) * height) + 4))
            seen[rows, max(0, int(left * width) - 3) : max(0, int((left + wide) * width) + 4)] = False
    for name, length in (("x", width), ("y", height)):
        for place in _grid(members(axes.get(name)), length):
            where = slice(max(0, place - beside), place + beside + 1)
            if name == "x":
                seen[:, where] = False
            else:
                seen[max(0, height - 1 - place - beside) : height - place + beside] = False
    return seen


def _grid(axis: Mapping[str, Any], length: int) -> list[int]:
    """Pixels at which grid lines of a linear axis stand."""
    limits = column(axis.get("limits")).tolist()
    if axis.get("grid") is not True or axis.get("scale") != "linear" or len(limits) != 2 or limits[0] == limits[1]:
        return []
    shares = [(tick - limits[0]) / (limits[1] - limits[0]) for tick in column(listed(axis.get("ticks"))).tolist()]
    return [round(share * length) for share in shares if 0 <= share <= 1]


def _ink(pixels: np.ndarray[Any, Any], ground: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The pixels that are not of the background, the colour that most of those have which should be ground.

    Bars can cover more of an axes than they leave.
    """
    import numpy as np

    looked = pixels[ground] if ground.mean() > _LEAST_GROUND else pixels.reshape(-1, 3)
    coarse = (looked // 8).astype(int)
    codes = coarse[:, 0] * 1024 + coarse[:, 1] * 32 + coarse[:, 2]
    most = np.bincount(codes).argmax()
    background = np.median(looked[codes == most], axis=0)
    return np.asarray(np.sqrt(((pixels - background) ** 2).sum(axis=2)) > _INK)


def _ink_overlap(
    one: np.ndarray[Any, Any], other: np.ndarray[Any, Any], inner: np.ndarray[Any, Any] | None = None
) -> float | None:
    """The smaller of the shares of ink of either side, or of what of it lies within `inner`, that lies on or beside ink
    of the other. None where both have next to none.
    """
    from scipy.ndimage import maximum_filter

    near = [maximum_filter(side, size=2 * _SLACK + 1) for side in (one, other)]
    if inner is not None:
        one, other = one & inner, other & inner
    if max(one.sum(), other.sum()) < _LEAST_INK * one.size:
        return None
    if not one.any() or not other.any():
        return 0.0
    return min(float((one & near[1]).sum() / one.sum()), float((other & near[0]).sum() / other.sum()))


def _shades(one: np.ndarray[Any, Any], other: np.ndarray[Any, Any], seen: np.ndarray[Any, Any]) -> float:
    """How far light and dark go together (correlation), for pictures that are ink all over."""
    import numpy as np
    from scipy.ndimage import uniform_filter

    grey = [uniform_filter(side.mean(axis=2), size=2 * _SLACK + 1)[seen] for side in (one, other)]
    if min(float(side.std()) for side in grey) < 1.0:
        return float(abs(float(grey[0].mean() - grey[1].mean())) < _INK)
    return max(0.0, float(np.corrcoef(*grey)[0, 1]))
