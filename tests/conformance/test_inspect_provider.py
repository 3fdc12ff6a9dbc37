"""Inspect's own conformance suite for sandboxes, over ours."""

import pytest
from inspect_ai.util._sandbox.self_check import *  # noqa: F403

from benchwright.errors import EnvironmentFault
from benchwright.live.machine import Machine
from benchwright.live.opening import close_sandboxes, open_sandbox
from benchwright.live.provider import BenchwrightRoom
from benchwright.sandbox.base import SandboxSpec
from benchwright.task import Limits

NOT_OURS = {"test_exec_as_user": "every command runs as the attempt's one user"}


@pytest.fixture
def sandbox_env(request, toolbox):
    machine = Machine(SandboxSpec(tracing="off", limits=Limits(output_kb=10 * 1024)), "auto", open_sandbox)
    try:
        machine.sandbox()
    except EnvironmentFault as error:
        pytest.skip(f"no sandbox can be started here: {error}")
    if request.node.originalname in NOT_OURS:
        request.applymarker(pytest.mark.xfail(reason=NOT_OURS[request.node.originalname]))
    yield BenchwrightRoom(machine)
    machine.close()


@pytest.fixture(scope="module", autouse=True)
def no_sandbox_is_left():
    yield
    close_sandboxes()
