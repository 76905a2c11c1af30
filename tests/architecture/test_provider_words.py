"""A provider's words stay in its folder, or in that of its family."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from agentview.domain.tools import ToolKind
from agentview.normalize.tools.registry import FAMILIES
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

COMPOUND = re.compile(r"[a-z][A-Z]|[_0-9/ -]")
"""What makes a name one that nobody writes by chance: `run_shell_command`, `grepToolCall`."""

SHARED = {
    "cursor",
    *ToolKind,
    *FAMILIES,
    # The names for exchange are ours, whoever else uses them.
    *(spec.canonical_name for spec in FAMILIES.values()),
    # We write this format, whoever else does.
    "OpenTelemetry",
    "invoke_agent",
    # An action of tools that keep notes too.
    "str_replace",
}
"""Names that are words of ours as well."""


def compound_words() -> set[str]:
    """Names of providers and of their tools that are more than one plain word."""
    names = set(provider_names())
    labels = {load_provider(name).label for name in names}
    tools = {tool for name in names for tool in load_provider(name).reading.tool_kinds}
    return {word for word in names | labels | tools if COMPOUND.search(word)} - SHARED


def plain_names() -> set[str]:
    """Names of providers that are plain words, so that a text may have them by chance.

    Without `acp`, which is the name of a protocol.
    """
    return {name for name in provider_names() if not COMPOUND.search(name)} - SHARED - {"acp"}


def strings(path: Path) -> Iterator[str]:
    """Texts of a module, without those that document it and the names of what it exports."""
    tree = parse(path)
    left_out = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    for node in tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            left_out.update(id(name) for name in ast.walk(node.value))
    for node in ast.walk(tree):
        if not isinstance(node, ast.Constant) or id(node) in left_out:
            continue
        if isinstance(node.value, str):
            yield node.value


def test_there_are_words_to_look_for():
    assert {"claude_code", "run_shell_command", "grepToolCall"} <= compound_words()
    assert {"codex", "happier"} <= plain_names()


def test_no_word_of_a_provider_is_spelled_outside_it():
    spelled = re.compile(rf"\b(?:{'|'.join(map(re.escape, compound_words()))})\b")
    names = plain_names()
    # Far fewer modules have one anywhere than would have to be parsed.
    anywhere = re.compile(rf"{spelled.pattern}|\b(?:{'|'.join(names)})\b")
    found = {
        name_of(path): words
        for path in OUTSIDE
        if anywhere.search(path.read_text())
        and (
            words := [
                word
                for text in strings(path)
                for word in (*spelled.findall(text), *({text} & names))
            ]
        )
    }
    assert found == {}
