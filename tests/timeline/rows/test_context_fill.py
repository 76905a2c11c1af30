"""How full the context is: what the last response had, not a sum."""

from pathlib import Path

from agentview.providers import load_provider
from tests.claude_log import SESSION, ClaudeLog, write
from tests.providers.joined_log import joined

PROVIDER = load_provider("claude_code")


def test_the_context_is_that_of_the_last_response(tmp_path: Path):
    filled: list[int | None] = []
    for count in (1, 3):
        log = ClaudeLog()
        records = [log.prompt("go"), *(log.text(f"{number}") for number in range(count))]
        path = write(tmp_path / str(count) / f"{SESSION}.jsonl", records)
        filled.append(joined(PROVIDER, path).summary.context)
    assert filled[0] is not None
    assert filled[0] == filled[1]
