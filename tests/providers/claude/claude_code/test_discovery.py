"""Sessions are found by what is in their files, with the files of the agents they started."""

import json
import shutil
from pathlib import Path

import pytest

from agentview.domain.session import MAIN_STREAM, SessionRef, Stream, StreamKind
from agentview.providers.claude.claude_code import PROVIDER
from agentview.providers.claude.claude_code.discovery import DISCOVERY
from tests.providers.claude.claude_code.lines import ENVELOPE, SAMPLES, user

SESSION = "5755424c-1dd3-485a-8ab3-106dad8b104b"
OLD_SESSION = "545974c3-74f7-48d2-a661-ea30b441445e"


def line(record: object) -> bytes:
    return json.dumps(record).encode() + b"\n"


def probe(*records: object, name: str = "x.jsonl") -> float:
    return DISCOVERY.probe(b"".join(line(record) for record in records), Path(name))


def test_a_log_is_known_by_its_records():
    assert probe(user("hello")) > 0.9
    assert probe({"type": "summary", "summary": "s", "leafUuid": "l"}) > 0.5
    assert probe({"type": "hologram"}, user("hello")) > 0.9


def test_an_excerpt_is_known_by_its_messages_alone():
    said = {"type": "user", "message": {"role": "user", "content": "hello"}}
    assert 0 < probe(said) < 0.3
    assert probe({**said, "type": "assistant"}) == 0.0
    assert probe({**said, "session_id": "s"}) == 0.0


def test_a_first_line_longer_than_the_head():
    long = line(user("x" * 100_000))
    assert DISCOVERY.probe(long[:65_536], Path("x")) > 0.5
    text_first = line({"message": {"content": "x" * 100_000}, **ENVELOPE, "type": "user"})
    assert DISCOVERY.probe(text_first[:65_536], Path("x")) == 0.0


@pytest.mark.parametrize(
    "record",
    [
        {"type": "system", "subtype": "init", "session_id": "s", "tools": [], "cwd": "/"},
        {"type": "assistant", "message": {"content": []}, "session_id": "s", "uuid": "u"},
        {"type": "result", "subtype": "success", "session_id": "s"},
        {"type": "started", "key": "v2:1", "agentId": "a"},
        {"display": "hello", "pastedContents": {}, "timestamp": 1795255200500, "project": "/"},
        {**ENVELOPE, "type": "user", "message": {"role": "user", "parts": [{"text": "x"}]}},
        {**ENVELOPE, "type": "user", "sessionId": "session-0a1b2c3d-4e5f", "message": {}},
        {"type": "user", "content": "x", "timestamp": "2026-11-21T10:00:00Z"},
        {"type": "message", "id": "1", "message": {"role": "user", "content": "x"}},
        {"role": "user", "message": {"content": []}},
    ],
)
def test_what_others_write_is_not_claimed(record: object):
    assert probe(record) == 0.0


OTHERS = [
    *(
        Path(f"/home/dev/.{name}/projects")
        for name in ("openclaude", "qoder", "qoderwork", "qoder-cn")
    ),
    *(
        Path("/home/dev", data, "Claude/local-agent-mode-sessions")
        for data in (".config", "Library/Application Support", "AppData/Roaming")
    ),
]
"""Where other clients write the format."""


def test_roots_come_from_the_environment_alone():
    assert DISCOVERY.roots({}) == []
    assert DISCOVERY.roots({"HOME": "/home/dev"}) == [
        Path("/home/dev/.claude/projects"),
        Path("/home/dev/.config/claude/projects"),
        *OTHERS,
    ]
    moved = {"HOME": "/home/dev", "CLAUDE_CONFIG_DIR": " /a , ~/b,/c/projects,,/a"}
    assert DISCOVERY.roots(moved) == [
        Path("/a/projects"),
        Path("/home/dev/b/projects"),
        Path("/c/projects"),
        *OTHERS,
    ]


