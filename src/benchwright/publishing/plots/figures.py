"""A plot as a value, and what it becomes: SVG for pages of either theme, or a picture of its own."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from benchwright.errors import EnvironmentFault
from benchwright.publishing.pages.words import visible

if TYPE_CHECKING:
    from markupsafe import Markup

INK: Final = "#1d2126"
MUTED: Final = "#5d6671"
GRID: Final = "#e4e4df"
GROUND: Final = "#fffffe"
ACCENT: Final = "#0b61a5"
"""Colours that a page replaces by its theme's; unlike any colour that stands for data."""

_THEMED: Final = {
    INK: "var(--text)",
    MUTED: "var(--muted)",
    GRID: "var(--grid)",
    GROUND: "var(--surface)",
    ACCENT: "var(--accent)",
}
_OPENING: Final = (
    '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" version="1.1" class="marks"'
)
"""How vl-convert begins; within a page the namespaces go without saying."""
CATEGORIES: Final = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#8c6bb1", "#b5a400")
"""Told apart by colour-blind people, and on a light and a dark ground (after Okabe and Ito)."""
SHAPES: Final = (
    "circle",
    "square",
    "triangle-up",
    "diamond",
    "cross",
    "triangle-down",
    "triangle-right",
    "triangle-left",
)
SEQUENCE: Final = "cividis"
"""From low to high, the same to every eye."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A plot: its Vega-Lite specification, and in words what it shows."""

    name: str
    title: str
    about: str
    specification: dict[str, Any]

    def svg(self) -> str:
        """As SVG on a transparent ground."""
        text: str = _convert().vegalite_to_svg(self._text(), allowed_base_urls=[])
        return text

    def png(self, scale: float = 2.0) -> bytes:
        """As a PNG on white, with `scale` pixels a point."""
        data: bytes = _convert().vegalite_to_png(
            json.dumps({**self.specification, "background": "#ffffff"}), scale=scale, allowed_base_urls=[]
        )
        return data

    def inline(self) -> Markup:
        """As SVG within a page, in the colours of its theme."""
        from markupsafe import Markup

        text = self.svg().replace(_OPENING, Markup('<svg role="img" aria-label="{}"').format(self.about), 1)
        for colour, variable in _THEMED.items():
            text = text.replace(f'"{colour}"', f'"{variable}"')
        return Markup(text)  # noqa: S704 - vl-convert escapes all text; a test holds it to that

    def _text(self) -> str:
        return json.dumps(self.specification)


def _convert() -> Any:
    try:
        import vl_convert
    except ImportError as error:
        raise EnvironmentFault(
            "plots cannot be drawn", found="vl-convert is not installed", hint="pip install 'benchwright[plots]'"
        ) from error
    return vl_convert


def altair() -> Any:
    """The library that plots are described with. Errors: EnvironmentFault where it is not installed."""
    try:
        import altair as alt
    except ImportError as error:
        raise EnvironmentFault(
            "plots cannot be drawn", found="Altair is not installed", hint="pip install 'benchwright[plots]'"
        ) from error
    return alt


def figure(name: str, title: str, about: str, chart: Any) -> Figure:
    """A chart with the house's looks; what SVG cannot hold, or what acts on a screen, is named in its texts."""
    specification = chart.configure(
        background="transparent",
        font="DejaVu Sans, Arial, sans-serif",
        view={"stroke": None},
        axis={
            "labelColor": INK,
            "titleColor": MUTED,
            "titleFontWeight": "normal",
            "gridColor": GRID,
            "domainColor": GRID,
            "tickColor": GRID,
            "labelFontSize": 12,
            "titleFontSize": 12,
            "labelLimit": 260,
            "labelFlush": False,  # the first and last label stand under their lines, like the others
        },
        legend={
            "labelColor": INK,
            "titleColor": MUTED,
            "titleFontWeight": "normal",
            "labelFontSize": 12,
            "titleFontSize": 12,
            "labelLimit": 260,
        },
        title={"color": INK},
        text={"fill": INK, "fontSize": 12},
        range={"category": list(CATEGORIES), "symbol": list(SHAPES)},
    ).to_dict()
    return Figure(name, title, visible(about), _visible(specification))


def _visible(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _visible(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_visible(each) for each in value]
    return visible(value) if isinstance(value, str) else value
