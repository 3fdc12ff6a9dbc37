"""Our sandbox as Inspect sees it: any Inspect agent and tool can work in it."""

from __future__ import annotations

from typing import Any, Literal, overload

from inspect_ai.util import (
    ExecResult,
    OutputLimitExceededError,
    SandboxEnvironment,
    SandboxEnvironmentConfigType,
    SandboxEnvironmentLimits,
    SandboxUserUnsupportedError,
    sandboxenv,
)

from benchwright.live.machine import Machine, MachineConfig, in_thread, machine_spec
from benchwright.live.opening import clear_leftovers, open_sandbox, toolbox_here
from benchwright.live.suites import suite_at
from benchwright.sandbox.base import Exec

NAME = "benchwright_room"
"""Names of sandboxes are global in Inspect, so ours is an unlikely one."""

_NOT_EXECUTABLE = 126


@sandboxenv(name=NAME)
class BenchwrightRoom(SandboxEnvironment):
    """The sandbox of one attempt. Agents of ours reach the machine itself by `sandbox().as_type(BenchwrightRoom)`."""

    def __init__(self, machine: Machine) -> None:
        super().__init__()
        self.machine = machine

    @classmethod
    def default_concurrency(cls) -> int | None:
        """No limit of Inspect's: the run has its own, and ours start when they are used."""
        return None

    @classmethod
    def config_deserialize(cls, config: dict[str, Any]) -> MachineConfig:
        """The configuration from a log."""
        return MachineConfig.model_validate(config)

    @classmethod
    async def task_init(cls, task_name: str, config: SandboxEnvironmentConfigType | None) -> None:
        """Build the toolbox before the first attempt's clock runs."""
        await in_thread(toolbox_here)

    @classmethod
    async def sample_init(
        cls, task_name: str, config: SandboxEnvironmentConfigType | None, metadata: dict[str, str]
    ) -> dict[str, SandboxEnvironment]:
        """One sandbox an attempt, not started yet."""
        if not isinstance(config, MachineConfig):
            raise TypeError(f"the sandbox {NAME} is configured per task; got {config!r}")
        spec = machine_spec(suite_at(config.suite), config)
        return {"default": cls(Machine(spec, config.choice, open_sandbox))}

    @classmethod
    async def sample_cleanup(
        cls,
        task_name: str,
        config: SandboxEnvironmentConfigType | None,
        environments: dict[str, SandboxEnvironment],
        interrupted: bool,
    ) -> None:
        """End every process, mount and folder of the attempt."""
        for environment in environments.values():
            await in_thread(environment.as_type(cls).machine.close)

    @classmethod
    async def cli_cleanup(cls, id: str | None) -> None:
        """Clear away what killed runs have left (`inspect sandbox cleanup`)."""
        await in_thread(clear_leftovers)

    async def exec(  # noqa: PLR0913, PLR0917 - Inspect counts these parameters
        self,
        cmd: list[str],
        input: str | bytes | None = None,
        cwd: str | None = None,
        env: dict[str, str] | None = None,
        user: str | None = None,
        timeout: int | None = None,  # noqa: ASYNC109 - Inspect's
        timeout_retry: bool = True,
        concurrency: bool = True,
    ) -> ExecResult[str]:
        """Run one program. No command runs as another user, so Inspect's probe for root ends here, unstarted."""
        if user is not None:
            raise SandboxUserUnsupportedError(f"commands run as the attempt's one user, not as {user!r}")
        outcome = await self.machine.run(
            Exec(
                argv=tuple(cmd),
                input=input.encode() if isinstance(input, str) else input or b"",
                cwd=_inside(cwd),
                environment=env or {},
                seconds=timeout,
            )
        )
        if outcome.limit == "step":
            raise TimeoutError(f"time limit of {timeout or self.machine.spec.limits.step_seconds} seconds")
        if outcome.exit_code == _NOT_EXECUTABLE and b"ermission denied" in outcome.stderr:
            raise PermissionError(f"{cmd[0]} may not be run")
        return ExecResult(
            success=outcome.exit_code == 0,
            returncode=outcome.exit_code,
            stdout=outcome.stdout.decode(errors="replace"),
            stderr=outcome.stderr.decode(errors="replace"),
        )

    async def write_file(self, file: str, contents: str | bytes) -> None:
        """Write a file of the workspace."""
        data = contents.encode() if isinstance(contents, str) else contents
        await in_thread(lambda: self.machine.sandbox().write(_inside(file), data))

    @overload
    async def read_file(self, file: str, text: Literal[True] = True) -> str: ...

    @overload
    async def read_file(self, file: str, text: Literal[False]) -> bytes: ...

    async def read_file(self, file: str, text: bool = True) -> str | bytes:
        """Read a file; text must be UTF-8."""
        data = await in_thread(lambda: self.machine.sandbox().read(_inside(file)))
        if len(data) > SandboxEnvironmentLimits.MAX_READ_FILE_SIZE:
            raise OutputLimitExceededError(SandboxEnvironmentLimits.MAX_READ_FILE_SIZE_STR, truncated_output=None)
        return data.decode() if text else data


def _inside(path: str | None) -> str:
    """A path inside; relative ones start at the workspace."""
    if path is None:
        return "/workspace"
    return path if path.startswith("/") else f"/workspace/{path}"