def test_a_session_is_named_by_its_file_when_its_records_agree():
    ref = DISCOVERY.ref(SAMPLES / "agents" / f"{SESSION}.jsonl")
    assert (ref.session_id, ref.stream, ref.parent_id) == (SESSION, MAIN_STREAM, None)
    assert ref.size == (SAMPLES / "agents" / f"{SESSION}.jsonl").stat().st_size
    assert PROVIDER.resume_command(ref) == ("claude", "--resume", SESSION)


def test_a_session_is_named_by_its_records_when_its_file_is_not(tmp_path: Path):
    path = tmp_path / "saved.jsonl"
    path.write_bytes(line(user("hello")))
    assert DISCOVERY.ref(path).session_id == "s-1"
    path.write_bytes(b"")
    assert DISCOVERY.ref(path).session_id == "saved"
    assert DISCOVERY.ref(tmp_path / "missing.jsonl").session_id == "missing"


def test_an_agent_s_log_names_the_session_that_started_it():
    folder = SAMPLES / "agents" / SESSION / "subagents"
    ref = DISCOVERY.ref(folder / "agent-a1dad8ea2a3dcbdfe.jsonl")
    assert ref.stream == Stream(StreamKind.SUBAGENT, "a1dad8ea2a3dcbdfe")
    assert ref.session_id == ref.parent_id == SESSION
    assert (ref.label, ref.parent_call) == ("Background helper", "toolu_3ce99c66699a714a1372239c")
    assert PROVIDER.resume_command(ref) is None


@pytest.mark.parametrize(
    ("agent", "label"),
    [
        ("acompact-1f2e3d", "compact"),
        ("aprompt_suggestion-1f2e3d", "prompt suggestion"),
        ("ashelf-counter-0123456789abcdef", "shelf-counter"),
        ("a1dad8ea2a3dcbdfe", None),
    ],
)
def test_an_agent_without_a_description_is_called_what_its_id_says(
    tmp_path: Path, agent: str, label: str | None
):
    path = tmp_path / f"agent-{agent}.jsonl"
    path.touch()
    assert DISCOVERY.ref(path).label == label


def test_an_empty_log_of_an_agent_is_placed_by_its_folder(tmp_path: Path):
    path = tmp_path / "s-9" / "subagents" / "agent-a1.jsonl"
    path.parent.mkdir(parents=True)
    path.touch()
    (path.parent / "agent-a1.meta.json").write_text('{"agentType": "Explore", "x": ')
    ref = DISCOVERY.ref(path)
    assert (ref.stream.id, ref.parent_id, ref.label) == ("a1", "s-9", None)


def test_children_lie_in_the_session_s_folder_and_in_workflows():
    ref = DISCOVERY.ref(SAMPLES / "agents" / f"{SESSION}.jsonl")
    children = DISCOVERY.children(ref)
    assert {child.stream.id for child in children} == {
        "a1dad8ea2a3dcbdfe",
        "a30b1d93f8835b886",
        "a8e8dc00e5dcecb4a",
        "af00000000000000a",
    }
    assert {child.parent_id for child in children} == {SESSION}
    assert DISCOVERY.children(children[0]) == ()
    assert DISCOVERY.child_places(children[0]) == ()


def test_children_of_older_clients_lie_beside_the_session(tmp_path: Path):
    folder = tmp_path / "project"
    shutil.copytree(SAMPLES / "siblings", folder)
    (folder / "agent-other.jsonl").write_bytes(
        line(user("x", isSidechain=True, agentId="other", sessionId="another"))
    )
    ref = DISCOVERY.ref(folder / f"{OLD_SESSION}.jsonl")
    assert {child.stream.id for child in DISCOVERY.children(ref)} == {"a9efe6f", "ab1312b"}
    assert folder in DISCOVERY.child_places(ref)
    assert folder / OLD_SESSION / "subagents" in DISCOVERY.child_places(ref)


