"""What each module has: a sentence on what it is, a name that means something, open imports."""

import re
from pathlib import Path

from tests.architecture.sources import MODULES, PACKAGE, name_of

BEGINNING = re.compile(r'r?"""(.*?)(?:\n\n|""")', re.DOTALL)
"""The first paragraph of a docstring."""
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
