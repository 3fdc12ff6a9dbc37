"""The agents `single_code` and `multi_code`: one reply of a model, its code run once, an answer handed in."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from inspect_ai.agent import Agent, AgentState, agent
from inspect_ai.model import ChatMessageUser, GenerateConfig, ModelOutput, ResponseSchema, get_model
from inspect_ai.util import JSONSchema

from benchwright.live.agents.settings import last_call
from benchwright.live.agents.snippets.context import DataFile, Preset, described, file_of
from benchwright.live.agents.snippets.replies import NoCode, Snippet, read_single, read_steps
from benchwright.live.agents.snippets.running import MOST_OUTPUT, ErrorClass, Ran, run_snippets
from benchwright.live.attempt import LimitReached, Live, live
from benchwright.live.machine import in_thread
from benchwright.live.prompts import Prompts

RECORD = "response.json"
"""What is handed in beside the answer: what analysis, and a judge, need to know of how it came about."""

_CUT_OFF = ("max_tokens", "model_length")
_NOTHING = "(nothing was printed)"
_SCHEMA_WORDS = ("response_format", "json_schema", "response_schema", "schema", "structured")


@dataclass(frozen=True, slots=True)
class _Approach:
    """What tells the two approaches apart: the prompt, the form of the reply, and how it is read."""

    prompt: str
    schema: JSONSchema
    read: Callable[..., tuple[Snippet, ...]]


def _form(**properties: JSONSchema) -> JSONSchema:
    return JSONSchema(type="object", properties=properties, required=list(properties), additionalProperties=False)


_STEP = _form(explanation=JSONSchema(type="string"), code=JSONSchema(type="string"))
_SINGLE = _Approach("single_code", _STEP, lambda reply, *, cut_off: (read_single(reply, cut_off=cut_off),))
_MULTI = _Approach("multi_code", _form(steps=JSONSchema(type="array", items=_STEP)), read_steps)


@agent
def single_code(prompts: Prompts | None = None, preset: str = "") -> Agent:
    """One reply with an explanation and one program, which is run once (paper, section 7.1)."""
    return _agent(_SINGLE, prompts, preset)


@agent
def multi_code(prompts: Prompts | None = None, preset: str = "") -> Agent:
    """One reply with two or three snippets, run one by one in one process; their reasons are put together (7.2)."""
    return _agent(_MULTI, prompts, preset)


APPROACHES: Mapping[str, Callable[[Prompts | None, str], Agent]] = {
    "single_code": single_code,
    "multi_code": multi_code,
}


def _agent(approach: _Approach, prompts: Prompts | None, preset: str) -> Agent:
    words, played = prompts or Prompts(), Preset.read(approach.prompt, preset)

    async def execute(state: AgentState) -> AgentState:
        await _Query(approach, words, played, state, live()).answer()
        return state

    return execute


@dataclass(slots=True)
class _Query:
    """One attempt at a question."""

    approach: _Approach
    prompts: Prompts
    preset: Preset
    state: AgentState
    here: Live

    async def answer(self) -> None:
        """Ask, run, hand in. A reply without code leaves no answer; a limit is raised after all is written down."""
        file = await in_thread(file_of, self.here.task, self.here.suite)
        context = await in_thread(described, file, self.preset)
        self.here.step()
        output, structured = await self._ask(context, file)
        record = {
            "approach": self.approach.prompt,
            "context": {"structure": self.preset.structure, "sample_rows": self.preset.sample},
            "structured": structured,
            "stop_reason": output.stop_reason,
            **last_call(),
        }
        try:
            snippets = self.approach.read(output.completion, cut_off=output.stop_reason in _CUT_OFF)
        except NoCode as reason:
            self._write({**record, **_nothing_ran(str(reason))})
            return
        ran = await run_snippets(self.here, [snippet.code for snippet in snippets], file.inside)
        if self.preset.explained and not ran.error:
            record["analysis"] = await self._explained(context, snippets, ran)
        self._hand_in(record, snippets, ran)

    async def _ask(self, context: str, file: DataFile) -> tuple[ModelOutput, bool]:
        """One message, as the published code sends it; providers that know forms of replies are asked for ours."""
        text = self.prompts.render(self.approach.prompt, question=self.here.question, context=context, path=file.inside)
        self.state.messages = [ChatMessageUser(content=text)]
        form = ResponseSchema(name="reply", json_schema=self.approach.schema)
        model, structured = get_model(), True
        try:
            output = await model.generate(self.state.messages, config=GenerateConfig(response_schema=form))
        except Exception as error:
            if not _refuses_forms(error):
                raise
            output, structured = await model.generate(self.state.messages), False
        self.state.output = output
        self.state.messages.append(output.message)
        return output, structured

    async def _explained(self, context: str, snippets: Sequence[Snippet], ran: Ran) -> str:
        text = self.prompts.render(
            "explain_result",
            question=self.here.question,
            context=context,
            code="\n\n".join(snippet.code for snippet in snippets),
            output=_results(ran),
        )
        self.state.messages.append(ChatMessageUser(content=text))
        output = await get_model().generate([self.state.messages[-1]])
        self.state.messages.append(output.message)
        return output.completion

    def _hand_in(self, record: dict[str, Any], snippets: Sequence[Snippet], ran: Ran) -> None:
        for name, data in ran.pictures.items():
            self.here.machine.hand_in(name, data)
        self._write({**record, **_ran_record(snippets, ran)})
        answer = ran.answer if ran.answer is not None else ran.printed
        if answer.strip():
            self.here.submit(answer)
        if ran.lost is not None:
            raise ran.lost
        if ran.limit:
            raise LimitReached(ran.limit, "the code ran into it")

    def _write(self, record: dict[str, Any]) -> None:
        text = json.dumps(record, ensure_ascii=False, indent=1)
        self.here.machine.hand_in(RECORD, text.encode("utf-8", errors="replace"))


def _nothing_ran(reason: str) -> dict[str, Any]:
    error: ErrorClass = "format"
    return {"code": "", "output": "", "answer": None, "rationale": "", "pictures": [], "error": error, "reason": reason}


def _ran_record(snippets: Sequence[Snippet], ran: Ran) -> dict[str, Any]:
    return {
        "code": "\n\n".join(snippet.code for snippet in snippets),
        "snippets": len(snippets),
        "output": _shown(ran),
        "stderr": ran.errors,
        "answer": ran.value,
        "rationale": "\n\n".join(snippet.explanation for snippet in snippets if snippet.explanation),
        "pictures": list(ran.pictures),
        "error": ran.error,
        "failures": [asdict(failure) for failure in ran.failures],
        "limit": ran.limit,
    }


def _shown(ran: Ran) -> str:
    """What was printed, by snippet where there are several."""
    if len(ran.outputs) == 1:
        return ran.printed
    parts = [f"Step {number}:\n{text.strip()}" for number, text in enumerate(ran.outputs, start=1) if text.strip()]
    return "\n---\n".join(parts)[:MOST_OUTPUT]


def _results(ran: Ran) -> str:
    """What was printed, and the answer where the code set one."""
    answer = [f"answer: {ran.answer}"] if ran.answer is not None else []
    return "\n".join([*filter(None, [_shown(ran)]), *answer]) or _NOTHING


def _refuses_forms(error: Exception) -> bool:
    """Whether a provider says that it cannot be asked for a form of reply (a bad request that names it)."""
    status = getattr(error, "status_code", None) or getattr(error, "code", None)
    return status in (400, 404, 422, 501) and any(word in str(error).lower() for word in _SCHEMA_WORDS)