def test_a_scan_finds_sessions_and_agents_and_nothing_else(tmp_path: Path):
    projects = tmp_path / "projects"
    shutil.copytree(SAMPLES / "agents", projects / "-home-dev-tools")
    shutil.copytree(SAMPLES / "siblings", projects / "-home-dev-old")
    (projects / "-home-dev-old" / "b23cbd1d-a39d-4f31-98fd-98f8ff69b816.jsonl").touch()
    (projects / "-home-dev-old" / "notes.jsonl").write_bytes(b'{"note": 1}\n')
    spilled = projects / "-home-dev-tools" / SESSION / "tool-results"
    spilled.mkdir()
    (spilled / "b1.jsonl").write_bytes(line(user("x")))
    (tmp_path / "history.jsonl").write_bytes(b'{"display": "x"}\n')
    found = list(PROVIDER.scan(tmp_path))
    assert len(found) == 8
    assert sum(ref.stream.kind is StreamKind.SUBAGENT for ref in found) == 6
    assert {ref.session_id for ref in found if ref.parent_id} == {SESSION, OLD_SESSION}
    assert {ref.path for ref in PROVIDER.scan(projects)} == {ref.path for ref in found}
    assert list(PROVIDER.scan(tmp_path / "missing")) == []


def test_a_scan_follows_links_once_and_is_not_caught_in_a_loop(tmp_path: Path):
    real = tmp_path / "real"
    real.mkdir()
    (real / f"{SESSION}.jsonl").write_bytes(line(user("x", sessionId=SESSION)))
    projects = tmp_path / "projects"
    projects.mkdir()
    (projects / "linked").symlink_to(real)
    (projects / "linked-again").symlink_to(real)
    (real / "loop").symlink_to(projects)
    (projects / "broken").symlink_to(tmp_path / "nowhere")
    assert [ref.session_id for ref in PROVIDER.scan(projects)] == [SESSION]


def test_an_unreadable_folder_is_passed_over(tmp_path: Path):
    (tmp_path / "plain.txt").write_text("x")
    assert list(PROVIDER.scan(tmp_path / "plain.txt")) == []
    ref = SessionRef("claude_code", "s", str(tmp_path / "missing" / "s.jsonl"))
    assert DISCOVERY.children(ref) == ()


@pytest.mark.parametrize(
    ("data", "is_held"),
    [
        (b'{"type":"session_start","id":"s","title":"Rake"}\n{"type":"message","id":"m"}\n', False),
        (b'{"type":"later-type","note":"x"}\n{"type":"other","sessionId":"s"}\n', True),
        (b'{"type":"summary","summary":"Rake","leafUuid":"u"}\n', True),
        (b'{"type":"later-type","note":"' + b"x" * 9_000 + b'"}\n', True),
        (b'{"type":"us', True),
        (b"\xff\xff\n", True),
    ],
)
def test_a_log_that_is_named_by_an_id_may_be_of_another_client(
    tmp_path: Path, data: bytes, is_held: bool
):
    path = tmp_path / "11111111-aaaa-4aaa-8aaa-000000000001.jsonl"
    path.write_bytes(data)
    assert (DISCOVERY.session_at(path) is not None) is is_held


def test_only_a_file_named_after_its_log_is_read_as_output_of_a_command(tmp_path: Path) -> None:
    ref = SessionRef("claude_code", SESSION, str(tmp_path / "-w-shop" / f"{SESSION}.jsonl"))

    def read(*folders: str, name: str = "b1.output") -> Path | None:
        file = tmp_path.joinpath("tmp", *folders, name)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("out\n")
        found = DISCOVERY.externalized_output(ref, str(file))
        assert found in (None, file)
        return found

    assert read("claude-0", "-w-shop", SESSION, "tasks") is not None
    assert read("claude-0", "-w-shop", "tasks") is not None
    assert read("claude-0", "-w-other", SESSION, "tasks") is None
    assert read("claude-0", "-w-shop", "other", "tasks") is None
    assert read("claude-0", "-w-shop", SESSION, "secrets") is None
    assert read("claude-0", "-w-shop", SESSION, "tasks", name="id_rsa") is None
    link = tmp_path / "tmp" / "claude-0" / "-w-shop" / SESSION / "tasks" / "b2.output"
    link.symlink_to("/etc/hostname")
    assert DISCOVERY.externalized_output(ref, str(link)) is None
    assert DISCOVERY.externalized_output(ref, "tmp/-w-shop/tasks/b1.output") is None
    assert DISCOVERY.externalized_output(ref, "/-w-shop/tasks/\0.output") is None
