"""Gives the sandbox's Python `final_answer`, which ends the task; run before every step, in a namespace of its own.

What reaches the top as the exception `FinalAnswer` leaves its answer in a file; what the agent's code catches does not.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn


def final_answer_at(place: str) -> Callable[[Any], NoReturn]:
    """A function that ends the task, and leaves the answer at `place`."""
    import json
    from contextlib import suppress
    from pathlib import Path

    longest = 1_000_000

    class FinalAnswer(BaseException):
        def __init__(self, answer: Any) -> None:
            super().__init__("the task is ended")
            self.answer = answer

    def text_of(answer: Any) -> str:
        if isinstance(answer, str):
            return answer
        if isinstance(answer, dict | list | tuple):
            with suppress(ValueError, RecursionError):
                return json.dumps(answer, ensure_ascii=False, default=str)
        to_string = getattr(answer, "to_string", None)  # a frame or a series: str() would leave its middle out
        return str(answer if to_string is None else to_string())

    def caught(_shell: Any, _kind: Any, error: Any, _trace: Any, **_rest: Any) -> list[str]:
        Path(place).write_bytes(text_of(error.answer)[:longest].encode("utf-8", "replace"))
        return []

    def final_answer(answer: Any = None) -> NoReturn:
        """Provide the final answer, and end the task."""
        raise FinalAnswer(answer)

    from IPython import get_ipython

    get_ipython().set_custom_exc((FinalAnswer,), caught)
    Path(place).unlink(missing_ok=True)
    return final_answer
