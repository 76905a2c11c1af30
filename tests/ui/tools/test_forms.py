"""Commands, files and lists look as they did when they were last looked at."""

import os
import time
from collections.abc import Iterator

import pytest

from tests.ui.tools.forms import FOLDER, WIDTHS, sheet


@pytest.fixture(autouse=True)
def in_utc() -> Iterator[None]:
    """Times of day as they were written down."""
    before = os.environ.get("TZ")
    os.environ["TZ"] = "UTC"
    time.tzset()
    yield
    os.environ.pop("TZ")
    if before is not None:
        os.environ["TZ"] = before
    time.tzset()


@pytest.mark.parametrize("width", WIDTHS)
def test_the_forms_look_as_they_did(width: int) -> None:
    assert sheet(width) == (FOLDER / f"{width}.svg").read_text(encoding="utf-8")
