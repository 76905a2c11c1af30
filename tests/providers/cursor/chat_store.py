"""Writes databases of chats as the command line does: blobs by their hashes, and a state."""

import json
import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from typing import Any

CHAT = "5b0c7a42-91de-4f36-8c1f-d2a7e6304b95"
BEGUN = 1_789_999_000_000

Message = dict[str, Any]


def create(path: Path) -> sqlite3.Connection:
    """An empty database of a chat, open for writing, with a write-ahead log."""
    path.parent.mkdir(parents=True, exist_ok=True)
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("CREATE TABLE blobs (id TEXT PRIMARY KEY, data BLOB)")
    connection.execute("CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT)")
    return connection


def blob(connection: sqlite3.Connection, data: bytes) -> str:
    """Add a blob; the same bytes are kept once."""
    own = sha256(data).hexdigest()
    connection.execute("INSERT OR IGNORE INTO blobs VALUES (?, ?)", (own, data))
    return own


def message(connection: sqlite3.Connection, value: Message) -> str:
    """Add a message."""
    return blob(connection, json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode())


def archive(connection: sqlite3.Connection, messages: Iterable[str], summary: str, own: str) -> str:
    """Add an archive of messages that were summarized by the message `own`."""
    data = b"".join(field(1, bytes.fromhex(each)) for each in messages)
    return blob(connection, data + field(2, summary.encode()) + field(4, bytes.fromhex(own)))


def state(
    connection: sqlite3.Connection,
    messages: Sequence[str],
    *,
    pending: Sequence[Message] = (),
    archives: Sequence[str] = (),
    name: str = "New Agent",
    **more: Any,
) -> None:
    """Add a state of the conversation, which becomes the newest."""
    data = b"".join(field(1, bytes.fromhex(each)) for each in messages)
    data += b"".join(field(4, json.dumps(each).encode()) for each in pending)
    data += field(5, _number(1, 18_988) + _number(2, 200_000))
    data += field(9, b"file:///home/dev/garden%20shed") + _number(10, 1)
    data += b"".join(field(13, bytes.fromhex(each)) for each in archives)
    data += field(21, field(1, b"/home/dev/garden shed") + field(2, b"spring"))
    known = {
        "agentId": CHAT,
        "latestRootBlobId": blob(connection, data),
        "name": name,
        "mode": "default",
        "createdAt": BEGUN,
        "blobEncryptionKey": "do-not-show-this",
        **more,
    }
    value = json.dumps(known, separators=(",", ":")).encode().hex()
    connection.execute("INSERT OR REPLACE INTO meta VALUES ('0', ?)", (value,))


def field(number: int, data: bytes) -> bytes:
    """A field of bytes, in the wire format of Protocol Buffers."""
    return _varint(number << 3 | 2) + _varint(len(data)) + data


def _number(number: int, value: int) -> bytes:
    return _varint(number << 3) + _varint(value)


def _varint(value: int) -> bytes:
    found = bytearray()
    while value > 0x7F:
        found.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes((*found, value))


def prompt(words: str, minute: int) -> Message:
    """What a person asked, as the client wraps it."""
    sent = f"<timestamp>Monday, Sep 21, 2026, 2:{minute:02} PM (UTC)</timestamp>"
    text = f"{sent}\n<user_query>\n{words}\n</user_query>"
    options = {"cursor": {"requestId": f"request-{minute}"}}
    content = [{"type": "text", "text": text}]
    return {"role": "user", "content": content, "providerOptions": options}


def answer(*parts: Any, own: str = "1", pending: int | None = None) -> Message:
    """What the agent said and called; a text stands for a part of text."""
    content = [{"type": "text", "text": part} if isinstance(part, str) else part for part in parts]
    made: Message = {"role": "assistant", "id": own, "content": content}
    if pending is not None:
        made["providerOptions"] = {"cursor": {"pendingToolCallStartedAtMs": pending}}
    return made


def thought(words: str) -> dict[str, Any]:
    """A part that is a thought."""
    options = {"cursor": {"modelName": "composer-2-fast"}}
    return {"type": "reasoning", "text": words, "signature": "", "providerOptions": options}


def call(own: str, name: str, **arguments: Any) -> dict[str, Any]:
    """A part that is a call."""
    return {"type": "tool-call", "toolCallId": own, "toolName": name, "args": arguments}


def outcome(own: str, name: str, words: str, output: Any = None, *, error: bool = False) -> Message:
    """The outcome of a call: the words for the model, and what the client recorded."""
    part = {
        "type": "tool-result",
        "toolCallId": own,
        "toolName": name,
        "result": words,
        "experimental_content": [{"type": "text", "text": words}],
    }
    made: Message = {"role": "tool", "id": own, "content": [part]}
    if output is not None:
        known = {"output": output, "isError": error}
        made["providerOptions"] = {"cursor": {"highLevelToolCallResult": known}}
    return made


def write_sample(path: Path) -> None:
    """The sample: all that a chat may hold, in words of our own."""
    with closing(create(path)) as connection:
        _write(connection)
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        connection.execute("PRAGMA journal_mode = DELETE")


_FENCE = "```"


def _printed(code: int, words: str) -> str:
    return f"Exit code: {code}\n\nCommand output:\n\n{_FENCE}\n{words}\n{_FENCE}\n"


