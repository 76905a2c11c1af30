"""What a script of code mode calls, as far as its text tells; nothing is ever run."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentview.providers.codex.code_mode import NestedCall, nested_calls

READ: tuple[tuple[str, dict[str, object]], ...] = (
    ('await tools.exec_command({cmd: "ls"})', {"cmd": "ls"}),
    ("tools.exec_command({'cmd':'a\\'b', tty: true, n: 1_000, x: -1.5, y: null,})",
     {"cmd": "a'b", "tty": True, "n": 1000, "x": -1.5, "y": None}),
    ("const cmd = `a\\nb`;\nawait tools.exec_command({cmd})", {"cmd": "a\nb"}),
    ("let p = ['x', 'y'].join('\\n'); tools.exec_command({cmd: p})", {"cmd": "x\ny"}),
    ("tools.exec_command({cmd: 'a' + \"b\" /* c */ + `c`})", {"cmd": "abc"}),
    ("tools.exec_command({cmd: String.raw`a\\n`})", {"cmd": "a\\n"}),
    ("tools.exec_command({cmd: '\\u00e9\\x41\\u{1F600}'})", {"cmd": "éA😀"}),
    ("tools['exec_command']({list: [1, {a: [2]}]})", {"list": [1, {"a": [2]}]}),
    ("tools.exec_command()", {}),
    ("tools.exec_command('raw')", {"input": "raw"}),
)  # fmt: skip
UNREAD = (
    "tools.exec_command({cmd: `ls ${dir}`})",
    "tools.exec_command({cmd: make()})",
    "tools.exec_command({cmd: 'a' + b})",
    "tools.exec_command({...rest})",
    "tools.exec_command({cmd: 'a'}, more)",
    "tools.exec_command({cmd: 'a'",
)


@pytest.mark.parametrize(("script", "args"), READ)
def test_literal_arguments_are_read(script: str, args: dict[str, object]):
    assert nested_calls(script) == (NestedCall("exec_command", args),)


@pytest.mark.parametrize("script", UNREAD)
def test_arguments_that_only_a_run_would_tell_are_not(script: str):
    assert nested_calls(script) == (NestedCall("exec_command", None),)


def test_a_call_in_a_text_or_a_comment_is_none():
    assert nested_calls("text('tools.a({})'); // tools.b({})\n/* tools.c({}) */ `tools.d()`") == ()


def test_several_calls_stand_in_their_order():
    script = "await Promise.all([tools.a({x: 1}), tools.b({y: f()}), tools.a({x: 2})])"
    assert [call.name for call in nested_calls(script)] == ["a", "b", "a"]


@given(st.text(alphabet="to.ls(){}[]'\"`\\:,=+ abc$1\n/*const", max_size=60))
def test_no_text_breaks_it(script: str):
    for call in nested_calls(f"tools.x({script}"):
        assert call.name
