"""Templates of `agentview dev new-provider --kind database`: sessions are rows of SQLite."""

PACKAGE = '''\
"""{label}: where its database is, and which rows of it are of a session."""

from pathlib import Path

from agentview.api import Database, DatabaseLogs, Provider, Sessions, Table, make_reading

DATABASE = Database(
    tables=(
        Table(
            name="session",
            rows="session s WHERE s.id = :session",
            row="s.rowid",
            created="s.begun",
            updated="s.changed",
            columns={{"id": "s.id", "title": "s.title", "folder": "s.folder", "at": "s.begun"}},
        ),
        Table(
            name="entry",
            rows="entry e WHERE e.session_id = :session",
            row="e.rowid",
            created="e.at",
            updated="e.changed",
            columns={{"kind": "e.kind", "body": "e.body", "at": "e.at", "changed": "e.changed"}},
            parsed=frozenset({{"body"}}),
        ),
    ),
    marks=frozenset({{"session.begun", "entry.session_id"}}),
    sessions=Sessions(rows="session s", id="s.id", modified="s.changed", title="s.title"),
)
"""Rows in the order of `created`; one whose `updated` grew is read again."""


class {type}Database(DatabaseLogs):
    """Databases below a folder; a file that rows were saved to is read too."""

    session_table = "session"

    def roots(self, env):
        """The folders in which the client keeps its database."""
        return [Path(env["HOME"]) / ".{name}"] if env.get("HOME") else []


def load_reading():
    """How rows are read: imported when the first one is."""
    from {name}_log.decode import ROWS, TOOLS

    return make_reading(ROWS.events, lines=ROWS, tools=TOOLS)


PROVIDER = Provider(
    name="{name}",
    label="{label}",
    discovery={type}Database("{name}", DATABASE),
    load_reading=load_reading,
    database=DATABASE,
    has_linked_events=True,
)
'''

SCHEMA = '''\
"""The rows of the tables, by the names that the database description has for their columns."""

from msgspec import Raw, Struct


class Body(Struct):
    """The column with JSON."""

    text: str | None = None
    tool: str | None = None
    args: Raw = Raw()
    """What a tool was called with: read when somebody looks at it."""
    output: str | None = None
    ok: bool | None = None


class Row(Struct):
    """A row. A value of another type is left out; the raw view marks it."""

    table: str | None = None
    rowid: int | None = None
    at: float | None = None

    # Of a session.
    id: str | None = None
    title: str | None = None
    folder: str | None = None

    # Of an entry.
    kind: str | None = None
    body: Body | None = None
    changed: float | None = None
'''

DECODE = '''\
"""What happened: the events of one row, which comes as a line of JSON."""

from agentview.api import (
    Facts,
    Message,
    TextBlock,
    Title,
    TitleSource,
    ToolResult,
    TypedBuilder,
    TypedLines,
    User,
    tool_call,
    tools,
)
from {name}_log.schema import Body, Row

TOOLS = tools(bash="run", read="open")
"""The tools of the client: their names, and the family that says how each is shown."""


def builder(row, raw, source, session):
    """The events of a row take the place of those that it had before it was written again.

    `keeps_place` shows them there; the provider has linked events for it.
    """
    own = f"{{row.table}}-{{row.rowid}}"
    return TypedBuilder.of(
        row, raw, source, session, time=row.at, record_id=own, rewritten_id=own, keeps_place=True
    )


def events(record):
    """The events of a row, at least one; pure."""
    row = record.record
    body = row.body or Body()
    if row.table == "session":
        title = Title(row.title or "", TitleSource.AI)
        return [record.event("title", title, facts=Facts(cwd=row.folder))]
    if row.kind == "prompt":
        return [record.event("prompt", User(body.text or ""))]
    if row.kind == "text":
        return [record.event("text", Message(body.text or ""))]
    if row.kind == "call":
        return call_events(record, body)
    return [record.unknown(row.kind or "(none)")]


def call_events(record, body):
    """A call, and its result once the row has one."""
    name, own, arguments = body.tool or "", record.record_id, record.value_of(body.args)
    call = tool_call(call_id=own, name=name, arguments=arguments, spec=TOOLS.get(name))
    found = [record.event("call", call)]
    if body.output is not None:
        result = ToolResult(own, body.ok is not False, (TextBlock(body.output),))
        found.append(record.event("result", result, time=record.record.changed))
    return found


ROWS = TypedLines(Row, builder, events)
'''

SAMPLE = """\
CREATE TABLE session (id TEXT PRIMARY KEY, title TEXT, folder TEXT, begun REAL, changed REAL);
CREATE TABLE entry (
  id INTEGER PRIMARY KEY, session_id TEXT, kind TEXT, body TEXT, at REAL, changed REAL
);
INSERT INTO session VALUES ('example-1', 'Files', '/home/dev/{name}', 1e9, 1e9 + 4);
INSERT INTO entry VALUES
  (1, 'example-1', 'prompt', '{{"text": "List the files."}}', 1e9 + 1, 1e9 + 1),
  (2, 'example-1', 'call', '{{"tool": "run", "args": {{"command": "ls"}}, "output": "a.txt"}}',
   1e9 + 2, 1e9 + 3),
  (3, 'example-1', 'text', '{{"text": "There is one file."}}', 1e9 + 4, 1e9 + 4);
"""

TEST = '''\
"""The sample is found and read; the package is to be installed: pip install -e ."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from agentview.api import (
    Message,
    SourceRef,
    ToolCall,
    ToolKind,
    ToolResult,
    Unparsed,
    User,
    member_path,
    read_part,
)
from {name}_log import PROVIDER

SAMPLE = Path(__file__).parent / "sample.sql"


@pytest.fixture
def database(tmp_path):
    """The database of the sample, where the client has it."""
    path = tmp_path / ".{name}" / "log.db"
    path.parent.mkdir()
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(SAMPLE.read_text())
        connection.commit()
    return path


@pytest.fixture
def bodies(database):
    """What happened in the session of the sample."""
    path = Path(member_path(str(database), "example-1"))
    session = PROVIDER.discovery.ref(path)
    found = []
    for number, line in enumerate(read_part(path, 0, 65_536).splitlines()):
        events = PROVIDER.decode(line, SourceRef(str(path), number, len(line)), session)
        found += [event.body for event in events]
    return found


def test_the_session_is_found(database):
    (root,) = PROVIDER.discovery.roots({{"HOME": str(database.parent.parent)}})
    (session,) = PROVIDER.scan(root)
    assert session.session_id == "example-1"
    assert PROVIDER.info(session).title == "Files"


def test_each_row_is_read(bodies):
    assert not [body for body in bodies if isinstance(body, Unparsed)]
    assert [body.text for body in bodies if isinstance(body, User)] == ["List the files."]
    assert [body.text for body in bodies if isinstance(body, Message)] == ["There is one file."]


def test_a_call_has_its_kind_and_is_joined_with_its_result(bodies):
    (call,) = [body for body in bodies if isinstance(body, ToolCall)]
    (result,) = [body for body in bodies if isinstance(body, ToolResult)]
    assert call.kind is ToolKind.SHELL
    assert PROVIDER.reading.attach_result(call, result).state == "output-available"
'''

FILES = {
    "{name}_log/__init__.py": PACKAGE,
    "{name}_log/schema.py": SCHEMA,
    "{name}_log/decode.py": DECODE,
    "tests/sample.sql": SAMPLE,
    "tests/test_{name}_log.py": TEST,
}
"""Templates of the text of each file, by templates of its path."""
