"""Sessions of other clients that benchmarks are made on: each is read, and as long as asked for."""

import json
from pathlib import Path

import pytest

from benchmarks.generate import END, KB
from benchmarks.generate_formats import formats
from tests.cli.conftest import CommandLine


@pytest.mark.slow
@pytest.mark.parametrize("name", formats())
def test_a_session_of_another_client_is_read_and_each_copy_counts(
    name: str, tmp_path: Path
) -> None:
    agentview = CommandLine(tmp_path, tmp_path)
    path, longer = formats()[name](200 * KB), formats()[name](400 * KB)
    assert formats()[name](200 * KB) == path
    calls: list[int] = []
    for each in (path, longer):
        file = each if each.is_file() else each.parent
        assert file.stat().st_size > 200 * KB
        assert END.encode() in file.read_bytes()
        assert END in agentview.ok("cat", "--detail", "title", str(each))
        tools = json.loads(agentview.ok("stats", "--json", "--by", "tool", str(each)))["tools"]
        calls.append(sum(tool["calls"] for tool in tools))
    assert calls[1] > calls[0] > 20
