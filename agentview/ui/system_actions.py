"""What reaches beyond one screen: text for the clipboard, files for an editor, masks over all."""

import asyncio
import os
from collections.abc import Sequence
from functools import cache

from textual import on
from textual.app import SuspendNotSupported
from textual.filter import LineFilter

from agentview.errors import AgentViewError
from agentview.ui.clipboard import (
    LIMIT,
    TERMINAL_LIMIT,
    bounded,
    clipboard_command,
    into_clipboard,
    told,
)
from agentview.ui.messages import CopyAsked, EditAsked
from agentview.ui.open_in_editor import edit_in_terminal, edit_in_window, opening
from agentview.ui.ordered_keys import OrderedKeysApp
from agentview.ui.widgets.status_line import StatusLine


class OutsideApp(OrderedKeysApp):
    """Copies and opens what screens ask for; masks secrets while the person wants that."""

    def __init__(self) -> None:
        super().__init__()
        self.masking = False
        self._copying: set[asyncio.Task[None]] = set()

    def show_anew(self) -> None:
        """Let all screens take colours, settings and masks as they are now."""
        raise NotImplementedError

    def get_line_filters(self) -> Sequence[LineFilter]:
        """What is laid over each row: the masks, while they are asked for."""
        filters = super().get_line_filters()
        return [*filters, _masks()] if self.masking else filters

    async def action_mask(self) -> None:
        """Toggle secret masking on all screens."""
        if not self.masking:
            await asyncio.to_thread(_prepare_masks)
        self.masking = not self.masking
        self.show_anew()
        for screen in self.screen_stack:
            for line in screen.query(StatusLine):
                line.show_masking(self.masking)
            for widget in screen.query("*"):
                widget.refresh()
        for line in self.screen.query(StatusLine):
            line.say("secrets are masked" if self.masking else "secrets are shown")

    def key_begins(self) -> None:
        """End the notice of the key before."""
        for child in self.screen.children:
            if isinstance(child, StatusLine):
                child.end_notice()

    @on(CopyAsked)
    def _copy_asked(self, event: CopyAsked) -> None:
        task = asyncio.create_task(self._copy(event))
        self._copying.add(task)
        task.add_done_callback(self._copying.discard)

    async def _copy(self, asked: CopyAsked) -> None:
        """Put the text in the clipboard of the terminal and of the platform; say what was copied.

        The terminal is left out where there is more than it takes and the platform takes it all.
        """
        text, command = asked.text, clipboard_command(os.environ)
        limit, kept = LIMIT, bounded(text, LIMIT)
        taken = len(kept) > TERMINAL_LIMIT and await into_clipboard(kept, command)
        if not taken:
            limit, kept = TERMINAL_LIMIT, bounded(text, TERMINAL_LIMIT)
            self.copy_to_clipboard(kept)
        total = len(text) if len(text) > limit else len(kept)
        asked.say(told(asked.what, len(kept), total, kept.count("\n") + 1))
        if not taken:
            await into_clipboard(kept, command)

    @on(EditAsked)
    def _edit_asked(self, event: EditAsked) -> None:
        try:
            wanted = opening(event.place, os.environ)
        except AgentViewError as error:
            event.say(error.message)
            return
        if wanted.has_window:
            trouble = edit_in_window(wanted)
            event.say(trouble or f"opened {wanted.path.name} with {wanted.argv[0]}")
            return
        try:
            with self.suspend():
                trouble = edit_in_terminal(wanted)
        except SuspendNotSupported:
            trouble = "this terminal cannot be lent to an editor"
        self.refresh(layout=True)
        if trouble:
            event.say(trouble)


def _prepare_masks() -> None:
    """Import and compile what finds secrets, which takes some tenths of a second."""
    from agentview.redaction.secrets import prepare

    prepare()


@cache
def _masks() -> LineFilter:
    # What finds secrets takes as long to import as a frame to make.
    from agentview.ui.render.mask_filter import MaskFilter

    return MaskFilter()
