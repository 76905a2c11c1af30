"""Settings from their layers: defaults, the file, the environment, flags; each over the last.

Nothing is built to check a file with: the first frame waits for it, and a validator would take
longer to import than all the rest of the reading.
"""

from collections.abc import Iterable, Mapping
from enum import StrEnum
from pathlib import Path

from msgspec import field
from msgspec.structs import replace

from agentview.domain.value import Value
from agentview.errors import UsageError
from agentview.settings.checking import WrongSetting, checked, flattened, from_text
from agentview.settings.table import SETTINGS, with_value
from agentview.settings.toml_file import NotToml, parsed_toml, toml_text
from agentview.settings.values import Settings
from agentview.system.paths import config_dir

FILE_VARIABLE = "AGENTVIEW_CONFIG"
"""The environment variable that names another file."""

FILE_NAME = "config.toml"


class Layer(StrEnum):
    """Who says what a setting is; a later one wins."""

    DEFAULT = "default"
    FILE = "file"
    ENVIRONMENT = "environment"
    FLAG = "flag"


class Origin(Value):
    """Where a value comes from: the layer, and the file, variable or flag."""

    layer: Layer
    place: str


class EffectiveSettings(Value):
    """The settings of a run, and where each comes from that is not a default.

    `origins` are by key, of a setting or of an entry of one. `path` is the file, there or not;
    None when settings are not kept.
    """

    settings: Settings = field(default_factory=Settings)
    path: Path | None = None
    origins: Mapping[str, Origin] = field(default_factory=dict[str, Origin])

    def changed(self, key: str, value: object) -> "EffectiveSettings":
        """The same with another value for a setting or an entry, as from the file; None unsets."""
        origins = {name: origin for name, origin in self.origins.items() if name != key}
        if value is not None and self.path is not None:
            origins[key] = Origin(Layer.FILE, str(self.path))
        return replace(self, settings=with_value(self.settings, key, value), origins=origins)

    def blamed(self, error: WrongSetting) -> WrongSetting:
        """Return an error that was found later with the place where the setting was given."""
        origin = self.origins.get(error.key)
        if origin is None:
            return error
        if origin.layer is Layer.FILE and self.path is not None:
            return error.at(_place(self.path, toml_text(self.path) or "", error.key))
        return error.at(origin.place)


def config_file(env: Mapping[str, str]) -> Path:
    """The file of settings, which need not exist."""
    named = env.get(FILE_VARIABLE)
    return Path(named).expanduser() if named else config_dir() / FILE_NAME


def read_settings(env: Mapping[str, str], flags: Iterable[str] = ()) -> EffectiveSettings:
    """All settings in force; `flags` are `KEY=VALUE`.

    Raises WrongSetting with the place of what is wrong, UsageError for a file that is not TOML,
    Unreadable for one that cannot be read.
    """
    path = config_file(env)
    settings, origins = Settings(), dict[str, Origin]()
    layers = (_file(path), _environment(env), _flags(flags))
    for layer in layers:
        for key, value, origin in layer:
            settings = with_value(settings, key, value)
            origins[key] = origin
    return EffectiveSettings(settings, path, origins)


_Given = Iterable[tuple[str, object, Origin]]


def _file(path: Path) -> _Given:
    text = toml_text(path)
    if not text:
        return
    origin = Origin(Layer.FILE, str(path))
    try:
        for key, value in flattened(parsed_toml(text)):
            yield key, checked(key, value), origin
    except WrongSetting as error:
        raise error.at(_place(path, text, error.key)) from None
    except (NotToml, RecursionError) as error:
        why = error if isinstance(error, NotToml) else "nested too deeply"
        raise UsageError(f"{path} is not TOML: {why}.", "agentview config path names it.") from None


def _environment(env: Mapping[str, str]) -> _Given:
    for setting in SETTINGS:
        text = env.get(setting.variable)
        if text:
            yield from _texts(setting.key, text, Origin(Layer.ENVIRONMENT, setting.variable))


def _flags(flags: Iterable[str]) -> _Given:
    for flag in flags:
        key, equals, text = flag.partition("=")
        if not equals:
            raise UsageError(f"--set {flag} sets nothing.", "It takes KEY=VALUE.")
        yield from _texts(key.strip(), text, Origin(Layer.FLAG, "--set"))


def _texts(key: str, text: str, origin: Origin) -> _Given:
    try:
        for entry, value in from_text(key, text):
            yield entry, checked(entry, value), origin
    except WrongSetting as error:
        raise error.at(origin.place) from None


def _place(path: Path, text: str, key: str) -> str:
    line = line_of(text, key)
    return f"{path}, line {line}" if line else str(path)


def line_of(text: str, key: str) -> int | None:
    """The line (from 1) on which TOML text gives a key with dots; None when it does not.

    The text is parsed a line longer each time: the first part that has the key ends with the
    statement that gives it, and this begins after the last part that could be parsed.
    """
    lines = text.replace("\r\n", "\n").split("\n")
    begin = 0
    for end in range(1, len(lines) + 1):
        try:
            data = parsed_toml("\n".join(lines[:end]))
        except NotToml:
            continue
        if _has(data, key):
            return begin + 1
        begin = end
    return None


def _has(data: object, key: str) -> bool:
    """Return True if nested tables have the key; any of its dots may be part of a name."""
    if not isinstance(data, dict):
        return False
    table: dict[str, object] = data  # pyright: ignore[reportUnknownVariableType]
    return any(
        name == key or (key.startswith(f"{name}.") and _has(value, key[len(name) + 1 :]))
        for name, value in table.items()
    )
