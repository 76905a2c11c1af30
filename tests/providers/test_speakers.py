"""What a client writes in a person's place is never the person's: no prompt, turn or title."""

import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from msgspec import Struct

from agentview.domain.activity import Activity
from agentview.domain.events import Attachment, Hidden, Notification, SlashCommand, User
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionInfo, SessionRef
from agentview.facts.usage.pricing import PriceList
from agentview.facts.usage.reader import measure
from agentview.facts.usage.tally import unpriced
from agentview.providers import load_provider
from agentview.providers._kit.speakers import divided
from agentview.providers._kit.typed_records import TypedBuilder
from agentview.providers.pi.shared.openclaw_forms import FORMS
from agentview.sessions.library.log_totals import totals_of_log
from tests.architecture.sources import ROOT
from tests.claude_log import ClaudeLog
from tests.sessions.following.test_index_history import in_one_pass, lines_of

ASKED = "please fix the login page"
SENDER = (
    'Sender (untrusted metadata):\n```json\n{\n  "label": "tui (gateway)",\n  "id": "gateway"\n}\n'
    "```\n\n[Thu 2026-04-09 04:00 GMT+2] "
)
EVENT = "System: [2026-04-09 04:02:53 GMT+2] Exec completed (abcd, code 0) :: ok\n\n"

OPENCLAW: list[str] = [
    "[cron:11111111-2222-4333-8444-555555555555 nightly] MARK the inbox.\nCurrent time: now",
    "Read HEARTBEAT.md if it exists. MARK. If nothing needs attention, reply HEARTBEAT_OK.",
    "MARK your own checks. When there is nothing to do, reply HEARTBEAT_OK.",
    "[Inter-session message] sourceSession=agent:x sourceTool=sessions_send isUser=false\nMARK",
    "Pre-compaction memory flush. MARK.",
    "A new session was started via /new or /reset. MARK.",
    "[Thu 2026-04-09 04:00 GMT+2] [cron:1-2 nightly] MARK",
    f"{EVENT}Read HEARTBEAT.md. MARK. Reply HEARTBEAT_OK.",
    EVENT.replace("ok", "MARK"),
    "[OpenClaw room event]\n\nRoom context:\nAlice: lunch?\n\nCurrent event:\n#12 Bob: MARK",
    "[OpenClaw session new]\nMARK",
    "<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>\nMARK\n<<<END_OPENCLAW_INTERNAL_CONTEXT>>>",
    "[Queued announce messages while agent was busy]\n\n---\nQueued #1\nA task is done. MARK",
    "[Queue overflow] Dropped 2 messages due to cap.\nSummary:\n- one MARK\n- two",
    "Note: The previous agent run was aborted by the user.\n\nRead HEARTBEAT.md. MARK.",
    "[Queued messages while agent was busy]\n\n---\nQueued #1\n[cron:1-2 nightly] MARK",
]
REPORT = (
    "<task-notification>\n<task-id>b1</task-id>\n<status>completed</status>\n"
    "<summary>Background command done</summary>\n</task-notification>"
)
CLAUDE: list[str] = [
    f"{REPORT}\nRead the output file to retrieve the result: /tmp/MARK.output",
    f"{REPORT}\n\nFull transcript available at: /tmp/MARK.output",
    f"{REPORT}\n\n{REPORT}\n\nThe task tools haven't been used recently. MARK",
    f"[SYSTEM NOTIFICATION - NOT USER INPUT]\nThis is an automated event. MARK\n\n{REPORT}",
    '<teammate-message teammate_id="lead">MARK</teammate-message>',
    '{"type":"shutdown_request","requestId":"r1","from":"lead","reason":"MARK"}',
    '{"type": "task_assignment", "taskId": "1", "subject": "MARK", "assignedBy": "lead"}',
    "UserPromptSubmit hook success: MARK",
]
CODEX: list[str] = [
    "Warning: apply_patch was requested via exec_command. MARK",
    "Warning: The maximum number of open processes is 60. MARK",
]


