"""An agent of your own: it looks at every file's first line, asks the model once for a program, and runs it.

benchwright run lake --agent examples/custom_agent.py@one_shot --model openai/gpt-5-mini --limit 5
"""

import re

from inspect_ai.agent import Agent, AgentState, agent
from inspect_ai.model import ChatMessageUser, get_model

from benchwright.live import live
from benchwright.sandbox.base import Python, Shell

LOOK = 'find /data -type f -name \'*.csv\' | sort | head -50 | while read -r f; do echo "$f: $(head -1 "$f")"; done'
ASK = "The files and their header lines:\n{files}\n\nReply with one Python block that prints the answer alone."
BLOCK = re.compile(r"```(?:python)?\n(.*?)```", re.DOTALL)


@agent
def one_shot() -> Agent:
    """Three steps: look, ask, run."""

    async def execute(state: AgentState) -> AgentState:
        attempt = live()
        attempt.step()
        seen = await attempt.run(Shell(LOOK))
        state.messages.append(ChatMessageUser(content=ASK.format(files=seen.stdout.decode(errors="replace"))))

        attempt.step()
        state.output = await get_model().generate(state.messages)
        state.messages.append(state.output.message)

        block = BLOCK.search(state.output.completion)
        if block:
            attempt.step()
            outcome = await attempt.run(Python(block[1]))
            attempt.submit(outcome.stdout.decode(errors="replace").strip())
        return state

    return execute
