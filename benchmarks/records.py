"""Pieces of made-up sessions: records of each kind as dictionaries with slots to be filled.

The shapes are those that Claude Code 2.1 writes; the mix of kinds is that of real logs (about half
assistant parts, a quarter results, the rest progress, attachments and bookkeeping).
"""

from collections.abc import Callable, Sequence
from random import Random
from typing import Any, TypeAlias

Record: TypeAlias = dict[str, Any]

UUID, PARENT, TIME, CALL, MESSAGE, NUMBER = (f"@@{letter}@@" for letter in "UPTCMN")
"""Slots: filled anew for each record (uuid, parent, time) or for each step (the others)."""

NEEDLE = "Quillwort"
"""Stands in about one step of 300, for searches."""

_SESSION = "@@S@@"
_MODEL = "claude-opus-5-5"
CWD = "/home/dev/shop"
_VOCABULARY = """
    retry backoff queue order price cart module returns the a for when where with index cache
    parser token reads writes loop row column value session handler error result test config
    build branch merge state event log line byte offset window frame key page width height to
    of and in is not must should none empty missing before after while until each every café
"""
_WORDS = _VOCABULARY.split()

Maker: TypeAlias = Callable[[Random, float], tuple[Record, Any, str]]
"""Makes arguments, structured result and result text of a call; the number scales their size."""


def text(rng: Random, words: int) -> str:
    """A paragraph of about so many words."""
    return " ".join(rng.choices(_WORDS, k=max(1, words))).capitalize() + "."


def code(rng: Random, lines: int) -> list[str]:
    """Lines that look like a program."""
    found = [f"def {rng.choice(_WORDS)}_{rng.choice(_WORDS)}(value, limit={rng.randint(1, 99)}):"]
    while len(found) < lines:
        indent = "    " * rng.randint(1, 3)
        found.append(f"{indent}{rng.choice(_WORDS)} = {' + '.join(rng.choices(_WORDS, k=4))}")
    return found


def path(rng: Random) -> str:
    """A file of the project; the number makes it different in each step."""
    return f"{CWD}/src/{rng.choice(_WORDS)}/{rng.choice(_WORDS)}_{NUMBER}.py"


def lines_for(rng: Random, scale: float, mean: float) -> int:
    """How many lines: often few, sometimes many."""
    return max(1, min(2000, round(scale * mean * rng.lognormvariate(-0.5, 1.0))))


def chain(kind: str, **fields: Any) -> Record:
    """A record of the conversation."""
    return {
        "parentUuid": PARENT,
        "isSidechain": False,
        "userType": "external",
        "cwd": CWD,
        "sessionId": _SESSION,
        "version": "2.1.81",
        "gitBranch": "main",
        "type": kind,
        **fields,
        "uuid": UUID,
        "timestamp": TIME,
    }


def prompt(content: str) -> Record:
    """What a person typed."""
    return chain("user", message={"role": "user", "content": content}, promptId=MESSAGE)


def part(block: Record, rng: Random, stop: str | None = None) -> Record:
    """One block of a model's response."""
    usage = {
        "input_tokens": rng.randint(1, 9),
        "cache_creation_input_tokens": rng.randint(50, 4000),
        "cache_read_input_tokens": rng.randint(10_000, 150_000),
        "output_tokens": rng.randint(20, 900),
        "service_tier": "standard",
    }
    message = {
        "id": f"msg_{MESSAGE}",
        "type": "message",
        "role": "assistant",
        "model": _MODEL,
        "content": [block],
        "stop_reason": stop,
        "stop_sequence": None,
        "usage": usage,
    }
    return chain("assistant", message=message, requestId=f"req_{MESSAGE}")


def message(content: str, rng: Random, stop: str | None = None) -> Record:
    """What the model said."""
    return part({"type": "text", "text": content}, rng, stop)


