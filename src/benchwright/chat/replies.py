"""What a model's reply holds: JSON objects, whatever stands around them."""

from __future__ import annotations

import json
import re
from typing import Any

MOST_CHARACTERS = 1_000_000
"""How much of a reply is read: nothing that is asked for is as long."""
_MOST_FALSE = 1_000
"""Beginnings of objects that turned out to be none, after which a reply is given up: each costs a pass over it."""
_BEGINNING = re.compile(r'\{\s*["}]')


def objects(reply: str) -> list[dict[str, Any]]:
    """The outermost JSON objects of a reply, in order; of a reply without end, those at its beginning."""
    reply = reply[:MOST_CHARACTERS]
    found: list[dict[str, Any]] = []
    decoder, place, false = json.JSONDecoder(), 0, 0
    while (begun := _BEGINNING.search(reply, place)) and false < _MOST_FALSE:
        try:
            value, place = decoder.raw_decode(reply, begun.start())
        except RecursionError:
            break  # nothing that is asked for is as deep, and there may be a million more such beginnings
        except ValueError:
            place, false = begun.start() + 1, false + 1
            continue
        found.append(value)
    return found
