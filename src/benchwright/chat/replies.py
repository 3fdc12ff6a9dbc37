"""What a model's reply holds: JSON objects, whatever stands around them."""

from __future__ import annotations

import json
from typing import Any


def objects(reply: str) -> list[dict[str, Any]]:
    """The outermost JSON objects of a reply, in order."""
    found: list[dict[str, Any]] = []
    decoder, place = json.JSONDecoder(), 0
    while (place := reply.find("{", place)) >= 0:
        try:
            value, end = decoder.raw_decode(reply, place)
        except (ValueError, RecursionError):
            place += 1
            continue
        if isinstance(value, dict):
            found.append(value)
        place = end
    return found
