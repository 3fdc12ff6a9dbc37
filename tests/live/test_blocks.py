import pytest

from benchwright.live.agents.blocks import calls_in, up_to_first_call


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("```bash\nls\n```", [("bash", "ls")]),
        ("First:\n```python\nx = 1\nprint(x)\n```\nthen", [("python", "x = 1\nprint(x)")]),
        ("```sh\nls\n```\n```submit\n42\n```", [("bash", "ls"), ("submit", "42")]),
        ("~~~python\nprint('```')\n~~~", [("python", "print('```')")]),
        ("````python\nprint('''\n```\n''')\n````", [("python", "print('''\n```\n''')")]),
        ("```python\nprint(1)", [("python", "print(1)")]),
        ("```Python\nprint(1)\n```", [("python", "print(1)")]),
        ("  ```bash\n  ls\n  ```", [("bash", "  ls")]),
        ("```json\n{}\n```", []),
        ("```\nls\n```", []),
        ("```submit\n\n```", []),
        ("no block, only `code`", []),
    ],
)
def test_calls_are_read_from_fenced_blocks(message, expected):
    assert [tuple(call) for call in calls_in(message)] == expected


def test_a_message_is_cut_after_its_first_call():
    assert up_to_first_call("a\n```bash\nls\n```\nb\n```submit\n42\n```") == "a\n```bash\nls\n```"
    assert up_to_first_call("```json\n{}\n```\n```python\n1\n```\nx") == "```json\n{}\n```\n```python\n1\n```"
    assert up_to_first_call("```python\nprint(1)") == "```python\nprint(1)"
