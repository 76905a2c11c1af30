"""Records of small logs are kept too, as those of large ones are."""

import pytest

from agentview.facts.kept import indexed_log


@pytest.fixture(autouse=True)
def _records_of_small_logs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(indexed_log, "LEAST", 0)
