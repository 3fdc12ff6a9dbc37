"""The models of a run, by Inspect's names."""

from __future__ import annotations

import contextlib
import io
import re
from collections.abc import Iterator
from typing import Any

from inspect_ai.model import GenerateConfig, Model, get_model

from benchwright.errors import BenchwrightError, EnvironmentFault, InputError
from benchwright.run import Cell, RunSpec

RETRIES = 8
"""How often a call is tried again before the model counts as broken: with waits that double, some ten minutes. Inspect
would try for ever, and a run whose server is down would hang."""

_NO_PROVIDER = ("Model API ", "Model name ")
"""How Inspect's message begins where it knows no provider of that name; it has no error type of its own."""

_MARKUP = re.compile(r"\[/?[a-z ]+\]")
"""Rich's markup in Inspect's messages."""


def model_of(cell: Cell, spec: RunSpec) -> Model:
    """The model of a cell; Inspect's model that refuses to speak, for agents without one.

    Raises InputError where Inspect knows no such provider, EnvironmentFault where the provider is not installed, has no
    key, or does not know the name.
    """
    if not cell.model:
        return get_model("none/none")
    return model_named(cell.model, GenerateConfig.model_validate(cell.generation), **spec.model_args)


def model_named(name: str, settings: GenerateConfig, **arguments: Any) -> Model:
    """A model by Inspect's name, with the same errors as `model_of`."""
    try:
        return get_model(name, config=GenerateConfig(max_retries=RETRIES).merge(settings), **arguments)
    except BenchwrightError:
        raise
    except Exception as error:  # each provider fails in its own way
        kind = InputError if isinstance(error, ValueError) and str(error).startswith(_NO_PROVIDER) else EnvironmentFault
        raise kind(
            f"model {name} cannot be used",
            found=_MARKUP.sub("", str(error)).strip(),
            expected="a model by Inspect's name, with its key in the environment",
        ) from error


@contextlib.contextmanager
def quiet_stdout() -> Iterator[None]:
    """Inspect reports to stdout, which is for our results."""
    with contextlib.redirect_stdout(io.StringIO()):
        yield
