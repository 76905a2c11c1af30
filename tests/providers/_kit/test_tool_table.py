"""Tables of tools: families by names, and arguments that the client calls otherwise."""

from agentview.domain.tool_inputs import ShellPayload, SubagentPayload, TextEdit
from agentview.domain.tools import ToolKind
from agentview.normalize.json_values import fields_of
from agentview.providers._kit.tool_table import handoff, tool, tools
from agentview.providers._kit.unused_keys import NotingObject, noting


def test_a_table_has_each_name_once():
    table = tools(read="cat view", output="logs", plain="memory")
    assert {name: (spec.kind, spec.canonical_name) for name, spec in table.items()} == {
        "memory": (ToolKind.UNKNOWN, "memory"),
        "cat": (ToolKind.READ, "Read"),
        "view": (ToolKind.READ, "Read"),
        "logs": (ToolKind.SHELL, "logs"),
    }


def test_an_argument_has_the_name_and_the_unit_of_its_family():
    run = tool("bash", "run", keys={"timeout": "timeout_seconds", "do": "command"})
    assert run.canonical_name == "run"
    assert run.payload({"do": "ls", "timeout": 7}) == ShellPayload("ls", timeout=7)
    assert run.payload({"command": "ls"}) == ShellPayload("ls")


def test_of_two_names_for_one_argument_the_first_counts():
    spec = tool("task", keys={"goal": "prompt", "aim": "prompt"})
    given = {"aim": "second", "prompt": "third", "goal": "first"}
    assert spec.payload(given) == SubagentPayload(prompt="first")
    assert spec.payload({"aim": "second", "prompt": "third"}) == SubagentPayload(prompt="second")
    assert spec.payload({"aim": None, "prompt": "third"}) == SubagentPayload(prompt="third")


def test_parts_of_a_list_have_the_same_names():
    spec = tool("edit", keys={"Chunks": "edits", "From": "old_string", "To": "new_string"})
    payload = spec.payload({"path": "a", "Chunks": [{"From": "x", "To": "y"}, "no object"]})
    assert getattr(payload, "files")[0].edits == (TextEdit("x", "y"),)  # noqa: B009


def test_reading_an_argument_is_noted_under_its_own_name():
    given = noting({"do": "ls", "other": 1})
    assert isinstance(given, NotingObject)
    tool("bash", keys={"do": "command"}).payload(fields_of(given))
    assert "do" in given.noted
    assert "other" not in given.noted


def test_handing_over_names_an_agent():
    spec = handoff("transfer_to_pilot")
    assert spec is not None
    assert spec.payload({}) == SubagentPayload(description="pilot", agent_type="pilot")
    assert handoff("transfer") is None
