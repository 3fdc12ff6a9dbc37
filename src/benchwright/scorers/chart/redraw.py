"""How far a picture bears out its description: the description is drawn again, and the ink of both compared."""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from benchwright.files import sha256
from benchwright.scorers.chart.colours import series_agree, slices_agree
from benchwright.scorers.chart.looking import BESIDE, FRAME, seen_of
from benchwright.scorers.chart.numbers import column, listed, members
from benchwright.scorers.chart.panels import UnreadableChart
from benchwright.scorers.chart.written import PIXELS, Page, labels_agree, legends_agree, texts_agree

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
_INK_ALL_OVER: Final = frozenset(("heatmap", "contour", "hexbin"))
_SOLID: Final = frozenset(("bar", "histogram", "area"))
"""What fills the ground below its values, so that most of its ink is there whatever they are: edges tell more."""
_THIN: Final = frozenset(("line", "rule", "errorbar", "segments"))
_SMALLEST: Final = 16
_LEAST_SIDE: Final = 24
"""Pixels of the shorter side of a picture from which on anybody reads a chart in it."""
_PNG: Final = b"\x89PNG"
_BORDER: Final = 5
_LEAST_GROUND: Final = 0.05
_LEAST_INK: Final = 0.0002
_LEAST_SEEN: Final = 0.2
_MOST_OF_IT: Final = 0.5
"""How much of an axes must be looked at for its picture to bear the description out."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far a picture agrees with a drawing of its description, from 0 to 1; None: that is not known.

    `broken`: the file is no picture that anybody could look at.
    """

    value: float | None
    reason: str
    confirms: bool = False
    contradicts: bool = False
    broken: bool = False


class _Broken(Exception):
    """A file that is called a picture and cannot be opened as one, or is too small to be looked at."""


def verify(description: Mapping[str, Any], picture: bytes, name: str) -> Agreement:
    """Draw the description and compare it with the picture, axes by axes; the worst axes decides."""
    known = members(description.get("pictures")).get(name)
    changed = "" if known == sha256(picture) else "; the picture is not the one that was described"
    try:
        looks, texts = _looks(description, picture)
    except ImportError:
        return Agreement(None, f"not drawn again: the extra 'plots' is not installed{changed}")
    except _Broken as error:
        return Agreement(None, str(error), broken=True)
    except UnreadableChart as error:
        return Agreement(None, f"{error}{changed}")
    except Exception as error:  # noqa: BLE001 - whatever a drawing library says to what an agent wrote
        return Agreement(None, f"cannot be drawn again: {type(error).__name__}: {error}"[:200] + changed)
    found = [*texts, *(value for look in looks for value in (look.ink, look.labels))]
    values = [value for value in found if value is not None]
    if not values:
        return Agreement(None, f"no axes is large enough, or has ink enough, to be looked at{changed}")
    worst, whole = min(values), all(look.whole for look in looks)
    partly = "" if whole else "; not all of it was looked at"
    return Agreement(
        worst,
        f"agreement {worst:.2f} in the worst of {len(looks)} axes{partly}{changed}",
        confirms=worst >= CONFIRMED and whole and not changed,
        contradicts=worst < CONTRADICTED,
    )


@dataclass(frozen=True, slots=True)
class _Look:
    """What looking at one axes showed: agreement of ink and of labels (None: not known), and how much was looked at."""

    ink: float | None = None
    labels: float | None = None
    seen: float = 0.0

    @property
    def whole(self) -> bool:
        """Whether enough was looked at for the picture to bear the description out."""
        return self.ink is not None and self.seen >= _MOST_OF_IT


def _looks(description: Mapping[str, Any], picture: bytes) -> tuple[list[_Look], list[float | None]]:
    """What looking at each axes showed, and how far legends and other texts look as they are described."""
    from benchwright.scorers.chart.drawing import drawn

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        image = _decoded(picture)
        if min(image.size) < _LEAST_SIDE and description:
            raise _Broken(f"it has {image.width} x {image.height} pixels, too few to read a chart")
        if "axes" not in description:
            raise UnreadableChart("it is not drawn again: it was not made with matplotlib")
        drawing = drawn(description, _PIXELS)
        shown = _as_figure(image, description, drawing.shape[1], drawing.shape[0])
        letters = _letters(image, description)
        looks = [
            replace(_look(axes, drawing, shown), labels=labels_agree(description, axes, letters)) if alone else _Look()
            for axes, alone in _visible(description)
        ]
        return looks, [legends_agree(description, letters), texts_agree(description, letters)]


def _letters(image: Any, description: Mapping[str, Any]) -> Page:
    """The whole figure about as sharp as its picture."""
    from benchwright.scorers.chart.drawing import figure_size

    width, height = figure_size(description)
    crop = members(description.get("figure")).get("crop")
    inches = width if crop is None else float(column(crop)[2])
    dots = image.width / inches if inches > 0 else 0.0
    sharp = min(dots, PIXELS / max(width, height))
    size = max(1, round(width * sharp)), max(1, round(height * sharp))
    return Page(_as_figure(image, description, *size), dots)


