"""Each module has a sentence on what it is, a name that means something, and open imports."""

import ast
import re
from pathlib import Path

from tests.architecture.sources import MODULES, PACKAGE, name_of, parse

BEGINNING = re.compile(r'r?"""(.*?)(?:\n\n|""")', re.DOTALL)
"""The first paragraph of a docstring."""
VAGUE = re.compile(r'"""\\?\s*(?:Return what|What) ')
"""A docstring, also of a field, that begins so: a quick look before the parser's."""
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
        first = BEGINNING.match(path.read_text())
        return first is not None and first[1].endswith((".", ":")) and len(first[1]) > 10

    assert [name_of(path) for path in MODULES if not begins(path)] == []


def test_a_docstring_names_the_value():
    """Not "What is counted" or "Return what was read", but "The counts of …", or nothing."""

    def vague(path: Path) -> list[str]:
        documented = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
        return [
            f"{name_of(path)}:{node.lineno} {node.name}"
            for node in ast.walk(parse(path))
            if isinstance(node, documented)
            and (ast.get_docstring(node) or "").startswith(("What ", "Return what "))
        ]

    suspects = [path for path in MODULES if VAGUE.search(path.read_text())]
    assert [place for path in suspects for place in vague(path)] == []


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
        name
        for path in MODULES
        for name in re.findall(r"^\s*class (\w+)", path.read_text(), re.MULTILINE)
    ]
    assert len(names) > 500
    assert [name for name in names if name.endswith(("Manager", "Helper", "Utils", "Util"))] == []


def test_no_import_is_for_type_checking_only():
    assert [name_of(path) for path in MODULES if "TYPE_CHECKING" in path.read_text()] == []
