"""What the log of each client says of who has to act, in the list and on the screen alike."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from agentview.providers import load_provider, recognise
from agentview.providers.base import HEAD_BYTES
from agentview.sources.files import END_BYTES
from agentview.system.paths import sample_sessions_dir
from tests.providers.joined_log import joined

Line = Mapping[str, object]
SID = "0b6c1a52-3f6e-4a3b-9a53-5a3f6d1c2e01"


def stream(*lines: Line) -> list[Line]:
    """What Claude Code prints."""
    begin: Line = {"type": "system", "subtype": "init", "cwd": "/w", "model": "claude-x"}
    return [
        {**line, "session_id": SID, "uuid": f"u{number}"}
        for number, line in enumerate((begin, *lines))
    ]


def said(*content: Line, **more: object) -> Line:
    message = {"id": "m1", "type": "message", "role": "assistant", "model": "claude-x"}
    return {"type": "assistant", "message": {**message, "content": content}, **more}


CALL = said({"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "rm -rf build"}})
MAY_I: Line = {
    "type": "control_request",
    "request_id": "r1",
    "request": {
        "subtype": "can_use_tool",
        "tool_name": "Bash",
        "input": {"command": "rm -rf build"},
        "tool_use_id": "t1",
    },
}
YES: Line = {
    "type": "control_response",
    "response": {
        "subtype": "success",
        "request_id": "r1",
        "response": {"behavior": "allow"},
    },
}
WITHDRAWN: Line = {"type": "control_cancel_request", "request_id": "r1"}
DONE: Line = {
    "type": "user",
    "message": {
        "role": "user",
        "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "gone"}],
    },
}
RESULT: Line = {"type": "result", "subtype": "success", "is_error": False, "result": "ok"}
LIMIT: Line = {
    "type": "rate_limit_event",
    "rate_limit_info": {"status": "rejected", "resetsAt": 1795560000, "rateLimitType": "five_hour"},
}


def transcript(stop_reason: str | None) -> list[Line]:
    """What Claude Code writes: a prompt, and a text of a response that ended for this reason."""
    base = {"sessionId": SID, "cwd": "/w", "version": "2.1.40", "isSidechain": False}
    prompt: Line = {"role": "user", "content": "go"}
    answer: Line = {
        "id": "m1", "type": "message", "role": "assistant", "model": "claude-x",
        "content": [{"type": "text", "text": "I look at the code."}], "stop_reason": stop_reason,
    }  # fmt: skip
    stamp = "2026-11-24T19:53:5{}.000Z"
    return [
        {**base, "type": "user", "uuid": "u0", "parentUuid": None, "message": prompt,
         "timestamp": stamp.format(0)},
        {**base, "type": "assistant", "uuid": "u1", "parentUuid": "u0", "message": answer,
         "requestId": "r1", "timestamp": stamp.format(1)},
    ]  # fmt: skip


def rollout(*payloads: tuple[str, Line]) -> list[Line]:
    """What Codex writes, a record a second."""
    meta: Line = {"id": SID, "cwd": "/w", "originator": "codex_cli", "cli_version": "0.169.0"}
    prompt: Line = {"type": "user_message", "message": "go"}
    records = [("session_meta", meta), ("event_msg", prompt), *payloads]
    return [
        {"timestamp": f"2026-11-24T19:53:{second:02}.000Z", "type": kind, "payload": payload}
        for second, (kind, payload) in enumerate(records)
    ]


def command(**args: object) -> tuple[str, Line]:
    arguments = json.dumps({"cmd": "make", **args})
    call = {"type": "function_call", "name": "exec_command", "arguments": arguments}
    return "response_item", {**call, "call_id": "c1"}


def complete(**more: object) -> tuple[str, Line]:
    return "event_msg", {"type": "task_complete", "turn_id": "t1", **more}


def phased(phase: str) -> tuple[str, Line]:
    words = [{"type": "output_text", "text": "Done."}]
    message: Line = {"type": "message", "role": "assistant", "content": words, "phase": phase}
    return "response_item", message


OUTPUT = ("response_item", {"type": "function_call_output", "call_id": "c1", "output": "done"})
LATE_ITEM = (
    "event_msg",
    {
        "type": "item_completed",
        "turn_id": "t1",
        "started_at_ms": 1795549982000,
        "item": {
            "type": "CommandExecution", "id": "c1", "command": ["/bin/bash", "-lc", "make"],
            "cwd": "/w", "status": "failed", "exit_code": -1,
        },
    },
)  # fmt: skip
ABORTED = ("event_msg", {"type": "turn_aborted", "turn_id": "t1", "reason": "interrupted"})
AGAIN = ("event_msg", {"type": "user_message", "message": "again"})
USAGE_LIMIT = {
    "type": "error",
    "message": "You've hit your usage limit. Try again in 2 hours 5 minutes.",
    "codex_error_info": "usage_limit_exceeded",
}


def chat(status: str | None) -> list[Line]:
    """What Gemini CLI writes."""
    call = {"id": "c1", "name": "run_shell_command", "args": {"command": "make"}}
    answer: dict[str, object] = {
        "id": "g1", "timestamp": "2026-11-24T19:53:59.769Z", "type": "gemini", "content": "I will.",
        "thoughts": [], "tokens": None, "model": "gemini-2.5-pro",
    }  # fmt: skip
    if status is not None:
        answer["toolCalls"] = [{**call, "status": status, "timestamp": answer["timestamp"]}]
    return [
        {"sessionId": SID, "projectHash": "ab", "startTime": "2026-11-24T19:53:50.769Z",
         "lastUpdated": "2026-11-24T19:53:59.769Z", "kind": "main"},
        {"id": "u1", "timestamp": "2026-11-24T19:53:58.769Z", "type": "user",
         "content": [{"text": "go"}]},
        answer,
    ]  # fmt: skip


def qwen(*records: Line) -> list[Line]:
    """What Qwen Code 0.24.4 writes in its terminal interface: a prompt, a call, then these."""
    base = {"sessionId": SID, "cwd": "/w", "version": "0.24.4", "gitBranch": "main"}
    args = {"command": "make", "is_background": False}
    call = {"functionCall": {"id": "c1", "name": "run_shell_command", "args": args}}
    begun = (
        {"type": "user", "message": {"role": "user", "parts": [{"text": "go"}]}},
        {"type": "assistant", "model": "m", "message": {"role": "model", "parts": [call]}},
    )
    return [
        {
            "uuid": f"r{second}",
            "parentUuid": f"r{second - 1}" if second else None,
            "timestamp": f"2026-11-24T19:53:{second:02}.000Z",
            **base,
            **record,
        }
        for second, record in enumerate((*begun, *records))
    ]


def qwen_result(status: str, **response: str) -> Line:
    answer = {"id": "c1", "name": "run_shell_command", "response": response}
    return {
        "type": "tool_result",
        "message": {"role": "user", "parts": [{"functionResponse": answer}]},
        "toolCallResult": {"callId": "c1", "status": status, "resultDisplay": ""},
    }


def qwen_error(code: int, kind: str) -> Line:
    event = {
        "event.name": "qwen-code.api_error", "error_message": f"{code} mock error",
        "error_type": kind, "status_code": code,
    }  # fmt: skip
    return {"type": "system", "subtype": "ui_telemetry", "systemPayload": {"uiEvent": event}}


CANCELLED = qwen_result(
    "cancelled", error="[Operation Cancelled] Reason: User did not allow tool call"
)


def kimi(status: int) -> list[Line]:
    """What Kimi Code 2.1.0 writes: a prompt, and a request that failed."""
    prompt: Line = {"type": "text", "text": "go"}
    details: Line = {"statusCode": status, "requestId": None, "traceId": None}
    error: Line = {
        "code": "provider.api_error", "message": "mock error", "name": "APIStatusError",
        "details": details, "retryable": False,
    }  # fmt: skip
    return [
        {"type": "metadata", "protocol_version": "1.5", "created_at": 1795549980000},
        {"type": "turn.prompt", "input": [prompt], "origin": {"kind": "user"},
         "agentId": "main", "time": 1795549981000},
        {"type": "turn.ended", "agentId": "main", "turnId": 0, "reason": "failed",
         "error": error, "durationMs": 3225, "time": 1795549982000},
    ]  # fmt: skip


def acp(message: str) -> list[Line]:
    """The traffic of an agent whose answer to a prompt is an error."""
    params: Line = {"sessionId": SID, "prompt": [{"type": "text", "text": "go"}]}
    base: Line = {"jsonrpc": "2.0"}
    new: Line = {"cwd": "/w", "mcpServers": []}
    sent: list[Line] = [
        {**base, "id": 1, "method": "session/new", "params": new},
        {**base, "id": 1, "result": {"sessionId": SID}},
        {**base, "id": 2, "method": "session/prompt", "params": params},
        {**base, "id": 2, "error": {"code": -32603, "message": message}},
    ]
    ways = ("client->agent", "agent->client")
    return [
        {"t": 1795549980.0 + at, "dir": ways[at % 2], "msg": each} for at, each in enumerate(sent)
    ]


CASES: dict[str, tuple[list[Line], str, str | None]] = {
    "claude, a text before a call": (transcript("tool_use"), "working", None),
    "claude, a text that may be continued": (transcript(None), "your-turn?", None),
    "claude, a text that was cut off": (transcript("max_tokens"), "your-turn?", None),
    "claude, the last text of a turn": (transcript("end_turn"), "your-turn", None),
    "claude, a text up to a stop sequence": (transcript("stop_sequence"), "your-turn", None),
    "stream, pending": (stream(CALL), "working?", "rm -rf build"),
    "stream, asks": (stream(CALL, MAY_I), "needs-approval", "Bash: rm -rf build"),
    "stream, allowed": (stream(CALL, MAY_I, YES), "working?", "rm -rf build"),
    "stream, withdrawn": (stream(CALL, MAY_I, WITHDRAWN), "working?", "rm -rf build"),
    "stream, done": (stream(CALL, MAY_I, DONE), "working", None),
    "stream, result": (stream(said({"type": "text", "text": "ok"}), RESULT), "your-turn", None),
    "stream, limit": (
        stream(LIMIT, {**RESULT, "is_error": True}), "limited", "A rate limit is reached",
    ),
    "codex, pending": (rollout(command()), "working?", "make"),
    "codex, escalated": (
        rollout(command(sandbox_permissions="require_escalated")), "needs-approval?", "make",
    ),
    "codex, escalated before": (
        rollout(command(with_escalated_permissions=True)), "needs-approval?", "make",
    ),
    "codex, in the sandbox": (
        rollout(command(sandbox_permissions="use_default")), "working?", "make",
    ),
    "codex, a message before a call": (
        rollout(("event_msg", {"type": "agent_message", "message": "I will."})), "your-turn?", None,
    ),
    "codex, a comment": (rollout(phased("commentary")), "working", None),
    "codex, an answer": (rollout(phased("final_answer")), "your-turn", None),
    "codex, complete": (rollout(command(), OUTPUT, complete()), "your-turn", None),
    "codex, failed": (
        rollout(complete(error={"message": "mock error", "codex_error_info": "other"})),
        "failed", "mock error",
    ),
    "codex, too many": (
        rollout(complete(error={"message": "last status: 429 Too Many Requests"})),
        "limited", "last status: 429 Too Many Requests",
    ),
    "codex, failed, then complete": (
        rollout(("event_msg", USAGE_LIMIT), complete()), "limited", str(USAGE_LIMIT["message"]),
    ),
    "codex, late item": (
        rollout(command(), ABORTED, AGAIN, complete(), LATE_ITEM), "your-turn", None,
    ),
    "codex, late item of a failed turn": (
        rollout(command(), ABORTED, AGAIN, complete(error={"message": "mock"}), LATE_ITEM),
        "failed", "mock",
    ),
    "codex, stopped": (rollout(command(), ABORTED, LATE_ITEM), "interrupted", None),
    "qwen, waits or runs": (qwen(), "working?", "make"),
    "qwen, done": (qwen(qwen_result("success", output="done")), "working", None),
    "qwen, cancelled": (qwen(CANCELLED), "interrupted", None),
    "qwen, refused": (
        qwen(qwen_result("success", output="done"), qwen_error(400, "BadRequestError")),
        "failed", "400 mock error",
    ),
    "qwen, tried again": (
        qwen(qwen_result("success", output="done"), qwen_error(429, "RateLimitError")),
        "limited?", "429 mock error",
    ),
    "kimi, failed": (kimi(400), "failed", "mock error"),
    "kimi, limit": (kimi(429), "limited", "mock error"),
    "acp, failed": (acp("Internal error"), "failed", "Internal error (-32603)"),
    "acp, limit": (
        acp("Internal error: 429 Too Many Requests"),
        "limited", "Internal error: 429 Too Many Requests (-32603)",
    ),
    "gemini, answered": (chat(None), "your-turn?", None),
    "gemini, asks": (chat("awaiting_approval"), "needs-approval", "make"),
    "gemini, runs": (chat("executing"), "working?", "make"),
    "gemini, done": (chat("success"), "working?", None),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_the_log_of_a_client_says_who_acts(tmp_path: Path, case: str) -> None:
    lines, label, about = CASES[case]
    name = "session-2026-11-24T19-53-0b6c1a52.jsonl" if "gemini" in case else "log.jsonl"
    log = tmp_path / name
    log.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    provider = recognise(log.read_bytes()[:HEAD_BYTES], log)
    assert provider is not None
    listed = provider.info(provider.discovery.ref(log)).status
    shown = joined(provider, log).log_status()
    assert (listed.label, listed.about) == (label, about)
    assert (shown.label, shown.about) == (label, about)


def test_an_agent_asks_in_the_log_of_its_session(tmp_path: Path) -> None:
    sample = sample_sessions_dir() / "copilot" / "agent_asks" / "events.jsonl"
    log = tmp_path / "agent_asks" / "events.jsonl"
    log.parent.mkdir()
    lines = sample.read_text().splitlines(keepends=True)
    request = next(
        line for line in map(json.loads, lines) if line["type"] == "permission.requested"
    )
    command = request["data"]["permissionRequest"]["fullCommandText"]
    decided = {"requestId": request["data"]["requestId"], "result": {"kind": "approved"}}
    granted = {**request, "type": "permission.completed", "id": "granted", "data": decided}
    provider = load_provider("copilot")
    for more, label in (([], "needs-approval"), ([f"{json.dumps(granted)}\n"], "working")):
        log.write_text("".join([*lines, *more]))
        listed = provider.info(provider.discovery.ref(log)).status
        for status in (listed, joined(provider, log).log_status()):
            assert status.label.removesuffix("?") == label
            asks = label == "needs-approval"
            assert status.agent == ("Does the work" if asks else None)
            assert (command in (status.about or "")) == asks


def test_a_limit_has_the_time_of_its_reset(tmp_path: Path) -> None:
    for number, (lines, until) in enumerate(
        (
            (stream(LIMIT), 1795560000.0),
            (rollout(("event_msg", USAGE_LIMIT), complete()), 1795549982.0 + 7500),
        )
    ):
        log = tmp_path / f"{number}.jsonl"
        log.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
        provider = recognise(log.read_bytes()[:HEAD_BYTES], log)
        assert provider is not None
        assert provider.info(provider.discovery.ref(log)).status.until == until


def test_what_lies_behind_the_part_that_was_read_leaves_it_open(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    huge = ("event_msg", {"type": "agent_message", "message": "x" * 400_000})
    lines = rollout(("event_msg", {"type": "agent_message", "message": "Done."}), huge, huge)
    log.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    provider = recognise(log.read_bytes()[:HEAD_BYTES], log)
    assert provider is not None
    assert not provider.info(provider.discovery.ref(log)).status.certain


_LONG = "x" * END_BYTES


@pytest.mark.parametrize(
    ("lines", "label"),
    [
        (
            rollout(
                ("event_msg", {"type": "agent_reasoning", "text": _LONG}),
                complete(error={"message": "no"}),
            ),
            "failed",
        ),
        (stream(said({"type": "text", "text": _LONG}), RESULT), "your-turn"),
        (qwen(qwen_result("success", output=_LONG), qwen_error(400, "invalid")), "failed"),
    ],
)
def test_the_only_line_behind_the_head_counts(
    tmp_path: Path, lines: list[Line], label: str
) -> None:
    log = tmp_path / "log.jsonl"
    log.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    provider = recognise(log.read_bytes()[:HEAD_BYTES], log)
    assert provider is not None
    assert provider.info(provider.discovery.ref(log)).status.label == label
    assert joined(provider, log).log_status().label == label