def _visible(description: Mapping[str, Any]) -> Iterator[tuple[Mapping[str, Any], bool]]:
    """Axes with something in them, and whether they are looked at: those that are not shown, or lie on others, are not.

    Twins are looked at together with what they lie on.
    """
    every: list[Mapping[str, Any]] = [members(axes) for axes in listed(description.get("axes"))]
    for axes in every:
        if axes.get("role") == "colorbar" or not listed(axes.get("series")):
            continue
        base = axes.get("twin_of")
        under = every[base] if isinstance(base, int) and 0 <= base < len(every) else {}
        together = listed(under.get("series")) and under.get("twin_of") is None
        if together and under.get("position") == axes.get("position"):
            continue
        yield axes, axes.get("role") == "plot" and bool(axes.get("shown", True))


def _decoded(picture: bytes) -> Any:
    from PIL import Image, UnidentifiedImageError

    try:
        image = Image.open(io.BytesIO(picture), formats=("PNG", "JPEG", "WEBP", "TIFF", "GIF", "BMP"))
    except UnidentifiedImageError as error:
        if picture[: len(_PNG)] == _PNG:
            raise _Broken("it cannot be opened as a picture") from error
        raise UnreadableChart("this kind of picture is not looked at") from error
    except (OSError, ValueError, SyntaxError) as error:
        raise _Broken(f"it cannot be opened as a picture: {error}"[:200]) from error
    if getattr(image, "is_animated", False):
        raise UnreadableChart("the picture moves, and shows more than is looked at")
    if image.width * image.height > _MOST_PIXELS:
        raise UnreadableChart(f"the picture has {image.width} x {image.height} pixels")
    try:
        whole = image.convert("RGBA")
    except (OSError, ValueError, SyntaxError) as error:  # cut off, or bytes that are no pixels
        raise _Broken(f"it cannot be opened as a picture: {error}"[:200]) from error
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


def _look(axes: Mapping[str, Any], drawing: np.ndarray[Any, Any], shown: np.ndarray[Any, Any]) -> _Look:
    """How far the ink of two pictures agrees within one axes; not known where it is too small to say."""
    height, width = drawing.shape[:2]
    left, bottom, wide, high = column(axes.get("position")).tolist()
    rows = slice(round((1 - bottom - high) * height) + FRAME, round((1 - bottom) * height) - FRAME)
    across = slice(round(left * width) + FRAME, round((left + wide) * width) - FRAME)
    one, other = drawing[rows, across].astype(float), shown[rows, across].astype(float)
    if min(one.shape[:2]) < _SMALLEST:
        return _Look()
    seen = seen_of(axes, one.shape[0], one.shape[1])
    return _Look(_agreement(axes, one, other, seen), seen=float(seen.mean()))


def _agreement(
    axes: Mapping[str, Any], one: np.ndarray[Any, Any], other: np.ndarray[Any, Any], seen: np.ndarray[Any, Any]
) -> float | None:
    import numpy as np

    items = [item for item in listed(axes.get("series")) if isinstance(item, dict)]
    kinds = {str(item.get("kind")) for item in items}
    if kinds & _INK_ALL_OVER or any(item.get("kind") == "patch" and "values" in item for item in items):
        return _shades(one, other, seen)
    expected = (np.abs(one - 255.0).max(axis=2) > _INK / 2) & seen  # what is drawn again stands on white
    found = _ink(other, ~expected) & seen
    overlap = _ink_overlap(expected, found) if seen.mean() >= _LEAST_SEEN else None
    if overlap is None:
        return None
    if "pie" in kinds:
        return min(overlap, slices_agree(items, one, other, expected))
    told = series_agree(items, one, other, expected)
    overlap = overlap if told is None else min(overlap, told)
    if not kinds & _SOLID or not kinds <= _SOLID | _THIN:
        return overlap
    upright = any(item.get("vertical", True) is True for item in items)
    apart = seen_of(axes, one.shape[0], one.shape[1], BESIDE)
    return min(overlap, _ends_overlap(expected & apart, found & apart, 0 if upright else 1))


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


def _shades(one: np.ndarray[Any, Any], other: np.ndarray[Any, Any], seen: np.ndarray[Any, Any]) -> float | None:
    """How far light and dark go together, for pictures that are ink all over: the share of the variance explained.

    One shade all over tells nothing, whatever the values are.
    """
    import numpy as np
    from scipy.ndimage import uniform_filter

    grey = [uniform_filter(side.mean(axis=2), size=2 * _SLACK + 1)[seen] for side in (one, other)]
    if min(float(side.std()) for side in grey) < 1.0:
        return None if abs(float(grey[0].mean() - grey[1].mean())) < _INK else 0.0
    return max(0.0, float(np.corrcoef(*grey)[0, 1])) ** 2
