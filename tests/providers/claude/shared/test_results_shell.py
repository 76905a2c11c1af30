"""Results of Bash and of the tools that act on background tasks."""

import pytest

from agentview.domain.content import ImageBlock
from agentview.domain.tool_inputs import FileOperation
from agentview.domain.tool_results import FileChange, Hunk, ShellResult
from agentview.domain.tools import Denial, DeniedBy
from tests.providers.claude.shared.joined import Fields, joined

ARGS: Fields = {"command": "make"}
STREAMS: Fields = {"stdout": "out", "stderr": "err", "interrupted": False, "isImage": False}


def bash(structured: object, content: str | None = "out\nerr", *, ok: bool = True):
    return joined("Bash", ARGS, structured, content, ok=ok).result


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ({}, ShellResult("out", "err")),
        ({"interrupted": True}, ShellResult("out", "err", interrupted=True)),
        (
            {"returnCodeInterpretation": "No matches found"},
            ShellResult("out", "err", status="No matches found"),
        ),
        (
            {"persistedOutputPath": "/p/x.txt", "persistedOutputSize": 108894},
            ShellResult("out", "err", spill_path="/p/x.txt", spill_size=108894),
        ),
        (
            {"backgroundTaskId": "b1", "timedOutAfterMs": 120000},
            ShellResult("out", "err", timed_out=True, task_id="b1"),
        ),
        (
            {"isImage": True, "stdout": "data:image/png;base64,aGk="},
            ShellResult(stderr="err", media=(ImageBlock("image/png", "aGk="),)),
        ),
        ({"isImage": True, "stdout": "odd"}, ShellResult(stderr="err")),
    ],
)
def test_streams(more: Fields, expected: ShellResult):
    assert bash({**STREAMS, **more}) == expected


def test_files_that_the_client_saw_a_command_change():
    lines = ["-a", "+b"]
    hunk = {"oldStart": 4, "oldLines": 1, "newStart": 4, "newLines": 1, "lines": lines}
    seen: Fields = {
        "files": [
            {"filePath": "/p/a", "hunks": [hunk, 7]},
            {"filePath": "/p/b", "hunks": [], "created": True},
            {"filePath": "/p/c", "deleted": True},
            None,
        ],
        "moreFiles": 1,
        "changedFiles": ["/p/a", "/p/d", 5],
    }
    found = bash({**STREAMS, "bashEditDiff": seen})
    assert isinstance(found, ShellResult)
    assert found.changes == (
        FileChange("/p/a", hunks=(Hunk(4, 1, 4, 1, ("-a", "+b")),)),
        FileChange("/p/b", FileOperation.CREATE),
        FileChange("/p/c", FileOperation.DELETE),
        FileChange("/p/d"),
    )
    # Another command ran meanwhile: nobody knows which of them it was.
    assert bash({**STREAMS, "bashEditDiff": {**seen, "shared": True}}) == ShellResult("out", "err")
    assert bash({**STREAMS, "bashEditDiff": "none"}) == ShellResult("out", "err")


def test_the_exit_code_stands_at_the_beginning_of_the_error():
    assert bash("Error: Exit code 2\nboom", "Exit code 2\nboom", ok=False) == ShellResult(
        output="boom", exit_code=2
    )


def test_an_exit_code_in_the_output_is_only_output():
    text = "  12  sys.exit(1)\nExit code 1"
    assert bash("Error: " + text, text, ok=False) == ShellResult(output=text)


def test_a_time_limit():
    text = "Exit code 143\nCommand timed out after 2m 0.0s\n\npartial"
    assert bash("Error: " + text, text, ok=False) == ShellResult(
        output="Command timed out after 2m 0.0s\n\npartial", exit_code=143, timed_out=True
    )


@pytest.mark.parametrize(
    "text",
    [
        "Exit code 137\n[Request interrupted by user for tool use]",
        "Exit code 137\npartial\n<error>Command was aborted before completion</error>",
    ],
)
def test_an_interrupted_command(text: str):
    result = bash("Error: " + text, text, ok=False)
    assert isinstance(result, ShellResult)
    assert result.interrupted
    assert result.exit_code == 137


def test_a_command_that_was_never_run_has_no_output():
    text = "<tool_use_error>InputValidationError: Bash failed</tool_use_error>"
    assert bash("InputValidationError: []", text, ok=False) is None
    denied = joined(
        "Bash",
        ARGS,
        "Error: no",
        "The user doesn't want to proceed",
        ok=False,
        denial=Denial(DeniedBy.PERSON, "no"),
    )
    assert denied.result is None


