"""Keys and passwords are never written: which settings are secret, and how texts are cleared of them."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

HIDDEN = "[secret]"
"""What stands where a secret stood."""

_SHORTEST = 8
"""Characters below which a value is too common a word to be taken out of every text."""

_PASSPHRASE = 12
"""Characters from which a plain word may be a secret."""

_ALWAYS = frozenset("secret password passwd passphrase pwd credential credentials authorization apikey cookie".split())
_FOLDERS = ("PWD", "OLDPWD")
_LAST = frozenset("key keys token auth pat jwt bearer sas signature".split())
_TOKENS_OF = frozenset("access api auth bearer refresh session".split())
_PLAIN = frozenset(("", "true", "false", "none", "null"))
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_LOOKS_SECRET = re.compile(
    r"://[^/@\s]*:[^/@\s]+@"  # an address with a password in it
    r"|\bbearer\s+\S{8,}"
    r"|\b(sk|pk|rk)-[\w-]{16,}|\bAIza[\w-]{30,}|\bgh[pousr]_\w{20,}|\bhf_\w{20,}|\bxox[abprs]-\S{10,}"
    r"|\bAKIA[A-Z0-9]{16}|-----BEGIN [A-Z ]*PRIVATE KEY",
    re.IGNORECASE,
)
_GIVEN: set[str] = set()
"""Secrets that came by another way than the environment, for as long as this process lives."""


@lru_cache(maxsize=4096)
def is_secret_name(name: str) -> bool:
    """Whether a setting or variable of this name is secret: `api_key`, `HF_TOKEN`, `dbPassword`; not `max_tokens`."""
    words = [word.lower() for word in _WORD.findall(name)]
    if not words or name in _FOLDERS:
        return False
    if words[-1] == "tokens":
        return len(words) > 1 and words[-2] in _TOKENS_OF
    return bool(_ALWAYS.intersection(words)) or words[-1] in _LAST


def is_secret(name: str, value: object) -> bool:
    """Whether a setting is secret: by its name, by what it looks like, or because the environment holds it as one."""
    if isinstance(value, bool | int | float) or str(value).strip().lower() in _PLAIN:
        return False
    text = str(value)
    looks = _LOOKS_SECRET.search(text) is not None
    return is_secret_name(name) or looks or text in _variables() or cleared(text) != text


def keep_from_writing(values: Iterable[object]) -> None:
    """From now on take these values, and the keys inside them, out of everything that is cleared."""
    for text in map(str, values):
        inside = (match.group().split()[-1].strip("\"',}") for match in _LOOKS_SECRET.finditer(text))
        _GIVEN.update(part for part in (text, *inside) if len(part) >= _SHORTEST)


def cleared(text: str) -> str:
    """A text without any secret of this process: values of secret variables, and those given by hand."""
    return _without(_long(), text)


def cleared_values(value: Any) -> Any:
    """JSON values without any secret in their texts. The secrets are looked up once, however many the texts are."""
    return _values_without(_long(), value)


def _without(secrets: Sequence[str], text: str) -> str:
    for secret in secrets:
        if secret in text:
            text = text.replace(secret, HIDDEN)
    return text


def _values_without(secrets: Sequence[str], value: Any) -> Any:
    if isinstance(value, str):
        return _without(secrets, value)
    if isinstance(value, Mapping):
        return {_without(secrets, str(name)): _values_without(secrets, item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_values_without(secrets, item) for item in value]
    return value


def hidden_settings(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Settings as they may be written."""
    return {name: HIDDEN if is_secret(name, value) else value for name, value in settings.items()}


def _variables() -> set[str]:
    named = (os.environ.get(name, "") for name in os.environ if is_secret_name(name))  # decodes few of the values
    return {value for value in named if not _is_common(value)}


def _is_common(value: str) -> bool:
    """Whether a value tells nobody anything, whatever it is called: a short plain word, or a file or folder here.

    Agents write such words for good reasons (`/workspace`, which is also the value of `PWD` in many containers): taken
    out of what a model says, they would change what is run and handed in.
    """
    word = value.isalpha() and value.islower() and len(value) < _PASSPHRASE
    return value.lower() in _PLAIN or word or (value.startswith("/") and os.path.exists(value))


def _long() -> list[str]:
    """The secrets that are taken out of texts, longest first: one may hold another."""
    return sorted((value for value in _variables() | _GIVEN if len(value) >= _SHORTEST), key=len, reverse=True)
