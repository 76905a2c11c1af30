"""docs/reliability.md names each group, and for each fault a test that is there."""

import ast
import re

from tests.architecture.sources import ROOT
from tests.reliability import GROUPS

_PAGE = ROOT / "docs" / "reliability.md"
_FAULT = re.compile(r"^\| (\d+) \| ([^|]+) \| (.+) \|$", re.MULTILINE)
_TEST = re.compile(r"`(tests/[\w/]+\.py)::(\w+)`")
_FAULTS = 45


def functions_of(path: str) -> set[str]:
    """Names of all functions of a module, those of classes too."""
    tree = ast.parse((ROOT / path).read_text())
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    return {node.name for node in ast.walk(tree) if isinstance(node, kinds)}


def test_every_fault_has_a_test_that_is_there_or_is_said_to_have_none() -> None:
    rows = _FAULT.findall(_PAGE.read_text())
    assert [int(number) for number, _, _ in rows] == list(range(1, _FAULTS + 1))
    for number, fault, covered in rows:
        named = _TEST.findall(covered)
        assert named or "not covered" in covered, f"{number}: {fault}"
        for path, name in named:
            assert (ROOT / path).is_file(), f"{number}: {path}"
            assert name in functions_of(path), f"{number}: {path}::{name}"


def test_every_group_is_in_the_table_with_its_command() -> None:
    page = _PAGE.read_text()
    assert [name for name in GROUPS if f"`python -m tests.reliability {name}" not in page] == []
