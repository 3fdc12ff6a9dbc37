import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from benchwright.live.agents.snippets.replies import MOST_SNIPPETS, NoCode, Snippet, read_single, read_steps

ASKED = json.dumps({"explanation": "why", "code": "x = 1\nprint(x)"})
STEPS = json.dumps({"steps": [{"explanation": "a", "code": "x = 1"}, {"explanation": "b", "code": "print(x)"}]})
WANTED = Snippet("x = 1\nprint(x)", "why")
TWO = (Snippet("x = 1", "a"), Snippet("print(x)", "b"))

SINGLE = {
    "as it was asked for": ASKED,
    "raw newlines": '{"explanation": "why", "code": "x = 1\nprint(x)"}',
    "a fence around it": f"```json\n{ASKED}\n```",
    "prose around it, with braces": f"Here {{it}} is: {ASKED} Done {{[}}.",
    "a fence around the code": json.dumps({"explanation": "why", "code": "```python\nx = 1\nprint(x)\n```"}),
    "lines of code": json.dumps({"explanation": "why", "code": ["x = 1", "print(x)"]}),
    "a draft first": json.dumps({"explanation": "draft", "code": "x = 0"}) + "\n\nBetter:\n" + ASKED,
    "triple quotes": '{"explanation": "why", "code": """\nx = 1\nprint(x)\n"""}',
    "the paper's misspelt key": json.dumps({"Explination".lower(): "why", "code": "x = 1\nprint(x)"}),
    "steps": json.dumps({"steps": [{"explanation": "why", "code": "x = 1\nprint(x)"}]}),
    "a block of Python": "why\n```python\nx = 1\nprint(x)\n```\nThat is all.",
    "tildes": "why\n~~~py\nx = 1\nprint(x)\n~~~",
}


@pytest.mark.parametrize("reply", SINGLE.values(), ids=SINGLE)
def test_one_program_is_read_in_any_form_that_models_write(reply):
    assert read_single(reply) == WANTED


def test_wrong_escapes_are_mended_and_right_ones_kept():
    code = r're.findall("\d+\n", "é")'
    assert (
        read_single('{"explanation": "", "code": "' + code.replace('"', '\\"') + '"}').code
        == 're.findall("\\d+\n", "é")'
    )


MANY = {
    "as it was asked for": STEPS,
    "the published code's key": STEPS.replace('"steps"', '"step"'),
    "a list": json.dumps(json.loads(STEPS)["steps"]),
    "an object each": "\n".join(json.dumps(step) for step in json.loads(STEPS)["steps"]),
    "a draft first": '{"steps": [{"explanation": "", "code": "draft"}]}\n' + STEPS,
    "blocks": "a\n```python\nx = 1\n```\nb\n```\nprint(x)\n```",
}


@pytest.mark.parametrize("reply", MANY.values(), ids=MANY)
def test_several_snippets_are_read_in_order(reply):
    assert read_steps(reply) == TWO


NONE = {
    "nothing": "",
    "prose": "I cannot do that.",
    "an object without code": '{"explanation": "why"}',
    "empty code": '{"explanation": "why", "code": "  "}',
    "code that is a number": '{"explanation": "why", "code": 3}',
    "another language": "```sql\nselect 1\n```",
    "an object that was cut off": STEPS[:-20],
    "an object that was cut off inside its code": ASKED[:-8],
    "a broken first step": '{"steps": [{"explanation": "a" "code": "x"}, {"explanation": "b", "code": "y"}]}',
    "brackets without end": '{"a": ' * 100_000,
    "fences of growing length": "\n".join("`" * length for length in range(3, 800)),
    "too many snippets": json.dumps({"steps": [{"code": "x"}] * (MOST_SNIPPETS + 1)}),
}


@pytest.mark.parametrize("reply", NONE.values(), ids=NONE)
@pytest.mark.parametrize("read", [read_single, read_steps])
def test_a_reply_without_whole_code_is_no_code(read, reply):
    with pytest.raises(NoCode, match=r"cut off|is empty|holds no code|are not run"):
        read(reply)


def test_of_a_reply_that_was_cut_off_only_whole_json_counts():
    block = "```python\nx = 1\n```\nand then\n```python\nprint("
    assert read_single(block).code == "x = 1"
    with pytest.raises(NoCode, match="cut off"):
        read_single(block, cut_off=True)
    assert read_single(f"{ASKED} And now", cut_off=True) == WANTED


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(lambda code: code.strip()), st.text())
def test_whatever_code_json_holds_comes_back(code, why):
    read = read_single(json.dumps({"explanation": why, "code": code}))
    assert code.strip("\n").strip() in read.code or "`" in code or "~" in code


PIECES = st.sampled_from(
    [
        '{"code": "',
        '{"explanation": "',
        '{"steps": [',
        '"}',
        "]}",
        ", ",
        "```python\n",
        "\n```\n",
        "\n",
        "x = 1",
        "\\n",
        "\\d",
        '"""',
    ]
)


@given(st.text(alphabet='{}[]"`~:,\\ \ncodestp', max_size=200) | st.lists(PIECES, max_size=16).map("".join))
@example('{"code": "x = 1"}')
@example('{"steps": [{"code": "x = 1"}, {"code": "\\d"}]}')
def test_of_any_reply_only_code_is_read_that_stands_in_it_in_its_order(reply):
    try:
        steps = read_steps(reply)
    except NoCode:
        with pytest.raises(NoCode, match=r"cut off|is empty|holds no code|are not run"):
            read_single(reply)
        return
    assert 1 <= len(steps) <= MOST_SNIPPETS
    for part in (*steps, read_single(reply)):
        assert part.code.strip()
        assert stands_in(part.code, reply)
    assert stands_in("".join(part.code for part in steps), reply)


def stands_in(code, reply):
    """Whether the signs of the code are found in the reply, one after the other; JSON writes white space otherwise."""
    rest = iter(reply)
    return all(sign in rest for sign in "".join(code.split()))