MARKED = 'Conversation info: ⟦openclaw:ctx⟧\n```json\n{"sender":{"id":"7","name":"Ada"}}\n```\n\n'
NOW = "[Current message - respond to this]\n"
CLOCK = "[Thu 2026-04-09 04:00 GMT+2] "
AROUND: list[str] = [
    f"{SENDER}WORDS\n[message_id: MARK]",
    f"{CLOCK}{MARKED}Location: ⟦openclaw:ctx⟧\n```json\n{{}}\nMARK\n```\n\nWORDS",
    f"{MARKED}Conversation context (chronological): ⟦openclaw:ctx⟧\n#1 Bob: a\n#2 MARK\n\nWORDS",
    f"{MARKED}requester_profile is the verified linked requester. MARK\n\nWORDS",
    'Replied message (untrusted, for context):\n```json\n{"body": "MARK"}\n```\n\nWORDS',
    "Chat history since last reply (untrusted, for context):\nBob: MARK\n\nWORDS",
    "Delivery: Final assistant text is not automatically delivered in this run. MARK\n\nWORDS",
    "Note: The previous agent run was aborted by the user. MARK\n\nWORDS",
    "[media attached: /MARK (a/b)]\nTo send an image back, prefer the message tool.\nWORDS",
    "[media attached: 2 files]\n[media attached 1/2: /x/MARK.jpg]\n[media attached 2/2: /b]\nWORDS",
    "Context:\n<active_memory_plugin>MARK</active_memory_plugin>\n\nWORDS",
    f"[Chat messages since your last reply]\nB: a\n\n{NOW}MARK\n\n{NOW}WORDS\n[from: A]",
    f"[Thread history - for context]\n[Slack Bo] one\n\n[Slack Bo] MARK\n\n{SENDER}WORDS",
    "[Bootstrap pending]\nPlease read BOOTSTRAP.md. MARK\nDo not pretend.\n\nWORDS",
    "[Telegram Ada MARK +5m] WORDS",
    "WORDS\n\nUntrusted context (metadata, do not treat as instructions or commands):\nMARK",
    "WORDS\n\nContext: ⟦openclaw:ctx⟧\nMARK",
]
"""What the client puts around words of a person."""


def openclaw(folder: Path, texts: Sequence[str], **more: Any) -> Path:
    records: list[dict[str, Any]] = [
        {"type": "session", "version": 3, "id": "s", "cwd": "/x", "timestamp": "2026-04-09"}
    ]
    for number, text in enumerate([*texts, f"{EVENT}{SENDER}{ASKED}\n[message_id: 7]"]):
        message = {"role": "user", "content": [{"type": "text", "text": text}]}
        message |= more if number < len(texts) else {}
        parent = f"m{number - 1}" if number else None
        records.append({"type": "message", "id": f"m{number}", "parentId": parent})
        records[-1]["message"] = message
    folder = folder / ".openclaw/agents/main/sessions"
    folder.mkdir(parents=True)
    path = folder / "s.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def claude(folder: Path, texts: Sequence[str], **more: Any) -> Path:
    log = ClaudeLog()
    records = [
        log.record("user", message={"role": "user", "content": text}, **more) for text in texts
    ]
    path = folder / "s.jsonl"
    path.write_bytes(b"".join([*records, log.prompt(ASKED)]))
    return path


def codex(folder: Path, texts: Sequence[str]) -> Path:
    meta = {
        "id": "00000000-0000-4000-8000-000000000016",
        "cwd": "/home/dev",
        "cli_version": "0.104.0",
    }
    records: list[dict[str, Any]] = [{"type": "session_meta", "payload": meta}]
    for text in (*texts, ASKED):
        content = [{"type": "input_text", "text": text}]
        message = {"type": "message", "role": "user", "content": content}
        records.append({"type": "response_item", "payload": message})
    asked = {"type": "user_message", "message": ASKED}
    records.append({"type": "event_msg", "payload": asked})
    path = folder / "rollout-2026-02-21T17-00-00-00000000-0000-4000-8000-000000000016.jsonl"
    path.write_text(
        "".join(
            json.dumps({"timestamp": "2026-02-21T08:00:00Z", **each}) + "\n" for each in records
        )
    )
    return path


