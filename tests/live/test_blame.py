import pytest
from inspect_ai.model import ModelOutput, execute_tools
from inspect_ai.tool import tool

from benchwright.errors import Broken, EnvironmentFault, Fault, InputError
from benchwright.live.agents.oracle import complaint
from benchwright.live.blame import fault_of, settings_at_fault


def caught(work, *arguments) -> Exception:
    with pytest.raises(Exception) as raised:
        work(*arguments)
    return raised.value


def test_errors_that_say_whose_they_are_are_believed_however_deep():
    assert fault_of(Broken(Fault.SCORER, "x")) is Fault.SCORER
    assert fault_of(EnvironmentFault("x")) is Fault.SANDBOX
    assert fault_of(InputError("x")) is Fault.SUITE
    wrapped = RuntimeError("the agent's own words")
    wrapped.__cause__ = Broken(Fault.MODEL, "no reply")
    assert fault_of(wrapped) is Fault.MODEL
    assert fault_of(ExceptionGroup("both", [ValueError("mine"), wrapped])) is Fault.MODEL
    assert fault_of(ZeroDivisionError("mine")) is Fault.AGENT


@tool
def breaks():
    async def execute() -> str:
        """Break."""
        raise ZeroDivisionError("in the agent's own tool")

    return execute


async def test_an_error_of_an_agents_own_tool_is_the_agents_though_inspect_called_it():
    output = ModelOutput.for_tool_call("m", "breaks", {})
    with pytest.raises(ZeroDivisionError, match="in the agent's own tool") as raised:
        await execute_tools([output.message], [breaks()])
    modules = []
    trace = raised.value.__traceback__
    while trace is not None:
        modules.append(trace.tb_frame.f_globals.get("__name__", ""))
        trace = trace.tb_next
    assert any(name.startswith("inspect_ai.model") for name in modules)  # which is what used to be looked at
    assert fault_of(raised.value) is Fault.AGENT


class Refusal(Exception):
    def __init__(self, status, text):
        super().__init__(text)
        self.status_code = status


@pytest.mark.parametrize(
    ("status", "text", "before", "after"),
    [
        (401, "bad key", EnvironmentFault, EnvironmentFault),
        (402, "pay first", EnvironmentFault, EnvironmentFault),
        (429, "insufficient_quota", EnvironmentFault, EnvironmentFault),
        (403, "not this model", EnvironmentFault, type(None)),
        (404, "page not found", InputError, type(None)),
        (400, "model x does not exist", InputError, type(None)),
        (400, "Unknown model: x", InputError, type(None)),
        (400, "temperature must be at most 2", type(None), type(None)),
        (429, "slow down", type(None), type(None)),
        (500, "model x not found in the cache", type(None), type(None)),
        (503, "overloaded", type(None), type(None)),
    ],
)
def test_a_refusal_is_the_settings_fault_only_where_no_attempt_can_succeed(status, text, before, after):
    refusal = Refusal(status, text)
    assert type(settings_at_fault(refusal, "p/x", answered=False)) is before
    assert type(settings_at_fault(refusal, "p/x", answered=True)) is after


@pytest.mark.parametrize(
    ("stderr", "said"),
    [
        (b"Traceback\nKeyError: 'canary'", "exit code 1, KeyError"),
        (b"Traceback\nAssertionError: expected canary", "exit code 1, AssertionError"),
        (b"canary: no such file", "exit code 1"),
        (b"CanaryError: canary", "exit code 1"),
        (b"print: canary", "exit code 1"),
        (b"\xff\xfe", "exit code 1"),
        (b"", "exit code 1"),
    ],
)
def test_how_a_reference_solution_failed_is_told_without_its_own_words(stderr, said):
    assert complaint(1, stderr) == said
