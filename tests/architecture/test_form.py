"""What each module has: a sentence on what it is, a name that means something, open imports."""

import ast
from pathlib import Path

import pytest

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


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_a_module_begins_with_a_sentence(path: Path):
    docstring = ast.get_docstring(parse(path))
    assert docstring is not None
    first = docstring.split("\n\n", maxsplit=1)[0]
    assert first.endswith((".", ":"))
    assert len(first) > 10


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_a_name_says_what_is_in_it(path: Path):
    words = {
        word for part in path.relative_to(PACKAGE).with_suffix("").parts for word in part.split("_")
    }
    assert words.isdisjoint(EMPTY_WORDS)


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_no_class_is_named_after_nothing(path: Path):
    names = [node.name for node in ast.walk(parse(path)) if isinstance(node, ast.ClassDef)]
    assert [name for name in names if name.endswith(("Manager", "Helper", "Utils", "Util"))] == []


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_no_import_is_for_type_checking_only(path: Path):
    assert "TYPE_CHECKING" not in {
        node.id for node in ast.walk(parse(path)) if isinstance(node, ast.Name)
    }
