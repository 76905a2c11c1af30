"""The schema takes what the program takes, and refuses what it refuses."""

import tomllib

import jsonschema
import pytest

from agentview.settings.schema import settings_schema
from agentview.settings.table import SETTINGS
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


def test_each_setting_is_described() -> None:
    text = str(SCHEMA)
    assert [setting.key for setting in SETTINGS if setting.sentence not in text] == []
