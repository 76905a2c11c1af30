"""Bytes of notifications, for each terminal that is known to take some."""

import re

import pytest

from agentview.notify.escape_codes import Code, code_of, notification, title_code

EVIL = "a\x1b\\\x07\x9c\x1b]52;c;eA==\x07;b\r\n\ud800\u2028" + "x" * 5_000


@pytest.mark.parametrize(
    ("environ", "code"),
    [
        ({"TERM": "xterm-kitty"}, Code.OSC_99),
        ({"TERM": "xterm-256color", "KITTY_WINDOW_ID": "1"}, Code.OSC_99),
        ({"TERM_PROGRAM": "iTerm.app"}, Code.OSC_9),
        ({"TERM_PROGRAM": "WezTerm"}, Code.OSC_9),
        ({"TERM": "xterm-ghostty"}, Code.OSC_9),
        ({"TERM": "foot"}, Code.OSC_777),
        ({"TERM": "rxvt-unicode-256color"}, Code.OSC_777),
        ({"TERM": "xterm-256color"}, None),
        ({"TERM_PROGRAM": "Apple_Terminal"}, None),
        ({"TERM_PROGRAM": "vscode"}, None),
        ({"TERM": "xterm-kitty", "TMUX": "/run/x,1,0"}, None),
        ({"TERM": "tmux-256color", "KITTY_WINDOW_ID": "1"}, None),
        ({}, None),
    ],
)
def test_a_code_is_sent_where_it_is_known_to_be_taken(
    environ: dict[str, str], code: Code | None
) -> None:
    assert code_of(environ) is code


def test_the_codes() -> None:
    assert notification(Code.OSC_9, "a;b", "c;d", 1) == "\x1b]9;agentview: a;b · c;d\x1b\\"
    assert notification(Code.OSC_777, "a;b", "c;d", 1) == (
        "\x1b]777;notify;agentview: a,b;c;d\x1b\\"
    )
    assert notification(Code.OSC_99, "a", "b", 7) == (
        "\x1b]99;i=agentview-7:d=0:p=title;agentview: a\x1b\\"
        "\x1b]99;i=agentview-7:d=1:p=body;b\x1b\\"
    )


@pytest.mark.parametrize("code", Code)
def test_no_text_ends_a_code_or_begins_one(code: Code) -> None:
    made = notification(code, EVIL, EVIL, 1)
    parts = re.fullmatch(r"(\x1b\](?:9|777|99);[^\x00-\x1f\x7f-\x9f]*\x1b\\){1,2}", made)
    assert parts is not None
    assert len(made.encode()) < 2_000


def test_the_title_is_kept_and_comes_back() -> None:
    assert title_code(1, first=True) == "\x1b[22;2t\x1b]2;● 1 needs you\x1b\\"
    assert title_code(2, first=False) == "\x1b]2;● 2 need you\x1b\\"
    assert title_code(0, first=False) == "\x1b]2;agentview\x1b\\\x1b[23;2t"
