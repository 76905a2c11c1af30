"""A provider's words stay in its folder, or in that of its family."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from agentview.domain.tools import ToolKind
from agentview.normalize.registry import FAMILIES
from agentview.providers import load_provider, provider_names
from tests.architecture.sources import MODULES, PACKAGE, name_of, parse

PROVIDERS = PACKAGE / "providers"
PASSED_ON = PACKAGE / "normalize" / "classify.py"
"""Names of tools as they reach us through programs that pass on the logs of others."""
OUTSIDE = [
    path
    for path in MODULES
    if (path.parent in (PROVIDERS, PROVIDERS / "_kit") or PROVIDERS not in path.parents)
    and path != PASSED_ON
]

# Names of tools that are also the names by which widgets and titles call an activity, or that are
# plain words.
CANONICAL = {
    "Agent",
    "Bash",
    "Delete",
    "Edit",
    "Fetch",
    "Glob",
    "Grep",
    "LS",
    "Lints",
    "Plan",
    "Read",
    "Search",
    "Shell",
    "Skill",
    "Task",
    "Todos",
    "Write",
    "agent",
    "create",
    "cursor",
    "exec",
    "invalid",
    "list",
    "patch",
    "powershell",
    "question",
    "replace",
    "sleep",
    "task",
    "view",
    "wait",
    *ToolKind,
    *FAMILIES,
    # The names for exchange are ours, whoever else uses them.
    *(spec.canonical_name for spec in FAMILIES.values()),
}


def foreign_words() -> set[str]:
    names = set(provider_names())
    labels = {load_provider(name).label for name in names}
    tools = {tool for name in names for tool in load_provider(name).tool_kinds}
    return {word for word in names | labels | tools if word not in CANONICAL and len(word) > 3}


def strings(path: Path) -> Iterator[str]:
    tree = parse(path)
    docs = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs:
            yield node.value


def test_there_are_words_to_look_for():
    words = foreign_words()
    assert {name for name in provider_names() if len(name) > 3} - CANONICAL <= words
    assert len(words) > 10


def test_no_word_of_a_provider_is_spelled_outside_it():
    spelled = re.compile(rf"\b(?:{'|'.join(map(re.escape, foreign_words()))})\b")
    found = {
        name_of(path): words
        for path in OUTSIDE
        if (words := [word for text in strings(path) for word in spelled.findall(text)])
    }
    assert found == {}
