"""The process that makes a part's attempts on a node: its order comes by stdin, and it ends with its sender."""

from __future__ import annotations

import json
import os
import signal
import sys
import tempfile
import threading
from pathlib import Path

from benchwright.errors import BenchwrightError
from benchwright.live.cluster.sharded import Shares, run_shard
from benchwright.live.cluster.shards import parsed
from benchwright.live.opening import tools_here
from benchwright.prices import use_prices

UNFORESEEN = 70
"""The exit code of an error of our own."""


def say(text: str) -> None:
    """One line on stderr, which the node keeps the end of."""
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()


def main() -> int:
    """Run the shard of the order; exit codes are those of `benchwright run`."""
    order = json.loads(sys.stdin.buffer.readline())
    threading.Thread(target=_die_with_sender, daemon=True).start()
    try:
        shard = parsed(order["shard"].encode(), "the order")
        if order["prices"]:
            _use_prices(order["prices"])
        tools_here(shard.spec.packages, say)
        return 0 if run_shard(shard, Shares(**order["shares"]), say=say).in_order else 1
    except BenchwrightError as error:
        say(f"error: {error}")
        return error.exit_code
    except KeyboardInterrupt:
        return 130
    except Exception as error:  # noqa: BLE001 - 1 would say that attempts are left to be made
        say(f"error: {type(error).__name__}: {error}")
        return UNFORESEEN


def _use_prices(content: str) -> None:
    with tempfile.NamedTemporaryFile("w", prefix="benchwright-", suffix=".toml") as given:
        given.write(content)
        given.flush()
        use_prices(Path(given.name))


def _die_with_sender() -> None:
    """A part that goes on while its node counts as lost would make attempts that others make again."""
    while os.read(sys.stdin.fileno(), 1 << 16):
        continue
    os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    sys.exit(main())
