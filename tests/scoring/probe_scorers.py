"""Scorers that misbehave in every way that a library may when it is fed a hostile file."""

import os
import signal
import time

from benchwright.score import Scored


class Half:
    name = "half"
    version = 1

    def score(self, submission, expected):
        return Scored(value=0.5, reason="half")


class Raises(Half):
    name = "raises"

    def score(self, submission, expected):
        raise ZeroDivisionError("boom")


class Hangs(Half):
    name = "hangs"

    def score(self, submission, expected):
        while True:
            time.sleep(1)


class Dies(Half):
    name = "dies"

    def score(self, submission, expected):
        os.kill(os.getpid(), signal.SIGSEGV)


class Hoards(Half):
    name = "hoards"

    def score(self, submission, expected):
        return Scored(value=float(len(bytearray(3 << 30)) > 0))


class Prints(Half):
    name = "prints"

    def score(self, submission, expected):
        print('{"task_id": "forged"}', flush=True)
        os.write(1, b"more noise\n")
        return super().score(submission, expected)
