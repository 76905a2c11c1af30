"""The files that ARCHITECTURE.md and docs/providers.md name are there."""

import re

import pytest

from tests.architecture.sources import PACKAGE, ROOT


@pytest.mark.parametrize("page", ["ARCHITECTURE.md", "CONTRIBUTING.md", "docs/providers.md"])
def test_every_module_that_a_page_names_is_there(page: str):
    named = set(re.findall(r"`((?:[a-z_]+/)+[a-z_]+\.py)`", (ROOT / page).read_text()))
    missing = {
        name
        for name in named
        if not (PACKAGE / name).is_file() and not (ROOT / name).is_file()
        if not name.startswith(("harbour_log/", "lighthouse_log/"))
    }
    assert missing == set()
