"""How a session is shown: what its screens are given beside its rows."""

from collections.abc import Callable
from dataclasses import field

from agentview.domain.activity import Activity
from agentview.domain.value import Value
from agentview.settings.values import Density, Settings
from agentview.timeline.levels import DetailPreferences
from agentview.timeline.masking import masked_activity
from agentview.ui.render.palette import Palette
from agentview.ui.render.raw import UnusedKeys
from agentview.ui.widgets.places import Place


class Looks(Value):
    """How a session is shown: colours, levels, the time, and what its provider did not use."""

    palette: Palette
    detail: DetailPreferences
    clock: Callable[[], float]
    unused_keys: UnusedKeys
    raw: bool = False
    note: str = ""
    """Stands in the header behind the provider."""
    bookmarks: dict[str, set[Place]] = field(default_factory=dict[str, set[Place]])
    """Bookmarks by the path of the log, as long as the program runs."""
    settings: Settings = field(default_factory=Settings)
    masking: bool = False
    """Whether secrets are masked on the screen."""

    @property
    def ruled(self) -> bool:
        """Whether a rule stands above each turn."""
        return self.settings.timeline.density is Density.COMFORTABLE

    def seen(self, activity: Activity) -> Activity:
        """The activity as it may be shown and copied."""
        return masked_activity(activity) if self.masking else activity
