from pathlib import Path

import pytest

from benchmarks import generate


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Sessions are made anew for each test, away from those of real runs."""
    monkeypatch.setenv(generate.DIRECTORY_VARIABLE, str(tmp_path / "cache"))
    return tmp_path / "cache"
