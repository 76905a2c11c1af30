"""The JSON Schema of the settings file, made of the table of settings."""

from agentview.settings.table import (
    HOST_NAME,
    KINDS,
    LARGEST,
    SETTINGS,
    Setting,
    Shape,
    plain_value,
    value_of,
)
from agentview.settings.values import Settings
from agentview.timeline.view.detail_levels import DetailLevel

Schema = dict[str, object]


_TEXT: Schema = {"type": "string", "minLength": 1}
_PLAIN: dict[Shape, Schema] = {
    Shape.FLAG: {"type": "boolean"},
    Shape.NUMBER: {"type": "integer", "minimum": 0, "maximum": LARGEST},
    Shape.DOLLARS: {"type": "number", "exclusiveMinimum": 0, "maximum": LARGEST},
    Shape.WORDS: {"type": "array", "items": _TEXT},
    Shape.TEXT: _TEXT,
}


def settings_schema() -> Schema:
    """The schema, for editors that check and complete TOML by one."""
    properties: Schema = {}
    for setting in SETTINGS:
        section, _, name = setting.key.partition(".")
        if name:
            table = properties.setdefault(section, _table({}))
            inside = table["properties"] if isinstance(table, dict) else {}  # pyright: ignore[reportUnknownVariableType]
            inside[name] = _schema_of(setting)
        else:
            properties[section] = _schema_of(setting)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Settings of agentview",
        **_table(properties),
    }


def _table(properties: Schema) -> Schema:
    return {"type": "object", "additionalProperties": False, "properties": properties}


def _schema_of(setting: Setting) -> Schema:
    schema: Schema = {"description": setting.sentence}
    default = plain_value(value_of(Settings(), setting.key))
    if default is not None:
        schema["default"] = default
    match setting.shape:
        case Shape.CHOICE:
            return {**schema, "enum": [str(choice) for choice in setting.choices or ()]}
        case Shape.FLAG | Shape.NUMBER | Shape.DOLLARS | Shape.WORDS | Shape.TEXT:
            return {**schema, **_PLAIN[setting.shape]}
        case Shape.LEVELS:
            level: Schema = {"enum": [str(level) for level in DetailLevel]}
            kinds: Schema = dict.fromkeys(KINDS, level)
            return {**schema, **_table(kinds), "additionalProperties": level}
        case Shape.KEYS:
            # The dots of an id make tables in TOML when nobody puts it in quotes.
            keys: Schema = {"anyOf": [_words(), {"$ref": "#/properties/keymap"}]}
            return {**schema, "type": "object", "additionalProperties": keys}
        case Shape.ROOTS:
            return {**schema, "type": "object", "additionalProperties": _words()}
        case Shape.HOSTS:
            names: Schema = {"propertyNames": {"pattern": HOST_NAME}}
            return {**schema, "type": "object", **names, "additionalProperties": _TEXT}
        case Shape.LINES | Shape.AMOUNTS:
            text: Schema = {"type": "string"}
            entry = text if setting.shape is Shape.LINES else _PLAIN[Shape.DOLLARS]
            return {**schema, "type": "object", "additionalProperties": entry}
        case Shape.COMMANDS:
            words: Schema = {**_PLAIN[Shape.WORDS], "minItems": 1}
            return {**schema, "type": "object", "additionalProperties": words}


def _words() -> Schema:
    text: Schema = {"type": "string", "minLength": 1}
    return {"anyOf": [text, {"type": "array", "items": text, "minItems": 1}]}
