"""Nothing grows without an end: how long a module and a function may be."""

import ast
from pathlib import Path

import pytest

from tests.architecture.sources import MODULES, name_of, parse

MODULE_LINES = 400
FUNCTION_LINES = 60


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_a_module_is_shorter_than_400_lines(path: Path):
    assert len(path.read_text().splitlines()) < MODULE_LINES


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_a_function_is_shorter_than_60_lines(path: Path):
    long = {
        node.name: node.end_lineno - node.lineno + 1
        for node in ast.walk(parse(path))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and node.end_lineno is not None
        and node.end_lineno - node.lineno + 1 >= FUNCTION_LINES
    }
    assert long == {}
