"""Transcripts that a killed sitting left half-written are made whole from Inspect's crash buffer."""

from __future__ import annotations

import os
from pathlib import Path

from inspect_ai.log import RecoveryNotAvailable, read_eval_log, recover_eval_log

from benchwright.run import RunFolder


def recover_transcripts(folder: RunFolder) -> int:
    """Finish the logs of a sitting that did not end by itself; returns how many. Whatever cannot be read stays.

    Which attempts are done does not depend on it: that is in the journal.
    """
    if not _cut_short(folder):
        return 0
    return sum(_recover(log) for log in sorted(folder.logs.glob("*.eval")))


def _cut_short(folder: RunFolder) -> bool:
    last = ""
    for event in folder.events("session", "end"):
        last = event["event"]
    return last == "session"


def _recover(log: Path) -> bool:
    whole = log.with_name(f".{log.stem}.partial.eval")
    try:
        if read_eval_log(str(log), header_only=True).status != "started":
            return False
        recover_eval_log(str(log), output=str(whole))
    except (RecoveryNotAvailable, ValueError, OSError):
        # Killed before anything was written: there is nothing to make whole.
        whole.unlink(missing_ok=True)
        return False
    os.replace(whole, log)
    return True
