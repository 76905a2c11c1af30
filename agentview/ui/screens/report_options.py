"""Arguments of the screens of reports besides their subject."""

from collections.abc import Callable

from msgspec.structs import replace

from agentview.domain.value import Value
from agentview.ui.render.lazy_lines import RenderContext


class ReportOptions(Value, gc=True):
    """How a report is shown; all is asked for when it is drawn."""

    space: Callable[[], RenderContext]
    masking: Callable[[], bool]

    def seen(self, text: str) -> str:
        """A text as it may be shown and copied."""
        if not self.masking():
            return text
        # Imported when it is first wanted: what finds secrets takes long to compile.
        from agentview.redaction.secrets import masked

        return masked(text)

    def page(self, width: int) -> RenderContext:
        return replace(self.space(), width=width, wrap=True)