def _write(connection: sqlite3.Connection) -> None:
    place = "/home/dev/garden shed"
    system = message(connection, {"role": "system", "content": "(left out)"})
    info = f"<user_info>\nWorkspace Path: {place}\n</user_info>\n<rules>\nWater at dawn.\n</rules>"
    options = {"cursor": {"requestContextCompleteness": {"rules": True}}}
    context = message(connection, {"role": "user", "content": info, "providerOptions": options})
    early = [
        message(connection, prompt("What grows here?", 3)),
        message(connection, answer(thought("Look first."), call("c1", "LS", path=place))),
        message(
            connection,
            outcome(
                "c1", "LS", "- beds/",
                {"success": {"directoryTreeRoot": {
                    "absPath": place, "childrenFiles": [{"name": "plan.md"}],
                    "childrenDirs": [{"absPath": f"{place}/beds"}]}}},
            ),
        ),
        message(connection, answer("Beans and a plan.", own="2")),
    ]  # fmt: skip
    words = "Summary of the talk: beans grow here."
    summary = message(
        connection,
        {"role": "user", "content": words, "providerOptions": {"cursor": {"isSummary": True}}},
    )
    kept = archive(connection, [context, *early], words, summary)
    late = [message(connection, each) for each in _work(place)]
    state(
        connection,
        [system, summary, *late],
        archives=[kept],
        name="Tidy the garden",
        lastUsedModel="composer-2-fast",
    )


def _work(place: str) -> list[Message]:
    plan = f"{place}/plan.md"
    return [
        prompt("Tidy the plan.", 5),
        answer(
            "I read it.",
            call("c2", "Read", path=plan),
            call("c3\nfc_3", "Shell", command="wc -l plan.md", description="Count lines"),
            own="3",
        ),
        outcome("c2", "Read", "     1|Beans\n     2|Peas",
                {"success": {"path": plan, "content": "Beans\nPeas", "totalLines": 2}}),
        outcome("c3\nfc_3", "Shell", _printed(0, "2 plan.md"),
                {"success": {"command": "wc -l plan.md", "stdout": "2 plan.md\n",
                             "interleavedOutput": "2 plan.md\n", "executionTime": 31},
                 "isBackground": False}),
        answer(
            {"type": "redacted-reasoning", "data": "AAAA"},
            call("c4", "StrReplace", path=plan, old_string="Peas", new_string="Chard"),
            call("c5", "Shell", command="make test"),
            call("c6", "Grep", pattern="Chard", path=place),
            call("c7", "TodoWrite", todos=[
                {"id": "1", "content": "Dig", "status": "in_progress"}], merge=False),
            own="4",
        ),
        outcome("c4", "StrReplace", "The file has been updated.",
                {"success": {"path": plan, "linesAdded": 1, "linesRemoved": 1,
                             "diffString": "@@ -2 +2 @@\n-Peas\n+Chard"}}),
        outcome("c5", "Shell", _printed(2, "no rule"),
                {"failure": {"command": "make test", "exitCode": 2, "stderr": "no rule\n",
                             "interleavedOutput": "no rule\n"}}, error=True),
        outcome("c6", "Grep", "plan.md:2:Chard",
                {"success": {"pattern": "Chard", "workspaceResults": {place: {"content": {
                    "matches": [{"file": "./plan.md", "matches": [
                        {"lineNumber": 2, "content": "Chard"}]}], "totalMatchedLines": 1}}}}}),
        outcome("c7", "TodoWrite", "Todos updated.",
                {"success": {"todos": [{"id": "1", "content": "Dig",
                                        "status": "TODO_STATUS_IN_PROGRESS"}]}}),
        answer(call("c8", "Shell", command="rm -rf beds"), call("c9", "Read", path="/no/where"),
               call("c10", "CallMcpTool", server="weather", toolName="rain",
                    arguments={"days": 2}),
               call("c11", "AskQuestion", title="When?", questions=[
                   {"id": "q", "prompt": "Dig when?", "options": [
                       {"id": "a", "label": "Today"}, {"id": "b", "label": "Later"}]}]), own="5"),
        outcome("c8", "Shell", "Rejected by the user: keep the beds",
                {"rejected": {"command": "rm -rf beds", "reason": "User rejected: keep the beds"}}),
        outcome("c9", "Read", "File not found",
                {"fileNotFound": {"path": "/no/where"}}, error=True),
        outcome("c10", "CallMcpTool", "none",
                {"success": {"content": [{"text": {"text": "none"}}]}}),
        outcome("c11", "AskQuestion", "Today",
                {"success": {"answers": [{"questionId": "q", "selectedOptionIds": ["a"]}]}}),
        answer(call("c12", "Task", description="Count beds", prompt="Count them",
                    subagent_type="explore"),
               call("c13", "UpdateCurrentStep", currentStep="Digging"), own="6"),
        outcome("c12", "Task", "Two beds.",
                {"success": {"agentId": "agent-7", "durationMs": 1200, "conversationSteps": [
                    {"assistantMessage": {"text": "Two beds."}}]}}),
        outcome("c13", "UpdateCurrentStep", "ok"),
        answer("The plan has chard now.", own="7"),
        prompt("continue", 9),
        prompt("continue", 9),
        answer("Nothing is left to do.", own="8"),
    ]  # fmt: skip
