import pytest

from benchwright.chat.base import Message
from benchwright.chat.scripted import ScriptedChat, ScriptedReply, play, read_script, register, script_named
from benchwright.errors import Broken, Fault, InputError


def talk(question, spoken=0):
    return [Message("user", question), *[Message("assistant", "so")] * spoken]


def test_which_line_is_due_is_read_off_the_conversation():
    script = play([ScriptedReply(text="one"), ScriptedReply(text="two")])
    assert [script(talk("q", spoken)).text for spoken in (1, 0, 1, 0)] == ["two", "one", "two", "one"]


def test_lines_may_be_meant_for_some_questions_only():
    script = play([ScriptedReply(text="cats", match="cat"), ScriptedReply(text="dogs", match="dog")])
    assert script(talk("a dog?")).text == "dogs"
    assert script(talk("a cat?")).text == "cats"


def test_a_script_that_is_over_is_the_models_fault():
    with pytest.raises(Broken, match="the script is over") as caught:
        play([])(talk("q"))
    assert caught.value.fault is Fault.MODEL


async def test_a_scripted_chat_model_replies_with_its_usage_and_fails_where_told():
    model = ScriptedChat([ScriptedReply(text="hello"), ScriptedReply(error="503")])
    reply = await model.reply(talk("q"))
    assert (reply.text, reply.usage.output_tokens) == ("hello", 20)
    with pytest.raises(Broken, match="503"):
        await model.reply(talk("q", 1))


def test_scripts_are_found_by_name_and_by_file_and_a_changed_file_is_read_anew(tmp_path):
    register("named", [ScriptedReply(text="by name")])
    assert script_named("named")(talk("q")).text == "by name"
    path = tmp_path / "script.jsonl"
    path.write_text('{"text": "by file"}\n')
    assert script_named(str(path))(talk("q")).text == "by file"
    path.write_text('{"text": "changed file"}\n')
    assert script_named(str(path))(talk("q")).text == "changed file"
    with pytest.raises(InputError, match="no script 'other'"):
        script_named("other")


def test_a_bad_line_of_a_script_names_its_number(tmp_path):
    path = tmp_path / "script.jsonl"
    path.write_text('{"text": "x"}\n{"txt": "y"}\n')
    with pytest.raises(InputError, match="line 2"):
        read_script(path)
