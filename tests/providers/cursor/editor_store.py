"""Writes databases of the editor: values in JSON by their keys."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

SESSION = "0c3f7e58-64ab-4d19-9d52-7b1f0a8e2c36"
CHILD = "9a1d5e70-2b4c-4f86-8e37-c6d0f1b2a354"
OLD = "3e8b9c01-7f25-4a6d-b0e4-1d2c3b4a5968"
BEGUN = 1_789_999_000_000
FOLDER = "/home/dev/orchard"

Record = dict[str, Any]


def create(path: Path, *, listed: bool = True) -> sqlite3.Connection:
    """An empty database, open for writing, with a write-ahead log."""
    path.parent.mkdir(parents=True, exist_ok=True)
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    for table in ("ItemTable", "cursorDiskKV"):
        connection.execute(
            f"CREATE TABLE {table} (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)"
        )
    if listed:
        connection.execute(
            "CREATE TABLE composerHeaders (composerId TEXT PRIMARY KEY, workspaceId TEXT,"
            " createdAt INTEGER, lastUpdatedAt INTEGER, isArchived INTEGER, isSubagent INTEGER,"
            " recency INTEGER, checkpointAt INTEGER, value TEXT)"
        )
    return connection


def put(connection: sqlite3.Connection, key: str, value: object) -> None:
    """Write a value, or write it again; a text stays as it is."""
    kept = value if isinstance(value, str) else json.dumps(value)
    connection.execute("INSERT INTO cursorDiskKV VALUES (?, ?)", (key, kept))


def moment(second: int) -> str:
    """A time as messages have it."""
    return f"2026-09-21T14:{second // 60:02}:{second % 60:02}.250Z"


class Session:
    """A session whose messages are added one by one, as the editor does."""

    def __init__(self, connection: sqlite3.Connection, own: str = SESSION, **more: Any) -> None:
        self.own = own
        self._connection = connection
        self._heads: list[object] = []
        self._more: Record = {
            "_v": 18,
            "composerId": own,
            "createdAt": BEGUN,
            "lastUpdatedAt": BEGUN,
            "status": "aborted",
            "unifiedMode": "agent",
            "modelConfig": {"modelName": "composer-2"},
            **more,
        }

    def add(self, own: str, *, sort: int = 2, **bubble: Any) -> None:
        """Add a message; its value may be written again later."""
        at = moment(len(self._heads))
        self._heads.append({"bubbleId": own, "type": sort, "createdAt": at})
        self.change(own, sort=sort, createdAt=at, **bubble)
        self.write()

    def change(self, own: str, *, sort: int = 2, **bubble: Any) -> None:
        """Write a message."""
        value: Record = {"_v": 3, "type": sort, "bubbleId": own, "images": [], **bubble}
        put(self._connection, f"bubbleId:{self.own}:{own}", value)

    def write(self, **more: Any) -> None:
        """Write the list of messages."""
        self._more |= more
        value: Record = {**self._more, "fullConversationHeadersOnly": self._heads}
        put(self._connection, f"composerData:{self.own}", value)


def tool(own: str, name: str, status: str = "completed", **given: Any) -> Record:
    """A call: arguments of the model and of the client, and the outcome, are texts of JSON."""
    texts = {
        key: value if isinstance(value, str) else json.dumps(value)
        for key, value in given.items()
        if key in ("rawArgs", "params", "result", "error")
    }
    more = {key: value for key, value in given.items() if key not in texts}
    return {"tool": 40, "toolCallId": own, "name": name, "status": status, **texts, **more}


def write_sample(path: Path) -> None:
    """The sample: all that a session may hold, in words of our own."""
    with closing(create(path)) as connection:
        _write(connection)
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        connection.execute("PRAGMA journal_mode = DELETE")


def _write(connection: sqlite3.Connection) -> None:
    put(
        connection, "composerData:empty", {"composerId": "empty", "fullConversationHeadersOnly": []}
    )
    put(connection, "composerData:broken", "{")
    head = {
        "name": "Prune the trees",
        "workspaceIdentifier": {"id": "w", "uri": {"fsPath": FOLDER}},
        "trackedGitRepos": [{"branches": [{"branchName": "autumn"}]}],
    }
    connection.execute(
        "INSERT INTO composerHeaders (composerId, isSubagent, value) VALUES (?, 0, ?)",
        (SESSION, json.dumps(head)),
    )
    session = Session(
        connection,
        subagentComposerIds=[CHILD],
        usageData={"composer-2": {"costInCents": 12, "amount": 3}},
        contextTokensUsed=4100,
        contextTokenLimit=200_000,
    )
    _work(connection, session)
    child = Session(
        connection,
        CHILD,
        name="Count the trees",
        subagentInfo={
            "parentComposerId": SESSION, "subagentTypeName": "explore", "toolCallId": "t9"
        },
    )  # fmt: skip
    child.add("k1", sort=1, text="Count them.")
    child.add("k2", text="Twelve.")
    old = {
        "_v": 1, "composerId": OLD, "name": "An old talk", "createdAt": BEGUN - 9_000_000,
        "conversation": [
            {"type": 1, "bubbleId": "o1", "text": "Which tree is oldest?",
             "workspaceUris": ["file:///home/dev/old%20orchard"]},
            {"type": 2, "bubbleId": "o2", "text": "The pear."},
        ],
    }  # fmt: skip
    put(connection, f"composerData:{OLD}", old)


def _work(connection: sqlite3.Connection, session: Session) -> None:
    plan = f"{FOLDER}/plan.md"
    session.add(
        "p1",
        sort=1,
        text="Prune the plan.",
        context={"fileSelections": [{"uri": {"fsPath": plan}}]},
    )
    session.add(
        "a1",
        capabilityType=30,
        text="",
        thinking={"text": "Read it first."},
        thinkingDurationMs=1500,
        modelInfo={"modelName": "composer-2"},
    )
    session.add("a2", text="I read the plan.", tokenCount={"inputTokens": 900, "outputTokens": 30})
    session.add(
        "a3",
        capabilityType=15,
        toolFormerData=tool(
            "t1",
            "read_file_v2",
            rawArgs={"path": plan, "limit": 40},
            params={"targetFile": plan},
            result={"contents": "Apple\nPear", "totalLinesInFile": 2},
        ),
    )
    session.add(
        "a4",
        capabilityType=15,
        toolFormerData=tool(
            "t2",
            "run_terminal_command_v2",
            rawArgs="",
            params={"command": "wc -l plan.md", "cwd": FOLDER},
            result={"output": "2 plan.md\n", "rejected": False, "exitCodeV2": 0},
        ),
    )
    session.add(
        "a5",
        capabilityType=15,
        toolFormerData=tool(
            "t3",
            "edit_file_v2",
            params={"relativeWorkspacePath": plan, "noCodeblock": True},
            result={
                "beforeContentId": "composer.content.1",
                "afterContentId": "composer.content.2",
            },
        ),
    )
    put(connection, "composer.content.1", "Apple\nPear\n")
    put(connection, "composer.content.2", "Apple\nPlum\n")
    session.add(
        "a6",
        capabilityType=15,
        toolFormerData=tool(
            "t4",
            "ripgrep_raw_search",
            rawArgs={"pattern": "Plum", "path": FOLDER},
            result={
                "success": {
                    "pattern": "Plum",
                    "workspaceResults": {
                        FOLDER: {
                            "content": {
                                "matches": [
                                    {
                                        "file": "./plan.md",
                                        "matches": [{"lineNumber": 2, "content": "Plum"}],
                                    }
                                ],
                                "totalMatchedLines": 1,
                            }
                        }
                    },
                }
            },
        ),
    )
    session.add(
        "a7",
        capabilityType=15,
        toolFormerData=tool(
            "t5",
            "glob_file_search",
            rawArgs={"glob_pattern": "*.md", "target_directory": FOLDER},
            result={
                "directories": [
                    {"absPath": FOLDER, "files": [{"relPath": "plan.md"}], "totalFiles": 1}
                ]
            },
        ),
    )
    session.add(
        "a8",
        capabilityType=15,
        toolFormerData=tool(
            "t6",
            "run_terminal_cmd",
            rawArgs={"command": "rm plan.md"},
            status="cancelled",
            userDecision="rejected",
            result={"output": "", "rejected": True},
        ),
    )
    session.add(
        "a9",
        capabilityType=15,
        toolFormerData=tool(
            "t7",
            "read_file",
            rawArgs={"target_file": "/no/where"},
            status="error",
            error={"clientVisibleErrorMessage": "File not found", "modelVisibleErrorMessage": "no"},
        ),
    )
    session.add(
        "a10",
        capabilityType=15,
        toolFormerData=tool(
            "t8",
            "todo_write",
            params={
                "todos": [{"id": "1", "content": "Saw", "status": "in_progress"}],
                "merge": False,
            },
            result={
                "success": True,
                "finalTodos": [{"id": "1", "content": "Saw", "status": "in_progress"}],
            },
        ),
    )
    session.add(
        "a11",
        capabilityType=15,
        toolFormerData=tool(
            "t9",
            "task_v2",
            params={
                "description": "Count trees",
                "prompt": "Count them.",
                "subagentType": "explore",
            },
            result={"agentId": CHILD, "durationMs": 900},
        ),
    )
    session.add(
        "a12",
        capabilityType=15,
        toolFormerData=tool(
            "t10",
            "ask_question",
            params={
                "title": "When?",
                "questions": [
                    {"id": "q", "prompt": "Prune when?", "options": [{"id": "a", "label": "Now"}]}
                ],
            },
            result={
                "answers": [
                    {"questionId": "q", "selectedOptionIds": ["a"], "freeformText": "before noon"}
                ]
            },
        ),
    )
    session.add(
        "a13",
        capabilityType=15,
        toolFormerData=tool(
            "t11",
            "search_replace",
            rawArgs={"file_path": plan, "old_string": "Plum", "new_string": "Cherry"},
            result={
                "diff": {
                    "chunks": [
                        {
                            "diffString": "-Plum\n+Cherry",
                            "oldStart": 2,
                            "oldLines": 1,
                            "newStart": 2,
                            "newLines": 1,
                        }
                    ]
                }
            },
        ),
    )
    session.add("a14", toolFormerData={"additionalData": {"status": "error"}}, text="")
    session.add("a15", capabilityType=22, text="")
    session.add("a16", errorDetails={"message": "The model is busy", "error": {}}, text="")
    session.add("a17", text="The plan has cherries now.")
    session.add(
        "p2",
        sort=1,
        richText=json.dumps({"root": {"children": [{"children": [{"text": "Run the saw."}]}]}}),
    )
    session.add("a18", capabilityType=15, toolFormerData=tool(
        "t12", "run_terminal_cmd", rawArgs={"command": "saw --all"}, status="loading",
        additionalData={"reviewData": {"status": "Requested"}}))  # fmt: skip
