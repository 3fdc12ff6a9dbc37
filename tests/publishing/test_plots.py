"""Plots: drawn without a browser, harmless, and told apart by colour-blind people."""

import json
import xml.etree.ElementTree as ET
from itertools import combinations, pairwise

import numpy as np
import pytest

from benchwright.publishing.plots.costs import cost_against_score
from benchwright.publishing.plots.discovery import discovery_timeline
from benchwright.publishing.plots.failures import COLOURS, failure_stacks
from benchwright.publishing.plots.figures import CATEGORIES, SHAPES
from benchwright.publishing.plots.heatmaps import heatmap
from benchwright.publishing.plots.intervals import intervals
from benchwright.publishing.plots.skills import BETTER, WORSE, strengths
from benchwright.publishing.plots.temperatures import by_temperature

HOSTILE = '"><script>alert(1)</script><a href="http://x">'
AGENTS = ("a", HOSTILE)
ENDS = {"mean": 0.5, "low": 0.25, "high": 0.75}
FIGURES = {
    "intervals": lambda: intervals([{"title": name, **ENDS} for name in AGENTS], "sound mean"),
    "heatmap": lambda: heatmap(
        "by_domain", "domain", [{"label": d, "title": t, "mean": 0.4} for d in ("x", HOSTILE) for t in AGENTS], AGENTS
    ),
    "costs": lambda: cost_against_score(
        [
            {"title": t, "cost": c, "mean": m}
            for t, c, m in zip((*AGENTS, "?"), (1, 2, None), (0.2, 0.6, 0.9), strict=True)
        ],
        AGENTS,
        "sound mean",
    ),
    "failures": lambda: failure_stacks(
        "failures",
        [{"title": t, "failure": f, "share": 0.2} for t in AGENTS for f in ("late", HOSTILE)],
        AGENTS,
        ("late", HOSTILE),
    ),
    "strengths": lambda: strengths(
        [{"title": t, "skill": s, "deviation": d} for t in AGENTS for s, d in (("join", 0.1), (HOSTILE, -0.2))], AGENTS
    ),
    "temperatures": lambda: by_temperature(
        [{"series": s, "temperature": t, **ENDS} for s in AGENTS for t in (0.0, 0.5, 1.0)], "sound mean"
    ),
    "discovery": lambda: discovery_timeline(
        [{"title": t, "step": n, "share": n / 3} for t in AGENTS for n in (1, 2, 3)], AGENTS
    ),
}


@pytest.mark.parametrize("name", FIGURES)
def test_a_plot_is_drawn_as_svg_in_which_names_are_text_and_nothing_else(name):
    figure = FIGURES[name]()
    root = ET.fromstring(figure.svg())
    tags = {element.tag.rpartition("}")[2] for element in root.iter()}
    assert not tags & {"script", "a", "foreignObject", "image", "use", "style"}
    assert not [key for element in root.iter() for key in element.attrib if key.startswith("on") or "href" in key]
    texts = [text for element in root.iter() for text in (element.text, *element.attrib.values()) if text]
    assert any("<script>" in text for text in texts)
    assert "<script>" not in figure.inline()


def test_a_plot_is_drawn_as_a_picture_of_its_own():
    assert FIGURES["intervals"]().png(1.0).startswith(b"\x89PNG\r\n\x1a\n")


@pytest.mark.parametrize("name", FIGURES)
def test_a_plot_holds_its_data_and_loads_none(name):
    assert '"url"' not in json.dumps(FIGURES[name]().specification)


def test_an_agent_whose_cost_is_not_known_is_left_out_and_counted():
    assert "1 agents whose cost is not known" in FIGURES["costs"]().about


SEEN = {
    "by all": np.eye(3),
    "without green cones": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.01182, 0.04294, 0.968881],
    ],
    "without red cones": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
}
"""Linear light as it is seen (Machado, Oliveira and Fernandes 2009)."""


def lab(colour, eye):
    """A colour in CIELAB, as an eye sees it."""
    srgb = np.array([int(colour[at : at + 2], 16) for at in (1, 3, 5)]) / 255
    linear = np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)
    linear = np.clip(np.array(eye) @ linear, 0, 1)
    xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]) @ linear
    x, y, z = np.cbrt(np.maximum(xyz / [0.9505, 1, 1.089], 0.008856))
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def nearest(pairs, eye):
    return min((float(np.linalg.norm(lab(a, eye) - lab(b, eye))), a, b) for a, b in pairs)


@pytest.mark.parametrize("eye", SEEN)
def test_colours_are_told_apart(eye):
    assert nearest([*combinations(CATEGORIES[:6], 2), (BETTER, WORSE)], SEEN[eye])[0] > 12
    assert nearest(pairwise(COLOURS), SEEN[eye])[0] > 12
    assert len(SHAPES) == len(CATEGORIES)


def test_red_and_green_would_not_be():
    assert nearest([("#b05050", "#6f7f40")], SEEN["without green cones"])[0] < 12
