"""The table of settings has each field of the settings, and nothing else."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import asdict

from agentview.domain.tools import ToolKind
from agentview.domain.value import Value
from agentview.settings.table import (
    SETTINGS,
    Setting,
    plain_value,
    setting_of,
    value_of,
    with_value,
)
from agentview.settings.values import Density, Settings
from agentview.timeline.view.detail_levels import DetailLevel

DOCS = Path(__file__).parents[2] / "docs" / "settings.md"


def keys_of(settings: object, prefix: str = "") -> Iterator[str]:
    if isinstance(settings, Value):
        for name, value in asdict(settings).items():
            yield from keys_of(value, f"{prefix}.{name}".lstrip("."))
    else:
        yield prefix


def documented(setting: Setting) -> str:
    """The row of a setting in the table of docs/settings.md."""
    value = plain_value(value_of(Settings(), setting.key))
    default = f"`{str(value).lower() if isinstance(value, bool) else value}`"
    if setting.unset or setting.is_table:
        default = setting.unset or "none"
    return f"| `{setting.key}` | {setting.allowed} | {default} | {setting.sentence} |"


def test_each_field_has_its_row_and_each_row_its_field() -> None:
    assert sorted(keys_of(Settings())) == sorted(setting.key for setting in SETTINGS)


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.key)
def test_a_setting_is_documented_as_it_is(setting: Setting) -> None:
    text = DOCS.read_text()
    assert documented(setting) in text
    assert setting.sentence.endswith(".")


def test_the_page_documents_no_setting_that_there_is_not() -> None:
    rows = [line for line in DOCS.read_text().splitlines() if line.startswith("| `")]
    assert rows == [documented(setting) for setting in SETTINGS]


def test_an_entry_is_found_by_its_key() -> None:
    found = setting_of("keymap.timeline.down")
    assert found is not None
    assert found.key == "keymap"
    assert setting_of("detail") is None
    assert setting_of("theme.name") is None


def test_values_are_set_and_unset() -> None:
    settings = with_value(Settings(), "timeline.density", Density.COMPACT)
    settings = with_value(settings, "detail.by_tool.shell", DetailLevel.FULL)
    settings = with_value(settings, "keymap.timeline.down", "n")
    assert settings.timeline.density is Density.COMPACT
    assert settings.detail.by_tool == {ToolKind.SHELL: DetailLevel.FULL}
    assert settings.keymap == {"timeline.down": "n"}
    for key in ("timeline.density", "detail.by_tool.shell", "keymap.timeline.down"):
        settings = with_value(settings, key, None)
    assert settings == Settings()
