"""A scripted model that takes solutions apart, for tests and for the processes that they start and kill."""

import asyncio
import json
import os
import re
import signal

from benchwright.chat.asking import Limits
from benchwright.chat.scripted import ScriptedChat, ScriptedReply
from benchwright.skills.extraction import Rules, extract
from benchwright.skills.steps import Solution

_TOKEN = re.compile(r'"case": "([0-9a-f]{12})"')


def solution(number, code="a = load(x)\nb = a.clean()\nb.plot()"):
    return Solution(id=f"{number}-1", source="test", question=f"Problem {number}?", answer=code, code=code)


CORPUS = [solution(number) for number in range(25)]


def token_of(messages):
    return _TOKEN.findall(messages[1].text)[-1]


def reply(messages, *steps):
    return ScriptedReply(text=json.dumps({"case": token_of(messages), "steps": list(steps)}))


def good(messages):
    """A model that does what it is asked: one step a call."""
    number = re.search(r"Problem (\d+)", messages[1].text)[1]
    steps = [
        {"skill": f"Doing {call} of kind {int(number) % 3}", "detail": f"Problem {number}: {call}()", "calls": [call]}
        for call in ("load", "clean", "plot")
    ]
    return reply(messages, *steps)


def run(out, script, corpus=CORPUS, rules=Rules(), limits=Limits()):  # noqa: B008
    return asyncio.run(extract(ScriptedChat(script), corpus, out, rules, limits))


def run_killed(out, after):
    """Work until so many calls were made, and then be killed."""
    calls = 0

    def script(messages):
        nonlocal calls
        calls += 1
        if calls == after:
            os.kill(os.getpid(), signal.SIGKILL)
        return good(messages)

    run(out, script, limits=Limits(at_once=4))
