"""Values of foreign JSON, taken for what they should be: a wrong kind is as good as absent, and nothing raises."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from benchwright.trajectory import Usage

_MOST_TOKENS = 10**15
_MOST_DOLLARS = 1e9
_MILLISECONDS = 1e11
"""Numbers of time from here on are milliseconds: as seconds they would be the year 5138."""
_SURROGATES = re.compile("[\ud800-\udfff]")
_EMPTY: Mapping[str, Any] = {}


def text(value: object) -> str:
    """Text, or nothing; half characters, which no file can hold, are replaced."""
    return _SURROGATES.sub("\ufffd", value) if isinstance(value, str) else ""


def identity(value: object) -> str:
    """The id that a record gives itself, as a text or a whole number; nothing for anything else."""
    return str(value) if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**63 else text(value)


def mapping(value: object) -> Mapping[str, Any]:
    """An object, or an empty one."""
    return value if isinstance(value, dict) else _EMPTY


def items(value: object) -> list[Any]:
    """An array, or an empty one."""
    return value if isinstance(value, list) else []


def tokens(value: object) -> int:
    """A count of tokens; 0 for anything that is none."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return 0
    return int(value) if 0 <= value <= _MOST_TOKENS else 0


def whole(value: object) -> int | None:
    """A whole number such as an exit code; None for anything else."""
    return value if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**31 else None


def dollars(value: object) -> float | None:
    """An amount of money; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return float(value) if 0 <= value <= _MOST_DOLLARS else None


def moment(value: object) -> float | None:
    """Seconds since the epoch, from a number or an ISO 8601 text; a time without a zone is taken for UTC."""
    if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value) and value > 0:
        return float(value) / (1000.0 if value > _MILLISECONDS else 1.0)
    try:
        found = datetime.fromisoformat(text(value))
        return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return None


def seconds(value: object, per_second: int = 1) -> float | None:
    """A length of time; None for anything else, and for more than a year."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return float(value) / per_second if 0 <= value / per_second < 3.2e7 else None


def parsed(value: object) -> Any:
    """What a text of JSON says, or the value itself; None where the text is no JSON."""
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return None


def shown(value: object) -> str:
    """A value as text: text as it is, anything else as JSON."""
    if isinstance(value, str):
        return text(value)
    if value is None:
        return ""
    try:
        return text(json.dumps(value, ensure_ascii=False, sort_keys=True))
    except (ValueError, RecursionError, TypeError):
        return ""


def joined(value: object) -> str:
    """The text of a message's content: a text, or blocks of which those with text count."""
    if isinstance(value, str):
        return text(value)
    if isinstance(value, dict):
        return joined(value.get("content", value.get("text")))
    blocks = (block if isinstance(block, str) else mapping(block).get("text") for block in items(value))
    return "\n".join(part for block in blocks if (part := text(block)))


def anthropic_usage(told: Mapping[str, Any]) -> Usage:
    """Usage as Anthropic's interface tells it, where what a cache gave or took is no part of the input."""
    apart = mapping(told.get("cache_creation"))
    short, long = (tokens(apart.get(f"ephemeral_{kept}_input_tokens")) for kept in ("5m", "1h"))
    written = tokens(told["cache_creation_input_tokens"]) if "cache_creation_input_tokens" in told else short + long
    return Usage(
        input_tokens=tokens(told.get("input_tokens")),
        output_tokens=tokens(told.get("output_tokens")),
        cache_read_tokens=tokens(told.get("cache_read_input_tokens")),
        cache_write_tokens=written,
        cache_write_long_tokens=min(long, written) if short else written if long else 0,
    )


def openai_usage(value: object) -> Usage | None:
    """Usage as OpenAI's interfaces tell it, where what came from a cache is part of the input; None: not told."""
    told = mapping(value)
    if "prompt_tokens" not in told and ("cache_read_input_tokens" in told or "cache_creation_input_tokens" in told):
        return anthropic_usage(told)
    prompt = tokens(told.get("prompt_tokens", told.get("input_tokens")))
    output = tokens(told.get("completion_tokens", told.get("output_tokens")))
    if not prompt and not output:
        return None
    inside = mapping(told.get("prompt_tokens_details") or told.get("input_tokens_details"))
    outside = mapping(told.get("completion_tokens_details") or told.get("output_tokens_details"))
    read = tokens(
        inside.get("cached_tokens")
        or told.get("cache_read_input_tokens")
        or told.get("cached_input_tokens")
        or told.get("prompt_cache_hit_tokens")
    )
    write = tokens(
        told.get("cache_creation_input_tokens")
        or told.get("cache_write_input_tokens")
        or inside.get("cache_creation_tokens")
        or inside.get("cache_write_tokens")
    )
    return Usage(
        input_tokens=max(0, prompt - read - write),
        output_tokens=output,
        cache_read_tokens=min(read, prompt),
        cache_write_tokens=min(write, max(0, prompt - read)),
        reasoning_tokens=tokens(outside.get("reasoning_tokens") or told.get("reasoning_output_tokens")),
    )