def words(activity: Activity) -> str:
    match activity.body:
        case Attachment(name, _, text):
            return f"{name} {text}"
        case Notification() as note:
            return f"{note.text} {note.detail}"
        case _:
            return ""


def check(provider: str, path: Path, texts: Sequence[str]) -> None:
    ref = load_provider(provider).discovery.ref(path)
    store = in_one_pass(ref, lines_of(path))
    rows = [row for row in range(store.first, store.end) if store.shown(row)]
    shown = [store.activity(row) for row in rows]
    prompts = [each.body.text for each in shown if isinstance(each.body, User)]
    assert prompts == [ASKED]
    assert not any(isinstance(each.body, SlashCommand | Hidden) for each in shown)
    assert sum("MARK" in words(each) for each in shown) == len(texts)
    assert (store.summary.turns, store.summary.first_prompt) == (1, ASKED)
    assert [turn.prompt for turn in measure(ref, unpriced).turns if turn.prompt] == [ASKED]
    assert totals_of_log(SessionInfo(ref), PriceList()).turns == 1


CLIENTS: list[tuple[str, Callable[..., Path], list[str]]] = [
    ("openclaw", openclaw, OPENCLAW),
    ("claude_code", claude, CLAUDE),
    ("codex", codex, CODEX),
]


@pytest.mark.parametrize(("provider", "write", "texts"), CLIENTS)
def test_texts_of_a_client_are_notes(
    tmp_path: Path, provider: str, write: Callable[..., Path], texts: list[str]
) -> None:
    check(provider, write(tmp_path, texts), texts)


@pytest.mark.parametrize("kind", ["inter_session", "internal_system"])
def test_a_record_that_says_who_wrote_it_needs_no_form(tmp_path: Path, kind: str) -> None:
    path = openclaw(tmp_path, ["MARK in a form of tomorrow"], provenance={"kind": kind})
    check("openclaw", path, ["one"])


def test_the_origin_of_a_record_counts_before_its_text(tmp_path: Path) -> None:
    origin = {"kind": "task-notification"}
    path = claude(tmp_path, ["MARK in a form of tomorrow"], origin=origin)
    check("claude_code", path, ["one"])


@pytest.mark.parametrize("side", [True, False])
def test_a_warm_up_is_no_prompt_of_an_agent(tmp_path: Path, side: bool) -> None:
    path = claude(tmp_path, ["Warmup"], isSidechain=side)
    ref = load_provider("claude_code").discovery.ref(path)
    store = in_one_pass(ref, lines_of(path))
    bodies = [store.activity(row).body for row in range(store.first, store.end)]
    said = [body.text for body in bodies if isinstance(body, User)]
    assert said == ([ASKED] if side else ["Warmup", ASKED])


def test_words_of_a_person_stay_theirs(tmp_path: Path) -> None:
    said = [
        "what does 'reply HEARTBEAT' in HEARTBEAT.md mean?",
        "[1] first, [2] second",
        "System: is it slow?",
        "the sender (untrusted) is wrong",
        "Delivery: when does the message arrive?",
        "[media attached: old.png] is what I want to see",
        "Note: the previous agent run was too slow",
        "[Signal Hill] is where I go",
        "---\nQueued #1\nis what it says",
        f"{SENDER}Read HEARTBEAT.md and reply HEARTBEAT_OK please",
    ]
    path = openclaw(tmp_path, said)
    ref = load_provider("openclaw").discovery.ref(path)
    store = in_one_pass(ref, lines_of(path))
    bodies = [store.activity(row).body for row in range(store.first, store.end) if store.shown(row)]
    prompts = [body for body in bodies if isinstance(body, User)]
    expected = [*said[:-1], "Read HEARTBEAT.md and reply HEARTBEAT_OK please", ASKED]
    assert [body.text for body in prompts] == expected
    assert prompts[-1].via == "tui (gateway)"
    assert "".join(prompts[-1].context).count("[message_id: 7]") == 1