def thinking(rng: Random, scale: float) -> Record:
    """What the model thought; the text is often withheld."""
    words = 0 if rng.random() < 0.4 else round(20 + 40 * scale)
    block = {
        "type": "thinking",
        "thinking": text(rng, words) if words else "",
        "signature": rng.randbytes(60).hex(),
    }
    return part(block, rng)


def call(name: str, arguments: Record, rng: Random) -> Record:
    """A tool call."""
    block = {"type": "tool_use", "id": f"toolu_{CALL}", "name": name, "input": arguments}
    return part(block, rng, "tool_use")


def result(content: str, structured: Any, *, failed: bool = False) -> Record:
    """What a tool brought back; `structured` is what the client keeps next to the text."""
    block: Record = {"tool_use_id": f"toolu_{CALL}", "type": "tool_result", "content": content}
    if failed:
        block["is_error"] = True
    return chain(
        "user",
        message={"role": "user", "content": [block]},
        toolUseResult=structured,
        sourceToolAssistantUUID=PARENT,
    )


def progress(output: str, seconds: int) -> Record:
    """What a running command has written so far."""
    data = {
        "type": "bash_progress",
        "output": output,
        "fullOutput": output,
        "elapsedTimeSeconds": seconds,
        "totalLines": output.count("\n") + 1,
    }
    return chain(
        "progress", data=data, toolUseID=f"bash-progress-{seconds}", parentToolUseID=f"toolu_{CALL}"
    )


def hook_progress() -> Record:
    """A hook began."""
    data = {"type": "hook_progress", "hookEvent": "PostToolUse", "hookName": "PostToolUse:Edit"}
    return chain("progress", data=data, toolUseID=f"toolu_{CALL}", parentToolUseID=f"toolu_{CALL}")


def attachment(rng: Random) -> Record:
    """What the client told the model unasked."""
    content: Record
    if rng.random() < 0.5:
        content = {
            "type": "hook_success",
            "hookName": "PostToolUse:Edit",
            "toolUseID": f"toolu_{CALL}",
            "hookEvent": "PostToolUse",
            "content": "",
            "stdout": "{}",
            "stderr": "",
            "exitCode": 0,
            "command": "format",
            "durationMs": rng.randint(5, 90),
        }
    else:
        content = {"type": "total_tokens_reminder", "used": rng.randint(1000, 150_000)}
    return chain("attachment", attachment=content)


def bookkeeping(words: str) -> Sequence[Record]:
    """State that the client writes down before a turn."""
    snapshot: Record = {"messageId": MESSAGE, "trackedFileBackups": {}, "timestamp": TIME}
    return (
        {
            "type": "file-history-snapshot",
            "messageId": MESSAGE,
            "snapshot": snapshot,
            "isSnapshotUpdate": False,
        },
        {"type": "last-prompt", "lastPrompt": words, "sessionId": _SESSION},
        {"type": "mode", "mode": "normal", "sessionId": _SESSION},
        {"type": "permission-mode", "permissionMode": "default", "sessionId": _SESSION},
        {"type": "ai-title", "aiTitle": "Keep the shop's orders in step", "sessionId": _SESSION},
    )


def turn_end(rng: Random) -> Sequence[Record]:
    """What the client writes down after a turn."""
    return (
        chain(
            "system",
            subtype="stop_hook_summary",
            hookCount=1,
            hookInfos=[{"command": "check"}],
            hookErrors=[],
            preventedContinuation=False,
            stopReason="",
            hasOutput=False,
            level="suggestion",
            toolUseID=f"toolu_{CALL}",
        ),
        chain(
            "system", subtype="turn_duration", durationMs=rng.randint(2000, 90_000), isMeta=False
        ),
    )


def compaction(rng: Random) -> Sequence[Record]:
    """The conversation is summed up."""
    boundary = chain(
        "system",
        subtype="compact_boundary",
        content="Conversation compacted",
        level="info",
        compactMetadata={"trigger": "auto", "preTokens": rng.randint(100_000, 160_000)},
    )
    summary = prompt(
        "This session is being continued from a previous conversation that ran out of context. "
        + text(rng, 200)
    )
    return boundary, {**summary, "isCompactSummary": True, "isVisibleInTranscriptOnly": True}


