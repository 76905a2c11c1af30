"""Prices that are kept are those of the table, whatever became of the file."""

import math
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest
from genai_prices import Usage as Tokens
from genai_prices.data_snapshot import get_snapshot

from agentview.facts.usage import kept_prices
from agentview.facts.usage.kept_prices import KeptPrices
from agentview.facts.usage.price_table import find_model
from agentview.facts.usage.rates import ModelRates

NOVEMBER = 1_795_219_200.0
DAY = 86_400


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("AGENTVIEW_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache" / "prices"


def _asked(model: str, time: float, size: int) -> float:
    """What the table itself asks for a token of fresh input."""
    found = find_model(model)
    assert found is not None
    price = found.get_prices(datetime.fromtimestamp(time, UTC))
    return float(price.calc_price(Tokens(input_tokens=size))["input_price"] / size)


def _hour(hour: float) -> float:
    return NOVEMBER - NOVEMBER % DAY + hour * 3600


def test_every_model_costs_what_the_table_says() -> None:
    first = KeptPrices()
    names = sorted({model.id for each in get_snapshot().providers for model in each.models})
    found = {name: model for name in names if (model := find_model(name)) is not None}
    # Models of which prices change by the day or by the hour, and some others.
    wanted = [
        name
        for number, (name, model) in enumerate(found.items())
        if number % 20 == 0 or isinstance(model.prices, list)
    ]
    assert len(wanted) > 100
    for name in wanted:
        first.of(name)
    again = KeptPrices()
    times = (0.0, 1.7e9, 1.75e9, NOVEMBER, *map(_hour, (0, 0.5, 1, 4, 8.5, 16.49, 16.5, 23.99)))
    for name in wanted:
        for rates in (first.of(name), again.of(name)):
            assert isinstance(rates, ModelRates)
            for time in times:
                for size in (1, 150_000, 250_000, 2_000_000):
                    asked = _asked(name, time, size)
                    uncached = rates.at(time, size).uncached
                    assert math.isclose(uncached, asked), (name, time, size)


def test_the_table_is_not_imported_for_a_model_that_is_kept(place: Path) -> None:
    KeptPrices().of("o3")
    KeptPrices().of("mock-model")
    code = (
        "import sys\n"
        "from agentview.facts.usage.kept_prices import KeptPrices\n"
        "kept = KeptPrices()\n"
        "print(kept.of('o3').at(1_795_219_200.0, 10).uncached, kept.of('mock-model'))\n"
        "print('genai_prices' in sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["2e-06", "None", "False"]
    assert place.stat().st_mode & 0o777 == 0o600


def _damaged(whole: bytes) -> list[bytes]:
    changed = bytearray(whole)
    changed[40] ^= 4
    return [b"", whole[:3], whole[:-1], bytes(changed), bytes(len(whole)), whole * 200_000]


def test_a_damaged_file_is_written_again(place: Path) -> None:
    KeptPrices().of("o3")
    whole = place.read_bytes()
    for data in _damaged(whole):
        place.write_bytes(data)
        found = KeptPrices().of("o3")
        assert found is not None
        assert found.at(NOVEMBER, 10).uncached == 2e-06
        assert place.read_bytes() == whole


def test_another_table_is_asked_again(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    KeptPrices().of("mock-model")
    kept = place.read_bytes()
    monkeypatch.setattr(kept_prices, "prices_stamp", lambda: (1, 2, 3))
    KeptPrices().of("o3")
    assert place.read_bytes() != kept
    known = KeptPrices()._known  # pyright: ignore[reportPrivateUsage]
    assert [*known] == ["o3"]


def test_names_that_logs_make_up_are_not_all_kept(place: Path) -> None:
    prices = KeptPrices()
    for name in ("x" * 300, "half \ud800", "\x1b]0;title\x07", "", "fine"):
        assert prices.of(name) is None
    kept = KeptPrices()._known  # pyright: ignore[reportPrivateUsage]
    assert [*kept] == ["", "fine"]


def test_a_name_that_is_not_kept_writes_nothing(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept_prices, "_MOST", 2)
    prices = KeptPrices()
    assert prices.of("mock-1") is None
    assert prices.of("mock-2") is None
    written = place.stat()
    for name in ("mock-3", "x" * 300, "\x1b[31m"):
        assert prices.of(name) is None
    assert place.stat() == written
    kept = KeptPrices()._known  # pyright: ignore[reportPrivateUsage]
    assert [*kept] == ["mock-1", "mock-2"]


def test_prices_are_known_where_nothing_can_be_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("no directory")
    monkeypatch.setenv("AGENTVIEW_CACHE_DIR", str(tmp_path / "file" / "cache"))
    for _ in range(2):
        found = KeptPrices().of("o3")
        assert found is not None
        assert found.at(NOVEMBER, 10).uncached == 2e-06
