"""What `inspect` finds of us: tasks, the sandbox, agents, scorers, metrics, the scripted model, the journal."""

from benchwright.live.agents.baselines import baseline
from benchwright.live.agents.da_agent import da_agent
from benchwright.live.agents.oracle import oracle
from benchwright.live.agents.react import react
from benchwright.live.agents.smolagents import smolagents
from benchwright.live.agents.snippets import multi_code, single_code
from benchwright.live.chat import ScriptedAPI
from benchwright.live.hooks import Journal, Pricing
from benchwright.live.metrics import by_label
from benchwright.live.provider import BenchwrightRoom
from benchwright.live.scorers import discovery, reference, sound
from benchwright.live.tasks import cell, coda_bench, lake, suite

__all__ = [
    "BenchwrightRoom",
    "Journal",
    "Pricing",
    "ScriptedAPI",
    "baseline",
    "by_label",
    "cell",
    "coda_bench",
    "da_agent",
    "discovery",
    "lake",
    "multi_code",
    "oracle",
    "react",
    "reference",
    "single_code",
    "smolagents",
    "sound",
    "suite",
]