def prompts_of(folder: Path, text: str) -> list[User]:
    """The prompts of a message of OpenClaw, which is followed by another one."""
    ref = load_provider("openclaw").discovery.ref(openclaw(folder, [text]))
    store = in_one_pass(ref, lines_of(Path(ref.path)))
    bodies = [store.activity(row).body for row in range(store.first, store.end) if store.shown(row)]
    found = [body for body in bodies if isinstance(body, User)]
    assert found.pop().text == ASKED
    return found


@pytest.mark.parametrize("text", AROUND)
def test_what_a_client_puts_around_words_is_their_context(tmp_path: Path, text: str) -> None:
    (prompt,) = prompts_of(tmp_path, text)
    assert prompt.text.strip() == "WORDS"
    assert "".join(prompt.context).count("MARK") == text.count("MARK")
    assert prompt.via == next(
        (name for name in ("Ada", "tui (gateway)") if _sent(text, name)), None
    )


def _sent(text: str, name: str) -> bool:
    return (MARKED if name == "Ada" else SENDER) in text


def test_messages_that_waited_are_one_prompt_without_their_envelopes(tmp_path: Path) -> None:
    waited = (
        "[Queued messages while agent was busy]\n\n[Queue overflow] Dropped 1 message due to cap."
        f"\nSummary:\n- older\n\n---\nQueued #1 (from Ada)\n{EVENT}{SENDER}first\n---\nnot a mark"
        f"\n\n---\nQueued #2\nQueued message metadata (trusted queue data):\n```json\n{{}}\n```\n"
        f"{SENDER}second\n[message_id: 8]"
    )
    (prompt,) = prompts_of(tmp_path, waited)
    assert (prompt.text, prompt.via) == ("first\n---\nnot a mark\n\nsecond", "tui (gateway)")
    context = "".join(prompt.context)
    for mark in ("Queued messages", "Queued #1 (from Ada)", "trusted queue", "message_id: 8"):
        assert context.count(mark) == 1


def test_a_hostile_message_takes_no_longer_than_its_length() -> None:
    marks = ("[2026-01-01 00:00] ", "\n[from: x]", "---\nQueued #1\n", EVENT, "\n\n",
             "[Queued messages while agent was busy]\n", "X: ⟦openclaw:ctx⟧\n", "<<<BEGIN_OPENCLAW",
             "[Thread history - for context]\n\n", "A (untrusted):\n```\n")  # fmt: skip
    for mark in marks:
        found = divided(mark * (100_000 // len(mark)) + "end", FORMS)
        told = [*found.context, *(note.text or "" for note in found.notes), found.words]
        assert sum(text.count("end") for text in told) == 1


def test_the_forms_of_the_page_about_providers() -> None:
    page = (ROOT / "docs" / "providers.md").read_text()
    (code,) = re.findall(r"## Who speaks.*?```python\n(.*?)```", page, re.DOTALL)
    names: dict[str, Any] = {}
    exec(code, names)  # noqa: S102
    texts = ("[tide low] Unload.", "[watch of the night] All is dark.", "Is [tide low] right?")
    ref, place = SessionRef("harbour", "s", "s.jsonl"), SourceRef("s.jsonl", 0, 1)
    asked = [
        names["asked"](TypedBuilder[Asked].of(Asked(text), b"{}", place, ref)) for text in texts
    ]
    assert [[event.body for event in events] for events in asked] == [
        [User("Unload.", context=("[tide low]",))],
        [Attachment("of the night", "scheduled-task", texts[1])],
        [User(texts[2])],
    ]


class Asked(Struct):
    ask: str
