"""Whose fault an error is: the agent's, the model's, the sandbox's, the scorer's, the suite's, or the settings'."""

from __future__ import annotations

import re
from collections.abc import Iterator

from benchwright.errors import BenchwrightError, Broken, EnvironmentFault, Fault, InputError

_PROVIDERS = ("inspect_ai.model._providers", "inspect_ai.model._openai", "inspect_ai.model._model_call")
_OF_INSPECT = ("ModelGenerateError", "AttemptTimeoutError", "StreamIdleTimeoutError")
_CLIENTS = ("openai", "anthropic", "google.genai", "httpx", "httpx2", "httpcore", "mistralai", "groq")
_ASKED_AMISS = (
    *(FileNotFoundError, IsADirectoryError, NotADirectoryError, PermissionError, TimeoutError),
    *(UnicodeError, ValueError, TypeError),
)
"""What a sandbox answers to an agent that asks for what is not there: the agent's own doing."""

_NO_KEY = (401,)
_NO_MONEY = (402,)
_NO_MONEY_WORDS = (
    "insufficient_quota",
    "billing_hard_limit",
    "exceeded your current quota",
    "credit balance is too low",
)
_NO_MODEL = re.compile(
    r"model.{0,120}(not found|not_found|does not exist|doesn't exist|unknown|no such|not a valid|invalid|not supported)"
    r"|(unknown|no such|invalid|not a valid) model|model_not_found",
    re.IGNORECASE | re.DOTALL,
)
_SAID = 500


def causes(error: BaseException) -> Iterator[BaseException]:
    """An error and what it says it came from, the outermost first; members of a group too."""
    seen: set[int] = set()
    due: list[BaseException | None] = [error]
    while due:
        part = due.pop(0)
        if part is None or id(part) in seen:
            continue
        seen.add(id(part))
        yield part
        if isinstance(part, BaseExceptionGroup):
            due.extend(part.exceptions)
        due.append(part.__cause__)


def told_by(error: BaseException) -> BaseException:
    """The error that says what happened: that of the last try, where calls were tried again."""
    tried_again = type(error).__name__ == "RetryError" and error.__cause__ is not None
    return error.__cause__ if tried_again and error.__cause__ else error


def fault_of(error: BaseException) -> Fault:
    """Whose fault an error in an attempt is: what it says itself; else where it was raised, the innermost call first.

    An error that a tool of the agent raises is the agent's, though Inspect's model code called the tool; one that comes
    out of a call of a model is the model's, though an agent's tool made the call.
    """
    for part in causes(error):
        if (said := _said(part)) is not None:
            return said
    found = [fault for part in causes(error) if (fault := _by_place(part)) is not None]
    return next((fault for fault in found if fault is not Fault.AGENT), Fault.AGENT)


def _said(error: BaseException) -> Fault | None:
    if isinstance(error, Broken):
        return error.fault
    if isinstance(error, EnvironmentFault):
        return Fault.SANDBOX
    if isinstance(error, InputError):
        return Fault.SUITE
    return Fault.MODEL if _raised_by_inspect(error) else None


def _raised_by_inspect(error: BaseException) -> bool:
    """What Inspect raises itself where a model refuses, or does not answer in time; the classes are not public."""
    kind = type(error)
    return kind.__module__.startswith("inspect_ai.model") and kind.__name__ in _OF_INSPECT


def _by_place(error: BaseException) -> Fault | None:
    """The room in which an error was raised; None where no room of ours or of Inspect's had a part in it."""
    for module in reversed(list(_modules(error))):
        if _of_model(module):
            return Fault.MODEL
        if module.startswith(("inspect_ai.model._call_tools", "inspect_ai.tool", "inspect_ai.agent")):
            return Fault.AGENT
        if module.startswith(("benchwright.sandbox", "benchwright.live.machine", "benchwright.live.provider")):
            return Fault.AGENT if isinstance(error, _ASKED_AMISS) else Fault.SANDBOX
        if module.startswith(("benchwright.scoring", "benchwright.scorers")):
            return Fault.SCORER
        if module.startswith(("benchwright.suite", "benchwright.gold")):
            return Fault.SUITE
    return None


def _of_model(module: str) -> bool:
    """Whether code speaks to a model: our guard that stands around each, a provider of Inspect's, a client."""
    if module == "benchwright.live.guard" or module.startswith(_PROVIDERS):
        return True
    return any(module == client or module.startswith(f"{client}.") for client in _CLIENTS)


def _modules(error: BaseException) -> Iterator[str]:
    trace = error.__traceback__
    while trace is not None:
        yield trace.tb_frame.f_globals.get("__name__", "")
        trace = trace.tb_next


def settings_at_fault(error: BaseException, model: str, *, answered: bool) -> BenchwrightError | None:
    """What is wrong with the settings, where a model's refusal says so: no attempt with them can succeed.

    `answered` is whether the model has answered in this sitting: then its name and address are right, and a refusal is
    its own affair. A key may be refused at any time. None: the settings are not to blame.
    """
    status, said = status_of(error), "; ".join(dict.fromkeys(str(part) for part in causes(error)))
    found = f"{f'HTTP {status}: ' if status else ''}{said[-_SAID:]}"
    if status in _NO_KEY or (status == 403 and not answered):
        hint = "put a valid key into the environment; what is done is kept, and the same command goes on"
        return EnvironmentFault(f"the key for model {model} is refused", found=found, hint=hint)
    if status in _NO_MONEY or any(word in said.lower() for word in _NO_MONEY_WORDS):
        hint = "what is done is kept, and the same command goes on"
        return EnvironmentFault(f"the account behind model {model} has nothing left", found=found, hint=hint)
    if not answered and (status == 404 or (status in (400, 422) and _NO_MODEL.search(said) is not None)):
        return InputError(
            f"there is no model {model}",
            found=found,
            expected="a name that the server knows, at the address that the environment gives",
        )
    return None


def status_of(error: BaseException) -> int | None:
    """HTTP's status in an error, or in what it came from; None where there is none."""
    for part in causes(error):
        for name in ("status_code", "code", "status"):
            value = getattr(part, name, None)
            if isinstance(value, int) and 400 <= value < 600:
                return value
    return None
