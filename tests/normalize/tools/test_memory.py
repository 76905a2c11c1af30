"""Memory that outlives a session: what clients call it, and what they answer."""

import pytest

from agentview.domain.content import TextBlock
from agentview.domain.events import ToolResult
from agentview.domain.tool_inputs import MemoryAction, MemoryPayload, MemoryStep
from agentview.domain.tool_results import Memory, MemoryResult
from agentview.domain.tools import ToolCall, ToolKind
from agentview.normalize.build import attach_result, tool_call
from agentview.normalize.classify import classify
from agentview.normalize.json_fields import Fields

SAVE, CHANGE, REMOVE, READ, SEARCH, LIST = MemoryAction

STEPS: list[tuple[str, Fields, list[MemoryStep]]] = [
    ("save_memory", {"fact": "likes tests"}, [MemoryStep(SAVE, "likes tests")]),
    (
        "store_memory",
        {"subject": "tests", "fact": "run by make", "reason": "asked twice", "scope": "user"},
        [MemoryStep(SAVE, "run by make", "tests", note="asked twice")],
    ),
    ("memory_search", {"query": "tests", "limit": 3}, [MemoryStep(SEARCH, "tests")]),
    ("memory_get", {"path": "memory/a.md", "from": 3}, [MemoryStep(READ, place="memory/a.md")]),
    ("memory", {"command": "view", "path": "/memories"}, [MemoryStep(READ, place="/memories")]),
    (
        "memory",
        {"command": "create", "path": "/memories/a.md", "file_text": "x"},
        [MemoryStep(SAVE, "x", "/memories/a.md")],
    ),
    (
        "memory",
        {"command": "str_replace", "path": "/memories/a.md", "old_str": "x", "new_str": "y"},
        [MemoryStep(CHANGE, "y", "/memories/a.md", "x")],
    ),
    (
        "memory",
        {"command": "insert", "path": "/memories/a.md", "insert_line": 2, "insert_text": "z"},
        [MemoryStep(SAVE, "z", "/memories/a.md")],
    ),
    (
        "memory",
        {"command": "rename", "old_path": "/memories/a.md", "new_path": "/memories/b.md"},
        [MemoryStep(CHANGE, None, "/memories/b.md", "/memories/a.md")],
    ),
    (
        "memory",
        {"command": "delete", "path": "/memories/b.md"},
        [MemoryStep(REMOVE, None, "/memories/b.md")],
    ),
    (
        "memory",
        {
            "operations": [
                {"action": "add", "content": "a"},
                {"action": "remove", "old_text": "b"},
                {"action": "replace", "old_text": "c", "content": "d"},
            ]
        },
        [
            MemoryStep(SAVE, "a"),
            MemoryStep(REMOVE, before="b"),
            MemoryStep(CHANGE, "d", before="c"),
        ],
    ),
    # What a tool does is said by its arguments alone, or not at all.
    ("memory", {"query": "format"}, [MemoryStep(SEARCH, "format")]),
    ("memory", {"content": "a"}, [MemoryStep(SAVE, "a")]),
    ("memory", {"old_text": "a", "content": "b"}, [MemoryStep(CHANGE, "b", before="a")]),
    ("memory", {"old_text": "a"}, [MemoryStep(REMOVE, before="a")]),
    ("memory", {}, [MemoryStep()]),
    ("memory", {"action": "meditate", "content": 7}, [MemoryStep(SAVE, "7")]),
    # The arguments are surer than the name.
    (
        "update_memory",
        {"action": "create", "title": "tests", "knowledge_to_store": "run by make"},
        [MemoryStep(SAVE, "run by make", "tests")],
    ),
    (
        "core_memory_replace",
        {"label": "human", "old_content": "a", "new_content": "b"},
        [MemoryStep(CHANGE, "b", "human", "a")],
    ),
    ("archivalMemorySearch", {"query": "a"}, [MemoryStep(SEARCH, "a")]),
    ("listMemories", {}, [MemoryStep(LIST)]),
    ("remember", {"text": "a", "key": "k"}, [MemoryStep(SAVE, "a", "k")]),
    ("forget", {"id": 7}, [MemoryStep(REMOVE, place="7")]),
]


def _call(name: str, arguments: Fields) -> ToolCall:
    return tool_call(call_id="1", name=name, arguments=arguments, spec=None)


@pytest.mark.parametrize(("name", "arguments", "steps"), STEPS)
def test_what_is_done(name: str, arguments: Fields, steps: list[MemoryStep]) -> None:
    call = _call(name, arguments)
    assert (call.kind, call.canonical_name) == (ToolKind.MEMORY, name)
    assert call.payload == MemoryPayload(tuple(steps))


@pytest.mark.parametrize(
    "name",
    [
        "get_memory_usage",
        "memory_profile",
        "read_process_memory",
        "free_memory",
        "memory_leak_check",
    ],
)
def test_other_tools_speak_of_the_memory_of_a_machine(name: str) -> None:
    assert classify(name, {}).kind is ToolKind.UNKNOWN


RESULTS: list[tuple[object, str, MemoryResult | None]] = [
    (
        {"results": [{"path": "a.md", "startLine": 3, "endLine": 5, "score": 0.5, "snippet": "x"}]},
        "",
        MemoryResult((Memory("x", "a.md:3–5", 0.5),)),
    ),
    (
        None,
        '{"memories": [{"memory": "x", "id": "m1"}, "y"]}',
        MemoryResult((Memory("x", "m1"), Memory("y"))),
    ),
    (None, '["x"]', MemoryResult((Memory("x"),))),
    ({"results": []}, "none", MemoryResult()),
    # What is not understood as a whole stays as it came.
    ({"results": [{"odd": 1}, {"text": "x"}]}, "two", None),
    (None, '{"success": true, "message": "saved"}', None),
    (None, "No results.", None),
]


@pytest.mark.parametrize(("structured", "said", "result"), RESULTS)
def test_what_was_found(structured: object, said: str, result: MemoryResult | None) -> None:
    outcome = ToolResult("1", True, (TextBlock(said),), structured=structured)
    assert attach_result(_call("memory_search", {"query": "x"}), outcome).result == result


def test_a_call_that_failed_found_nothing_that_is_known() -> None:
    failed = ToolResult("1", False, (), structured={"results": []}, error="no index")
    assert attach_result(_call("memory_search", {"query": "x"}), failed).result is None