# Tools: arguments, structured result, text of the result


def bash(rng: Random, scale: float) -> tuple[Record, Any, str]:
    """A command with output."""
    rows = [
        f"{rng.choice(_WORDS)}::{rng.choice(_WORDS)} {rng.choice(('PASSED', 'ok', 'built'))} "
        f"[{rng.randint(0, 100)}%] step {NUMBER}"
        for _ in range(lines_for(rng, scale, 12))
    ]
    output = "\n".join(rows)
    command = f"pytest -q tests/{rng.choice(_WORDS)} -k {rng.choice(_WORDS)}_{NUMBER}"
    structured: Record = {"stdout": output, "stderr": "", "interrupted": False, "isImage": False}
    return {"command": command, "description": text(rng, 4)}, structured, output


def read(rng: Random, scale: float) -> tuple[Record, Any, str]:
    """A part of a file."""
    where, start = path(rng), rng.randint(1, 400)
    rows = code(rng, lines_for(rng, scale, 16))
    numbered = "\n".join(f"{start + at:6}→{row}" for at, row in enumerate(rows))
    file = {
        "filePath": where,
        "content": "\n".join(rows),
        "numLines": len(rows),
        "startLine": start,
        "totalLines": start + len(rows) + 40,
    }
    arguments = {"file_path": where, "offset": start, "limit": len(rows)}
    return arguments, {"type": "text", "file": file}, numbered


def edit(rng: Random, scale: float) -> tuple[Record, Any, str]:
    """A replacement with its patch; older clients keep the whole file next to it."""
    where, start = path(rng), rng.randint(1, 400)
    old, new = code(rng, lines_for(rng, scale, 3)), code(rng, lines_for(rng, scale, 4))
    around = code(rng, 6)
    lines = [f" {row}" for row in around[:3]]
    lines += [f"-{row}" for row in old] + [f"+{row}" for row in new]
    lines += [f" {row}" for row in around[3:]]
    hunk = {
        "oldStart": start,
        "oldLines": len(old) + 6,
        "newStart": start,
        "newLines": len(new) + 6,
        "lines": lines,
    }
    strings = {"old": "\n".join(old), "new": "\n".join(new)}
    original = "\n".join(code(rng, lines_for(rng, scale, 40))) if scale > 4 else None
    structured: Record = {
        "filePath": where,
        "oldString": strings["old"],
        "newString": strings["new"],
        "originalFile": original,
        "structuredPatch": [hunk],
        "userModified": False,
        "replaceAll": False,
    }
    arguments = {"file_path": where, "old_string": strings["old"], "new_string": strings["new"]}
    return arguments, structured, f"The file {where} has been updated successfully."


def write(rng: Random, scale: float) -> tuple[Record, Any, str]:
    """A new file."""
    where, content = path(rng), "\n".join(code(rng, lines_for(rng, scale, 20)))
    structured: Record = {
        "type": "create",
        "filePath": where,
        "content": content,
        "structuredPatch": [],
    }
    done = f"File created successfully at: {where}"
    return {"file_path": where, "content": content}, structured, done


def grep(rng: Random, scale: float) -> tuple[Record, Any, str]:
    """Lines that match."""
    rows = [
        f"src/{rng.choice(_WORDS)}.py:{rng.randint(1, 900)}:    {text(rng, 8)}"
        for _ in range(lines_for(rng, scale, 10))
    ]
    content = "\n".join(rows)
    structured: Record = {
        "mode": "content",
        "numFiles": 0,
        "filenames": [],
        "content": content,
        "numLines": len(rows),
    }
    arguments = {"pattern": f"{rng.choice(_WORDS)}_{NUMBER}", "output_mode": "content", "-n": True}
    return arguments, structured, content