STARTED = "Command running in background with ID: b7."
MOVED = "Command did not complete within its 120s timeout and was moved to the background (ID: b8)."
SPILLED = "<persisted-output>\nOutput too large (29.6KB). Full output saved to: /p/x.txt\n\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("out\nerr", ShellResult(output="out\nerr")),
        ("(Bash completed with no output)", ShellResult(output="")),
        (
            "Command running in background with ID: bash_1",
            ShellResult(output="", task_id="bash_1"),
        ),
        (
            f"{STARTED} Output is being written to: /t/b7.output. You will be notified.",
            ShellResult(output="", task_id="b7", spill_path="/t/b7.output"),
        ),
        (
            f"{MOVED} Output is being written to: /t/b8.output",
            ShellResult(output="", timed_out=True, task_id="b8", spill_path="/t/b8.output"),
        ),
        (
            f"{SPILLED}Preview (first 2KB):\n1\n2\n...\n</persisted-output>",
            ShellResult(output="1\n2\n...", spill_path="/p/x.txt"),
        ),
    ],
)
def test_text_alone(text: str, expected: ShellResult):
    assert bash(None, text) == expected


def test_no_result_at_all():
    assert bash(None, None) is None
    assert bash(None, None, ok=False) is None


def test_the_output_file_of_a_background_command_stands_in_the_text_only():
    text = "Command running in background with ID: b7. Output is being written to: /t/b7.output"
    assert bash({**STREAMS, "backgroundTaskId": "b7"}, text) == ShellResult(
        "out", "err", task_id="b7", spill_path="/t/b7.output"
    )


TAGGED = (
    "<status>completed</status>\n\n<exit_code>1</exit_code>\n\n<stdout>\na\nb\n</stdout>\n\n"
    "<stderr>\ne\n</stderr>\n\n<timestamp>2025-09-03T00:55:34.632Z</timestamp>"
)
TASK_TEXT = (
    "<retrieval_status>success</retrieval_status>\n\n<task_id>t1</task_id>\n\n"
    "<task_type>local_agent</task_type>\n\n<status>completed</status>\n\n<output>\nsaid\n</output>"
)

BACKGROUND: list[tuple[str, Fields, object, str, ShellResult | None]] = [
    (
        "BashOutput",
        {"bash_id": "bash_1"},
        {"shellId": "bash_1", "status": "running", "exitCode": None, "stdout": "a", "stderr": ""},
        "",
        ShellResult("a", "", task_id="bash_1", status="running", launched=True),
    ),
    (
        "BashOutput",
        {"bash_id": "bash_1"},
        None,
        TAGGED,
        ShellResult("a\nb", "e", exit_code=1, task_id="bash_1", status="completed"),
    ),
    (
        "TaskOutput",
        {"task_id": "t1"},
        {
            "retrieval_status": "success",
            "task": {"task_id": "t1", "status": "completed", "output": "said", "exitCode": 0},
        },
        "",
        ShellResult(output="said", exit_code=0, task_id="t1", status="completed"),
    ),
    (
        "TaskOutput",
        {"task_id": "t1"},
        {"retrieval_status": "timeout", "task": None},
        "",
        ShellResult(task_id="t1", status="timeout"),
    ),
    (
        "TaskOutput",
        {"task_id": "t1"},
        None,
        TASK_TEXT,
        ShellResult(output="said", task_id="t1", status="completed"),
    ),
    ("TaskOutput", {"task_id": "t1"}, None, "odd words", None),
    (
        "KillBash",
        {"shell_id": "bash_1"},
        {"success": True, "message": "killed", "shell_id": "bash_1"},
        "",
        ShellResult(task_id="bash_1", status="killed"),
    ),
    (
        "TaskStop",
        {"task_id": "t1"},
        None,
        '{"message":"stopped"}',
        ShellResult(task_id="t1", status="stopped"),
    ),
    (
        "Monitor",
        {"command": "tail -f x"},
        {"taskId": "m1", "timeoutMs": 1000},
        "",
        ShellResult(task_id="m1"),
    ),
    (
        "Monitor",
        {"command": "tail -f x"},
        None,
        "Monitor started (task m1, timeout 1000ms). You will be notified.",
        ShellResult(task_id="m1"),
    ),
]


@pytest.mark.parametrize(("name", "args", "structured", "content", "expected"), BACKGROUND)
def test_background_tasks(
    name: str, args: Fields, structured: object, content: str, expected: ShellResult | None
):
    assert joined(name, args, structured, content or None).result == expected


def test_a_task_that_is_not_there():
    text = "<tool_use_error>No task found with ID: t1</tool_use_error>"
    for name in ("BashOutput", "TaskOutput", "TaskStop"):
        assert joined(name, {"task_id": "t1"}, "Error: No task", text, ok=False).result is None
