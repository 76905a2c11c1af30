"""The schema takes what the program takes, and refuses what it refuses."""

import tomllib
from typing import Any

import jsonschema
import pytest

from agentview.settings.checking import WrongSetting, checked, flattened
from agentview.settings.schema import settings_schema
from agentview.settings.table import LARGEST, SETTINGS, Setting
from tests.settings.test_reading import ALL

SCHEMA = settings_schema()


def test_it_is_a_schema_and_takes_a_full_file() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    jsonschema.validate(tomllib.loads(ALL), SCHEMA)
    jsonschema.validate({}, SCHEMA)


@pytest.mark.parametrize(
    "text",
    [
        'theem = "x"',
        '[detail]\ndefualt = "full"',
        '[detail]\ndefault = "all"',
        '[detail.by_tool]\nBash = "all"',
        '[timeline]\nwrap = "yes"',
        "theme = 3",
        'detail = "full"',
        '[sessions.roots]\nx = ["a", 3]',
        '[library]\nsort = "size"',
        "[library.filters]\nx = 3",
    ],
)
def test_it_refuses_what_the_program_refuses(text: str) -> None:
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(tomllib.loads(text), SCHEMA)


VALUES: tuple[object, ...] = (
    True, -1, 0, 1, LARGEST, LARGEST + 1, 2.5, "", "x", "a,b", "a,,b", "full", "clock", "split",
    [], ["a"], ["a", "b"], ["a", 3], [""], {}, {"x": "full"}, {"x": "y"}, {"shell": "full"},
    {"shell": "y"}, {"x": ""}, {"x": ["a"]}, {"x": []}, {"x": 3}, {"x": {"y": "c"}},
)  # fmt: skip
"""Of all sorts, as TOML has them. What a text may not contain, the schema does not say."""


def is_taken(data: dict[str, object]) -> bool:
    try:
        return all(checked(key, value) is not None for key, value in flattened(data))
    except WrongSetting:
        return False


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.key)
def test_both_take_the_same_values(setting: Setting) -> None:
    validator: Any = jsonschema.Draft202012Validator(SCHEMA)
    for value in VALUES:
        data: Any = value
        for name in reversed(setting.key.split(".")):
            data = {name: data}
        assert validator.is_valid(data) == is_taken(data), value


def test_each_setting_is_described() -> None:
    text = str(SCHEMA)
    assert [setting.key for setting in SETTINGS if setting.sentence not in text] == []
