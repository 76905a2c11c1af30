"""Programs that notify: arguments without a shell, facts on standard input, trouble in words."""

import json
import os
import sys
from pathlib import Path

import pytest

from agentview.domain.session import SessionRef
from agentview.domain.session_state import SessionState, SessionStatus
from agentview.notify.decision import Notice, NotificationRules, Source, Subject
from agentview.notify.programs import desktop_command, run

EVIL = "$(touch x) `touch x`; <b>&"


@pytest.fixture
def notice() -> Notice:
    rules = NotificationRules(9.0)
    subject = Subject(SessionRef("codex", "s-1", "/logs/s-1.jsonl"), "-t" + EVIL, "/home/a/shop")
    rules.take(subject, SessionStatus(SessionState.WORKING, 5.0), Source.OPEN, 9.0)
    asks = SessionStatus(SessionState.NEEDS_APPROVAL, 9.0, about=EVIL)
    found = rules.take(subject, asks, Source.OPEN, 9.0)
    assert found is not None
    return found


def test_the_facts_come_as_json(notice: Notice, tmp_path: Path) -> None:
    code = "import sys; open(sys.argv[1], 'w').write(sys.stdin.read()); print('x' * 100_000)"
    target = tmp_path / EVIL.replace("/", "")
    assert run([sys.executable, "-c", code, str(target)], notice, os.environ) is None
    facts = json.loads(target.read_text())
    assert facts == notice.facts()
    assert (facts["id"], facts["state"], facts["before"]) == ("s-1", "needs-approval", "working")
    assert facts["about"] == EVIL
    assert not (tmp_path / "x").exists()


def test_trouble_is_told(notice: Notice, tmp_path: Path) -> None:
    missing = str(tmp_path / "nothing")
    reason = "no such file or directory"
    assert run([missing], notice, {}) == f"{missing} could not be started: {reason}"
    assert run([sys.executable, "-c", "raise SystemExit(3)"], notice, {}) == (
        f"{sys.executable} ended with 3"
    )


@pytest.mark.skipif(sys.platform == "darwin", reason="it has a program of its own")
def test_the_desktop_gets_no_markup_and_no_options(
    notice: Notice, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert desktop_command(notice) is None
    program = tmp_path / "notify-send"
    program.write_text(f"#!{sys.executable}\n")
    program.chmod(0o700)
    command = desktop_command(notice)
    assert command is not None
    assert command[:3] == [str(program), "--app-name=agentview", "--"]
    assert command[3].startswith("agentview: needs approval: -t$(touch x)")
    assert "&lt;b&gt;&amp;" in command[4]
    assert run(command, notice, {}) is None
