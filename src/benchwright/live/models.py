"""The models of a run, by Inspect's names."""

from __future__ import annotations

import contextlib
import io
import re
from collections.abc import Iterator
from typing import Any

from inspect_ai.model import GenerateConfig, Model, get_model

from benchwright.errors import BenchwrightError, EnvironmentFault, InputError
from benchwright.live.guard import guarded
from benchwright.live.usage import tell_prices
from benchwright.run import Cell, RunSpec
from benchwright.run.secrecy import HIDDEN, cleared, hidden_settings, is_secret, keep_from_writing

RETRIES = 8
"""How often a call is tried again before the model counts as broken: with waits that double, some ten minutes. Inspect
would try for ever, and a run whose server is down would hang."""

ATTEMPT_SECONDS = 600
"""How long one call may take: a server that hangs would else hold an attempt up to its time limit."""

CALL_SECONDS = 1200
"""After how long a call is not tried again, which leaves the usual time limit of an attempt unused."""

_NO_PROVIDER = ("Model API ", "Model name ")
"""How Inspect's message begins where it knows no provider of that name; it has no error type of its own."""

_MARKUP = re.compile(r"\[/?[a-z ]+\]")
"""Rich's markup in Inspect's messages."""


_PACKAGES = re.compile(
    r"requires (?:optional dependencies\.\s+Install with:\s+pip install (.+)|at least version \S+ of package (\S+))"
)
"""Inspect's message about a provider whose package is missing or too old."""

_EXTRAS = {"google": "google"}
"""Extras of ours with a provider's package; those of OpenAI and Anthropic are always there."""


def model_of(cell: Cell, spec: RunSpec) -> Model:
    """The model of a cell; Inspect's model that refuses to speak, for agents without one.

    Raises InputError where Inspect knows no such provider or its package is not installed, EnvironmentFault where the
    provider has no key, or does not know the name.
    """
    if not cell.model:
        return get_model("none/none")
    return model_named(cell.model, GenerateConfig.model_validate(cell.generation), **_arguments(spec))


def roles_of(spec: RunSpec) -> dict[str, str | Model]:
    """The models of a run's roles; errors as in `model_of`."""
    return {role: model_named(name, GenerateConfig()) for role, name in spec.model_roles.items()}


def model_named(name: str, settings: GenerateConfig, /, **arguments: Any) -> Model:
    """A model by Inspect's name, with the same errors as `model_of`; its calls are guarded, and its price is known."""
    bounds = GenerateConfig(max_retries=RETRIES, attempt_timeout=ATTEMPT_SECONDS, timeout=CALL_SECONDS)
    try:
        model = get_model(name, config=bounds.merge(settings), **arguments)
    except BenchwrightError:
        raise
    except Exception as error:  # each provider fails in its own way
        _refuse_missing(name, error)
        kind = InputError if isinstance(error, ValueError) and str(error).startswith(_NO_PROVIDER) else EnvironmentFault
        raise kind(
            f"model {name} cannot be used",
            found=cleared(_MARKUP.sub("", str(error)).strip()),
            expected="a model by Inspect's name, with its key in the environment",
            hint="e.g. openai/NAME with OPENAI_API_KEY; docs/running.md tells of servers of one's own",
        ) from error
    _refuse_secret_address(model)
    model.model_args = hidden_settings(model.model_args)  # which Inspect writes into its logs
    tell_prices((str(model),))
    return guarded(model)


def _refuse_missing(name: str, error: Exception) -> None:
    """Say how to get a provider's package, where that is what Inspect asks for."""
    provider = name.partition("/")[0]
    wanted = _PACKAGES.search(_MARKUP.sub("", str(error)))
    if wanted is not None:
        package = wanted[1] or wanted[2]
        extra = f"benchwright[{_EXTRAS[provider]}]" if provider in _EXTRAS else package
        raise InputError(
            f"model {name} needs the package {package}",
            found="it is not installed" if wanted[1] else f"the version here is too old: it {wanted[0]}",
            hint=f"pip install '{extra}'",
        ) from error


def _arguments(spec: RunSpec) -> dict[str, Any]:
    """The models' arguments with the secret ones, which are in no record."""
    hidden = {name for name, value in spec.model_args.items() if value == HIDDEN}
    missing = sorted(hidden - set(spec.secret_args))
    if missing:
        raise InputError(
            f"model argument {missing[0]} is secret, and so was not written down",
            hint=f"give it again: -M {missing[0]}=...",
        )
    keep_from_writing(spec.secret_args.values())
    return {**spec.model_args, **spec.secret_args}


def _refuse_secret_address(model: Model) -> None:
    """Inspect writes the address of a model into its logs."""
    address = getattr(model.api, "base_url", None)
    if address and is_secret("address", address):
        raise InputError(
            f"the address of model {model} holds a password or a key, and would be written into logs",
            hint="give the key by the provider's variable, such as OPENAI_API_KEY",
        )


@contextlib.contextmanager
def quiet_stdout() -> Iterator[None]:
    """Inspect reports to stdout, which is for our results."""
    with contextlib.redirect_stdout(io.StringIO()):
        yield
