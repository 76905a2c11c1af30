"""The key that turns diffs from one below the other to side by side, on every screen alike."""

from collections.abc import Callable

from agentview.settings.reading import EffectiveSettings
from agentview.settings.values import DiffMode
from agentview.ui.messages import SettingChanged

_SAID = {
    DiffMode.SPLIT: "diffs: split if wide enough",
    DiffMode.UNIFIED: "diffs: unified",
}


def diff_mode_turned(*, split: bool, say: Callable[[str], None]) -> SettingChanged:
    """Return the message to post so that diffs use the other layout, until the program ends."""
    mode = DiffMode.UNIFIED if split else DiffMode.SPLIT

    def taken(_in_force: EffectiveSettings, wrong: str) -> None:
        say(wrong or _SAID[mode])

    return SettingChanged("diff.mode", mode.value, taken, kept=False)
