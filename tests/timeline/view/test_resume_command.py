import shlex
import subprocess
from pathlib import Path

import pytest
from msgspec.structs import replace

from agentview.domain.session import SessionRef, Stream, StreamKind
from agentview.providers import load_provider, provider_names
from agentview.timeline.view.resume_command import begun_in, resume_line
from tests.claude_log import SESSION, ClaudeLog, write

PROVIDER = load_provider("claude_code")


def _ref(path: Path, **fields: object) -> SessionRef:
    return replace(SessionRef("claude_code", SESSION, str(path)), **fields)  # pyright: ignore[reportArgumentType]


def _log(tmp_path: Path, *places: str) -> SessionRef:
    log = ClaudeLog()
    records = [
        log.prompt(f"in {place}").replace(b'"/home/dev/shop"', f'"{place}"'.encode())
        for place in places
    ]
    return _ref(write(tmp_path / "log.jsonl", records))


def test_a_session_is_resumed_where_it_was_begun(tmp_path: Path) -> None:
    ref = _log(tmp_path, "/home/dev/shop", "/home/dev/shop/src")
    assert begun_in(PROVIDER, ref) == "/home/dev/shop"
    assert resume_line(PROVIDER, ref, "/home/dev/shop/src") == (
        f"cd /home/dev/shop && claude --resume {SESSION}"
    )


def test_what_the_log_does_not_say_is_taken_from_elsewhere(tmp_path: Path) -> None:
    missing = _ref(tmp_path / "none.jsonl")
    assert resume_line(PROVIDER, missing, "/work") == f"cd /work && claude --resume {SESSION}"
    assert resume_line(PROVIDER, missing, None) == f"claude --resume {SESSION}"


def test_the_log_of_an_agent_gives_the_command_of_its_parent(tmp_path: Path) -> None:
    stream = Stream(StreamKind.SUBAGENT, "a1")
    agent = replace(_ref(tmp_path / "a.jsonl"), stream=stream, parent_id="another-agent")
    assert PROVIDER.resume_command(agent) is None
    assert resume_line(PROVIDER, agent, None) == f"claude --resume {SESSION}"


@pytest.mark.parametrize(
    "place", ["/a b", "/it's $(touch pwned) `id`", "/a;reboot", "-rf", '/"', "/ünï/日本"]
)
def test_a_shell_takes_the_directory_as_it_is(tmp_path: Path, place: str) -> None:
    line = resume_line(PROVIDER, _ref(tmp_path / "none.jsonl"), place)
    assert line is not None
    told = line.replace("cd ", "printf %s ", 1).replace(" && claude", " ; : claude", 1)
    done = subprocess.run(
        ["sh", "-c", told], capture_output=True, text=True, cwd=tmp_path, check=True
    )
    assert done.stdout.removeprefix("--") == place
    assert list(tmp_path.iterdir()) == []
    assert shlex.split(line)[-1] == SESSION


@pytest.mark.parametrize("name", ["/a\nb", "/a\x1b[201~rm", "/\u202eabc"])
def test_names_that_a_terminal_might_act_on_give_no_line(tmp_path: Path, name: str) -> None:
    assert resume_line(PROVIDER, _ref(tmp_path / "none.jsonl"), name) is None
    hostile = _ref(tmp_path / "none.jsonl", session_id=f"x{name}")
    assert resume_line(PROVIDER, hostile, None) is None


@pytest.mark.parametrize("name", provider_names())
def test_every_provider_has_a_command_or_none(tmp_path: Path, name: str) -> None:
    provider = load_provider(name)
    ref = SessionRef(name, "s1", str(tmp_path / "none.jsonl"))
    line = resume_line(provider, ref, "/w")
    command = provider.resume_command(ref)
    assert line == (f"cd /w && {shlex.join(command)}" if command else None)
