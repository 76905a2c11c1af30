"""Nothing grows without an end: how long a module and a function may be."""

import ast

from agentview.providers.folders import own_packages
from tests.architecture.sources import MODULES, PACKAGE, name_of, parse

MODULE_LINES = 700
PROVIDER_LINES = 700
FUNCTION_LINES = 60


def test_a_module_is_shorter_than_700_lines():
    lengths = {name_of(path): len(path.read_text().splitlines()) for path in MODULES}
    assert {name: lines for name, lines in lengths.items() if lines >= MODULE_LINES} == {}


def test_a_function_is_shorter_than_60_lines():
    lengths = {
        f"{name_of(path)}:{node.name}": node.end_lineno - node.lineno + 1
        for path in MODULES
        for node in ast.walk(parse(path))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.end_lineno is not None
    }
    assert {name: lines for name, lines in lengths.items() if lines >= FUNCTION_LINES} == {}


def test_a_provider_of_more_than_700_lines_says_why():
    silent: list[str] = []
    for package in own_packages().values():
        folder = PACKAGE.joinpath(*package.split(".")[1:])
        lines = sum(len(path.read_text().splitlines()) for path in folder.rglob("*.py"))
        why = (folder / "evidence.toml").read_text()
        if (lines > PROVIDER_LINES) != ("The provider has over 700 lines: " in why):
            silent.append(f"{package}: {lines} lines")
    assert silent == []
