"""How a program is started as an agent: its command, its settings, and where it tells what it did."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

WORKSPACE: Final = "/workspace"
PLACE: Final = "/tmp/agent"  # noqa: S108 - inside the sandbox, where nothing is collected
PROMPT: Final = f"{PLACE}/prompt.txt"
STDOUT: Final = f"{PLACE}/stdout.txt"
STDERR: Final = f"{STDOUT}.err"
HOME: Final = f"{PLACE}/home"
RESULT: Final = "result.txt"
"""The file of the workspace in which a program may leave the answer, where the suite names no other."""

NO_KEY: Final = "none-is-needed"
"""What a program is given for a key: the bridge asks for none."""

_NAME: Final = re.compile(r"[^A-Za-z0-9._-]+")


@dataclass(frozen=True, slots=True)
class Harness:
    """A program as an agent. The texts of `argv`, `environment` and `files` may hold places (see `Places`).

    `files` are settings by their path inside; `folders` are host folders that show read-only. `log` is the file inside
    that tells what the program did, `log_format` the importer that reads it (empty: none does). `task_on_stdin`: the
    program reads the task there. `prints_answer`: without an importer, its output is its last words.
    """

    name: str
    version: str
    argv: tuple[str, ...]
    environment: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    folders: tuple[Path, ...] = ()
    log: str = STDOUT
    log_format: str = ""
    task_on_stdin: bool = False
    prints_answer: bool = False


@dataclass(frozen=True, slots=True)
class Places:
    """What stands in the places of a harness: {prompt}, {prompt_file}, {workspace}, {model_base_url} and {model}.

    The address ends without /v1; `model` is the model's name as programs of its maker spell it.
    """

    prompt: str
    model_base_url: str
    model: str

    def fill(self, text: str) -> str:
        """A text with its places filled, once: what is put in is not looked at again."""
        values = {
            "{prompt}": self.prompt,
            "{prompt_file}": PROMPT,
            "{workspace}": WORKSPACE,
            "{model_base_url}": self.model_base_url,
            "{model}": self.model,
        }
        return _PLACE.sub(lambda match: values[match.group()], text)


_PLACE: Final = re.compile(r"\{(?:prompt|prompt_file|workspace|model_base_url|model)\}")


def model_name(inspects: str) -> str:
    """The model's own name, of Inspect's `provider/.../name`; programs put it into files and command lines."""
    return _NAME.sub("-", inspects.rpartition("/")[2]).strip("-.") or "model"


def claude_code(root: Path, node: Path, version: str) -> Harness:
    """Claude Code, not asking for anything, with its telemetry and its other traffic off."""
    return Harness(
        name="claude_code",
        version=version,
        argv=(
            *(str(node), str(root / "node_modules/@anthropic-ai/claude-code/cli.js")),
            *("-p", "--output-format", "stream-json", "--verbose"),
            *("--model", "{model}", "--dangerously-skip-permissions"),
        ),
        environment={
            "ANTHROPIC_BASE_URL": "{model_base_url}",
            "ANTHROPIC_API_KEY": NO_KEY,
            "ANTHROPIC_SMALL_FAST_MODEL": "{model}",
            "API_TIMEOUT_MS": "3600000",
            "CLAUDE_CONFIG_DIR": f"{PLACE}/claude",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_AUTOUPDATER": "1",
            "DISABLE_TELEMETRY": "1",
            "DISABLE_ERROR_REPORTING": "1",
        },
        log_format="claude_code",
        task_on_stdin=True,
    )


_CODEX_SETTINGS: Final = """\
model = "{model}"
model_provider = "benchwright"
approval_policy = "never"
sandbox_mode = "danger-full-access"
web_search = "disabled"
check_for_update_on_startup = false

[analytics]
enabled = false

[history]
persistence = "none"

[model_providers.benchwright]
name = "benchwright"
base_url = "{model_base_url}/v1"
wire_api = "responses"
env_key = "BENCHWRIGHT_NO_KEY"
request_max_retries = 0
stream_max_retries = 0
stream_idle_timeout_ms = 3600000
"""


def codex(program: Path, version: str) -> Harness:
    """Codex; its own sandbox is off, for it stands in ours."""
    return Harness(
        name="codex",
        version=version,
        argv=(
            str(program),
            "exec",
            "--json",
            "--skip-git-repo-check",
            "--dangerously-bypass-approvals-and-sandbox",
            "-",
        ),
        environment={"CODEX_HOME": f"{PLACE}/codex", "BENCHWRIGHT_NO_KEY": NO_KEY},
        files={f"{PLACE}/codex/config.toml": _CODEX_SETTINGS},
        log_format="codex",
        task_on_stdin=True,
    )


def mini_swe_agent(root: Path, version: str) -> Harness:
    """mini-swe-agent with its own prompts; its limit of cost is off, for ours hold.

    Its own Python is isolated: what it installs on the way is for the programs that it writes.
    """
    settings = (
        *("mini.yaml", "model.cost_tracking=ignore_errors", "model.model_kwargs.api_base={model_base_url}/v1"),
        "environment.timeout=120",
    )
    return Harness(
        name="mini_swe_agent",
        version=version,
        argv=(
            *(str(root / "bin" / "python"), "-I", "-m", "minisweagent.run.mini"),
            *("--yolo", "--exit-immediately", "--agent-class", "default", "--cost-limit", "0"),
            *("--model", "openai/{model}", "--output", f"{PLACE}/trajectory.json"),
            *(word for setting in settings for word in ("--config", setting)),
            *("--task", "{prompt}"),
        ),
        environment={
            "OPENAI_API_KEY": NO_KEY,
            "MSWEA_CONFIGURED": "true",
            "MSWEA_SILENT_STARTUP": "1",
            "MSWEA_GLOBAL_CONFIG_DIR": f"{PLACE}/mini",
            "LITELLM_LOCAL_MODEL_COST_MAP": "True",
        },
        log=f"{PLACE}/trajectory.json",
        log_format="mini_swe_agent",
    )


def openhands(root: Path, version: str) -> Harness:
    """OpenHands' command line without its screen."""
    return Harness(
        name="openhands",
        version=version,
        argv=(
            str(root / "bin" / "python"),
            "-I",
            str(root / "bin" / "openhands"),
            "--headless",
            "--json",
            "--override-with-envs",
            "--file",
            "{prompt_file}",
        ),
        environment={
            "LLM_MODEL": "openai/{model}",
            "LLM_BASE_URL": "{model_base_url}/v1",
            "LLM_API_KEY": NO_KEY,
            "LITELLM_LOCAL_MODEL_COST_MAP": "True",
            "OPENHANDS_SUPPRESS_BANNER": "1",
        },
        log_format="openhands",
    )
