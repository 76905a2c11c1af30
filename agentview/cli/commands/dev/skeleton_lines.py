"""Templates of `agentview dev new-provider` for logs that are files of lines."""

PACKAGE = '''\
"""{label}: where its logs are, and how they begin."""

from pathlib import Path

from agentview.api import LogFiles, Provider, Signature, first_record, make_reading, text


class {type}Logs(LogFiles):
    """Files of JSON lines, one for each session, known by a key on one of the first lines."""

    signatures = (Signature(0.99, keys={{"{name}_session"}}),)

    def roots(self, env):
        """The folders in which the client keeps its logs."""
        return [Path(env["HOME"]) / ".{name}"] if env.get("HOME") else []

    def session_id(self, head):
        """The id of the session, from the first line; None: the name of the file."""
        return text(first_record(head), "{name}_session")


def load_reading():
    """How records are read: imported when the first one is."""
    from {name}_log.decode import LINES, TOOLS

    return make_reading(LINES.events, lines=LINES, tools=TOOLS)


PROVIDER = Provider(
    name="{name}",
    label="{label}",
    discovery={type}Logs("{name}"),
    load_reading=load_reading,
)
'''

SCHEMA = '''\
"""The records of the format: their keys and types."""

from msgspec import Raw, Struct


class Line(Struct):
    """A record. A value of another type is left out; the raw view marks it."""

    type: str | None = None
    at: str | None = None
    text: str | None = None
    """Of a prompt or an answer."""

    # A call and its result.
    id: str | None = None
    tool: str | None = None
    args: Raw = Raw()
    """What it was called with: read when somebody looks at it."""
    output: str | None = None
    exit: int | None = None

    # The first record of a session.
    {name}_session: str | None = None
    title: str | None = None
    folder: str | None = None
'''

DECODE = '''\
"""What happened: the events of one line."""

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
    time_of,
    tool_call,
    tools,
)
from {name}_log.schema import Line

TOOLS = tools(bash="run", read="open")
"""The tools of the client: their names, and the family that says how each is shown."""


def builder(line, raw, source, session):
    """What all events of a line have."""
    return TypedBuilder.of(line, raw, source, session, time=time_of(line.at))


def events(record):
    """The events of a line, at least one; pure."""
    line = record.record
    call_id = line.id or ""
    if line.type == "prompt":
        return [record.event("prompt", User(line.text or ""))]
    if line.type == "text":
        return [record.event("text", Message(line.text or ""))]
    if line.type == "call":
        name, arguments = line.tool or "", record.value_of(line.args)
        call = tool_call(call_id=call_id, name=name, arguments=arguments, spec=TOOLS.get(name))
        return [record.event("call", call)]
    if line.type == "result":
        ok = line.exit == 0 if line.exit is not None else None
        output, code = (TextBlock(line.output or ""),), {{"exit_code": line.exit}}
        return [record.event("result", ToolResult(call_id, ok, output, structured=code))]
    if line.{name}_session is not None:
        title = Title(line.title or "", TitleSource.AI)
        return [record.event("title", title, facts=Facts(cwd=line.folder))]
    return [record.unknown(line.type or "(none)")]


LINES = TypedLines(Line, builder, events)
'''

SAMPLE = """\
{{"{name}_session":"example-1","at":"2001-09-09T01:46:40Z","title":"Files","folder":"/home/dev/{name}"}}
{{"type":"prompt","at":"2001-09-09T01:46:41Z","text":"List the files."}}
{{"type":"call","at":"2001-09-09T01:46:42Z","id":"1","tool":"run","args":{{"command":"ls"}}}}
{{"type":"result","at":"2001-09-09T01:46:43Z","id":"1","exit":0,"output":"a.txt"}}
{{"type":"text","at":"2001-09-09T01:46:44Z","text":"There is one file."}}
"""

TEST = '''\
"""The sample is recognised, and each of its lines is read."""

from pathlib import Path

from agentview.api import Message, SourceRef, ToolCall, ToolKind, ToolResult, Unparsed, User
from {name}_log import PROVIDER

SAMPLE = Path(__file__).parent / "sample.jsonl"


def events_of_the_sample():
    session = PROVIDER.discovery.ref(SAMPLE)
    for number, line in enumerate(SAMPLE.read_bytes().splitlines()):
        yield from PROVIDER.decode(line, SourceRef(str(SAMPLE), number, len(line)), session)


def test_the_sample_is_recognised():
    assert PROVIDER.discovery.probe(SAMPLE.read_bytes(), SAMPLE) > 0.9
    session = PROVIDER.discovery.ref(SAMPLE)
    assert session.session_id == "example-1"
    assert PROVIDER.info(session).title == "Files"


def test_each_line_is_read():
    bodies = [event.body for event in events_of_the_sample()]
    assert not [body for body in bodies if isinstance(body, Unparsed)]
    assert [body.text for body in bodies if isinstance(body, User)] == ["List the files."]
    assert [body.text for body in bodies if isinstance(body, Message)] == ["There is one file."]


def test_a_call_has_its_kind_and_is_joined_with_its_result():
    bodies = [event.body for event in events_of_the_sample()]
    (call,) = [body for body in bodies if isinstance(body, ToolCall)]
    (result,) = [body for body in bodies if isinstance(body, ToolResult)]
    assert call.kind is ToolKind.SHELL
    assert PROVIDER.reading.attach_result(call, result).state == "output-available"
'''

FILES = {
    "{name}_log/__init__.py": PACKAGE,
    "{name}_log/schema.py": SCHEMA,
    "{name}_log/decode.py": DECODE,
    "tests/sample.jsonl": SAMPLE,
    "tests/test_{name}_log.py": TEST,
}
"""Templates of the text of each file, by templates of its path."""