def glob(rng: Random, scale: float) -> tuple[Record, Any, str]:
    """Files that match."""
    names = [path(rng) for _ in range(lines_for(rng, scale, 8))]
    structured: Record = {
        "filenames": names,
        "durationMs": 4,
        "numFiles": len(names),
        "truncated": False,
    }
    return {"pattern": f"src/**/{rng.choice(_WORDS)}*.py"}, structured, "\n".join(names)


def todos(rng: Random, _scale: float) -> tuple[Record, Any, str]:
    """The list of what is to be done."""
    states = ("completed", "in_progress", "pending", "pending")
    items = [
        {"content": text(rng, 5), "status": state, "activeForm": text(rng, 5)} for state in states
    ]
    done = "Todos have been modified successfully."
    return {"todos": items}, {"oldTodos": items[:3], "newTodos": items}, done


def fetch(rng: Random, scale: float) -> tuple[Record, Any, str]:
    """A page of the web."""
    answer, url = text(rng, round(60 * scale)), f"https://docs.example/{rng.choice(_WORDS)}"
    structured: Record = {
        "bytes": 20_480,
        "code": 200,
        "codeText": "OK",
        "result": answer,
        "url": url,
    }
    return {"url": url, "prompt": text(rng, 8)}, {**structured, "durationMs": 900}, answer


def foreign(rng: Random, scale: float) -> tuple[Record, Any, str]:
    """A tool of a server."""
    answer = text(rng, round(30 * scale))
    return {"title": text(rng, 5), "team": "shop"}, [{"type": "text", "text": answer}], answer


TOOLS: Sequence[tuple[str, Maker, int]] = (
    ("Bash", bash, 194),
    ("Read", read, 125),
    ("Edit", edit, 115),
    ("Grep", grep, 37),
    ("TodoWrite", todos, 23),
    ("Write", write, 16),
    ("Glob", glob, 11),
    ("WebFetch", fetch, 5),
    ("mcp__tracker__create_issue", foreign, 6),
)
"""Name, maker, and how often it is called in 532 calls of real logs."""


def tool_step(rng: Random, scale: float) -> list[Record]:
    """A model's response with one call, its result, and what the client notes next to them."""
    names, makers, weights = zip(*TOOLS, strict=True)
    at = rng.choices(range(len(names)), weights)[0]
    arguments, structured, output = makers[at](rng, scale)
    records: list[Record] = []
    if rng.random() < 0.45:
        records.append(thinking(rng, scale))
    if rng.random() < 0.35:
        records.append(message(text(rng, round(12 + 12 * scale)), rng))
    records.append(call(names[at], arguments, rng))
    if names[at] == "Bash" and rng.random() < 0.5:
        shown = "\n".join(output.split("\n")[-10:])
        records += [progress(shown, second) for second in range(2, 2 + rng.randint(1, 4))]
    elif rng.random() < 0.3:
        records.append(hook_progress())
    records.append(_outcome(rng, structured, output))
    if rng.random() < 0.2:
        records.append(attachment(rng))
    return records


def _outcome(rng: Random, structured: Any, output: str) -> Record:
    if rng.random() < 0.05:
        last = "\n".join(output.split("\n")[-6:])
        wrong = f"Exit code {rng.randint(1, 9)}\n{last}"
        return result(wrong, f"Error: {wrong}", failed=True)
    return result(output, structured)


def opening(rng: Random) -> list[Record]:
    """The beginning of a turn."""
    asked = f"Step {NUMBER}: {text(rng, rng.randint(5, 40))}"
    return [*bookkeeping(asked), prompt(asked)]


def closing(rng: Random, scale: float) -> list[Record]:
    """The end of a turn."""
    points = "\n".join(f"- **{rng.choice(_WORDS)}**: {text(rng, 8)}" for _ in range(3))
    said = f"## Step {NUMBER}\n\n{text(rng, round(25 + 20 * scale))}\n\n{points}\n"
    return [message(said, rng, "end_turn"), *turn_end(rng)]
