"""The settings while the program runs: in force, changed by the person, kept in the file."""

from textual.app import App

from agentview.errors import AgentViewError
from agentview.settings.checking import WrongSetting, checked
from agentview.settings.reading import EffectiveSettings
from agentview.settings.values import Settings
from agentview.timeline.view.detail_levels import DetailLevel, DetailPreferences


class LiveSettings:
    """Settings in force now; the application asks for them again after each change.

    `detail` is the level that a flag asks for; it holds until a level is set here. Whatever is
    about single bindings is imported only when a keymap says something about them.
    """

    def __init__(
        self, in_force: EffectiveSettings, detail: DetailLevel | None, app: type[App[None]]
    ) -> None:
        """Raises WrongSetting for a binding or key that does not exist."""
        self.in_force = in_force
        self._detail = detail
        self._app = app
        self._check_keys()

    @property
    def settings(self) -> Settings:
        return self.in_force.settings

    def preferences(self, *, live: bool) -> DetailPreferences:
        return self.settings.preferences(self._detail, live=live)

    @property
    def keymap(self) -> dict[str, str]:
        return dict(self.settings.keymap)

    def bound_twice(self) -> str:
        """Which keys the keymap gives to two bindings of a scope; empty when it gives none."""
        if not self.settings.keymap:
            return ""
        from agentview.ui.screens.bindings import clashes, known_bindings

        return "; ".join(clashes(self.keymap, known_bindings(self._app)))

    def change(self, key: str, value: object, *, keep: bool = True) -> str:
        """Set a setting or an entry of one, None unsets it; says where that was written.

        It is not written unless `keep`. Raises WrongSetting, and nothing has changed.
        """
        before = self.in_force
        self.in_force = before.changed(key, None if value is None else checked(key, value))
        try:
            self._check_keys()
        except WrongSetting:
            self.in_force = before
            raise
        if key.startswith("detail."):
            self._detail = None
        said = self._keep(key, value) if keep else ""
        twice = self.bound_twice() if key.startswith("keymap.") else ""
        return twice or said

    def _keep(self, key: str, value: object) -> str:
        path = self.in_force.path
        if path is None:
            return f"{key} applies until agentview ends"
        from agentview.settings.writing import write_setting

        try:
            write_setting(path, key, value)
        except AgentViewError as error:
            return f"not saved: {error.message} It applies until agentview ends."
        return f"{key} written to {path}"

    def _check_keys(self) -> None:
        settings = self.settings
        if settings.keymap:
            from agentview.ui.screens.bindings import check_keymap, known_bindings

            check_keymap(settings.keymap, known_bindings(self._app))
        if settings.commands:
            from agentview.ui.screens.bindings import check_commands, known_bindings

            check_commands(settings.commands, settings.keymap, known_bindings(self._app))


def key_table(
    in_force: EffectiveSettings, app: type[App[None]]
) -> tuple[list[tuple[str, tuple[str, ...], str]], str]:
    """Each binding with its id, its keys in force and what it does; and which are bound twice.

    Raises WrongSetting with the place of a binding or key that does not exist.
    """
    from agentview.ui.screens.bindings import known_bindings

    try:
        live = LiveSettings(in_force, None, app)
    except WrongSetting as error:
        raise in_force.blamed(error) from None
    keymap = live.keymap
    rows = [
        (known.id, tuple(keymap[known.id].split(",") if known.id in keymap else known.keys),
         known.sentence)
        for known in known_bindings(app)
    ]  # fmt: skip
    return rows, live.bound_twice()
