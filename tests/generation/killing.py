"""Generates once undisturbed, then again while it is killed at random points; run as a program, it says how often."""

import json
import os
import random
import signal
import sys
import time
import traceback
from pathlib import Path

from tiny_writer import SKILLS, TinyWriter

from benchwright.generation.executing import Machine
from benchwright.generation.pipeline import WORK, Request, generate
from benchwright.generation.rounds import Goal
from benchwright.sandbox.choice import Providers

TASKS = 5


def begin(data, out, toolbox):
    """Generate in a process of its own; its number."""
    child = os.fork()
    if child:
        return child
    status = 1
    try:
        providers = Providers()
        machine = Machine(lambda spec: providers.open(spec, "auto"), toolbox)
        generate(Request(data, out, Goal(TASKS, SKILLS, seed=4)), TinyWriter(), machine)
        providers.close()
        status = 0
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(status)


def ends_well(child):
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def killed_at(child, journal, size, patience):
    """Kill it as soon as its journal has that size, or after a while; whether it still ran."""
    until = time.monotonic() + patience
    while time.monotonic() < until and (not journal.exists() or journal.stat().st_size < size):
        if os.waitpid(child, os.WNOHANG)[0]:
            return False
        time.sleep(0.002)
    os.kill(child, signal.SIGKILL)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL


def main(data, whole, cut, toolbox):
    assert ends_well(begin(data, whole, toolbox))
    journal, drawn = cut / WORK / "journal.jsonl", random.Random(8)
    size = (whole / WORK / "journal.jsonl").stat().st_size
    points = [0, 0, *sorted(drawn.randrange(1, size) for _ in range(8))]
    kills = [killed_at(begin(data, cut, toolbox), journal, at, 0.3 * n if n < 2 else 20) for n, at in enumerate(points)]
    with journal.open("ab") as stream:
        stream.write(b'{"kind":"passed","proved":{"dra')
    assert ends_well(begin(data, cut, toolbox))
    print(json.dumps({"kills": sum(kills)}))


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
