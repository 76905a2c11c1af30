"""What the settings screen lists: a row for each setting, kind of activity and binding."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from agentview.settings.table import KINDS, Setting, Shape, setting_of, value_of
from agentview.settings.values import Settings
from agentview.timeline.levels import DetailLevel, DetailPreferences
from agentview.ui.screens.bindings import KnownBinding

UNSET = ""
"""Stands for no value of its own among the choices of a row."""

_SECTIONS = (
    (
        "Looks",
        (
            ("theme", "theme"),
            ("timeline.time", "times"),
            ("timeline.density", "density"),
            ("timeline.wrap", "wrap lines"),
            ("timeline.icons", "signs"),
            ("diff.mode", "diffs"),
        ),
    ),
    (
        "Library",
        (
            ("library.group", "together by"),
            ("library.sort", "sorted by"),
            ("library.reverse", "other way round"),
            ("library.preview", "preview"),
        ),
    ),
    (
        "Detail",
        (
            ("detail.default", "all kinds"),
            ("detail.default_live", "all kinds, live"),
            ("detail.expanded_default", "expand to"),
            ("detail.on_enter", "enter"),
            ("debug.raw_by_default", "begin with raw"),
        ),
    ),
)
_FLAGS = ("yes", "no")
_LEVELS = tuple(level.value for level in DetailLevel)


@dataclass(frozen=True, slots=True)
class SettingRow:
    """One row: a heading when it has no key, else a setting or an entry of one.

    `choices` are the values to pick from, None where the value is typed; `names` are how they are
    told. `current` is the value in force, whoever set it.
    """

    label: str
    key: str = ""
    sentence: str = ""
    current: str = UNSET
    choices: tuple[str, ...] | None = None
    names: tuple[str, ...] = ()
    own: bool = False
    """It is set by somebody: not as it is by default."""

    @property
    def steps(self) -> bool:
        """Whether its choices are too many to stand in the row."""
        return self.choices is not None and sum(len(name) + 2 for name in self.names) > 52


def setting_rows(
    settings: Settings, themes: Sequence[str], default_theme: str, known: Iterable[KnownBinding]
) -> list[SettingRow]:
    """All rows, in the order in which they stand."""
    rows: list[SettingRow] = []
    for title, members in _SECTIONS:
        rows.append(SettingRow(title))
        for key, label in members:
            setting = setting_of(key)
            if setting is not None:
                rows.append(_row(setting, label, settings, themes, default_theme))
    rows.append(SettingRow("Detail by kind"))
    rows += _level_rows(settings, "detail.by_tool")
    rows.append(SettingRow("Expand to, by kind"))
    rows += _level_rows(settings, "detail.expanded_by_tool")
    rows += _key_rows(settings, known)
    return rows


def _row(
    setting: Setting, label: str, settings: Settings, themes: Sequence[str], default_theme: str
) -> SettingRow:
    value = value_of(settings, setting.key)
    own = value != value_of(Settings(), setting.key)
    if setting.shape is Shape.FLAG:
        word = _FLAGS[0] if value else _FLAGS[1]
        return SettingRow(label, setting.key, setting.sentence, word, _FLAGS, _FLAGS, own)
    if setting.shape is Shape.TEXT:
        names = tuple(themes)
        current = str(value or default_theme)
        return SettingRow(label, setting.key, setting.sentence, current, names, names, own)
    values = tuple(str(choice) for choice in setting.choices or ())
    choices = (UNSET, *values) if setting.unset else values
    names = (setting.unset, *values) if setting.unset else values
    current = UNSET if value is None else str(value)
    return SettingRow(label, setting.key, setting.sentence, current, choices, names, own)


def _level_rows(settings: Settings, key: str) -> Iterator[SettingRow]:
    """A row for each kind of activity, with the level it has now."""
    chosen = value_of(settings, key)
    preferences = settings.preferences(live=False)
    expanding = key != "detail.by_tool"
    own_names: dict[str, object] = chosen if isinstance(chosen, dict) else {}  # pyright: ignore[reportUnknownVariableType]
    tools = {name: name for name in own_names if name not in KINDS}
    for name, kind in {**KINDS, **tools}.items():
        own = kind in own_names
        if expanding:
            level = settings.detail.expanded_by_tool.get(kind) or settings.detail.expanded_default
            what = "an activity of kind" if name in KINDS else "a call of the tool"
            sentence = f"What expanding {what} {name} leads to."
            choices, names = (UNSET, *_LEVELS), ("one further", *_LEVELS)
        else:
            level = _level(preferences, name)
            what = "activities of kind" if name in KINDS else "calls of the tool"
            sentence = f"How much is shown of {what} {name}."
            choices = names = _LEVELS
        current = UNSET if level is None else level.value
        yield SettingRow(name, f"{key}.{name}", sentence, current, choices, names, own)


def _level(preferences: DetailPreferences, name: str) -> DetailLevel:
    known = KINDS.get(name)
    return preferences.by_name[name] if known is None else preferences.level(known)


def _key_rows(settings: Settings, known: Iterable[KnownBinding]) -> Iterator[SettingRow]:
    scope: type | None = None
    for binding in sorted(known, key=lambda binding: binding.id.partition(".")[0]):
        if binding.scope is not scope:
            scope = binding.scope
            yield SettingRow(f"Keys: {binding.id.partition('.')[0]}")
        keys = settings.keymap.get(binding.id) or ",".join(binding.keys)
        yield SettingRow(
            binding.sentence,
            f"keymap.{binding.id}",
            f"Keys with a comma between them, such as j,down: {binding.sentence.lower()}.",
            keys,
            own=binding.id in settings.keymap,
        )


def stepped(row: SettingRow, step: int) -> str:
    """The choice after (1) or before (-1) the current one."""
    choices = row.choices or (row.current,)
    at = choices.index(row.current) if row.current in choices else 0
    return choices[(at + step) % len(choices)]


def typed_value(row: SettingRow, text: str) -> object:
    """A choice or a typed text as the value that a setting holds; None unsets it."""
    if row.choices == _FLAGS:
        return text == _FLAGS[0]
    return text or None
