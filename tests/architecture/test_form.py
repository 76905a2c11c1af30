"""What each module has: a sentence on what it is, a name that means something, open imports."""

import ast
from pathlib import Path

from tests.architecture.sources import MODULES, PACKAGE, name_of, parse

EMPTY_WORDS = {
    "util",
    "utils",
    "helper",
    "helpers",
    "common",
    "manager",
    "managers",
    "core",
    "misc",
}


def test_there_are_modules():
    assert PACKAGE / "cli" / "grammar" / "parts.py" in MODULES


def test_a_module_begins_with_a_sentence():
    def begins(path: Path) -> bool:
        first = (ast.get_docstring(parse(path)) or "").split("\n\n", maxsplit=1)[0]
        return first.endswith((".", ":")) and len(first) > 10

    assert [name_of(path) for path in MODULES if not begins(path)] == []


def test_a_name_says_what_is_in_it():
    words = {
        word: path
        for path in MODULES
        for part in path.relative_to(PACKAGE).with_suffix("").parts
        for word in part.split("_")
    }
    assert {word: path for word, path in words.items() if word in EMPTY_WORDS} == {}


def test_no_class_is_named_after_nothing():
    names = [
        node.name
        for path in MODULES
        for node in ast.walk(parse(path))
        if isinstance(node, ast.ClassDef)
    ]
    assert [name for name in names if name.endswith(("Manager", "Helper", "Utils", "Util"))] == []


def test_no_import_is_for_type_checking_only():
    def names(path: Path) -> set[str]:
        return {node.id for node in ast.walk(parse(path)) if isinstance(node, ast.Name)}

    assert [name_of(path) for path in MODULES if "TYPE_CHECKING" in names(path)] == []
