"""The command palette's commands: every action that a key runs on the screen below it."""

from textual.command import DiscoveryHit, Hit, Hits, Provider
from textual.content import Content

from agentview.ui.widgets.key_hints import ActiveBinding, bound_actions

_COLUMN = 14
"""Cells for the keys in front of each command."""


class PaletteCommands(Provider):
    """Actions of the screen and the application, each with its keys."""

    async def discover(self) -> Hits:
        """All actions, before anything is typed."""
        for action in bound_actions(self.screen):
            yield DiscoveryHit(
                Content.assemble(_keys(action), action.sentence),
                lambda chosen=action: self._run(chosen),
                text=action.sentence,
            )

    async def search(self, query: str) -> Hits:
        """Actions whose sentence or word matches."""
        matcher = self.matcher(query)
        for action in bound_actions(self.screen):
            score = matcher.match(f"{action.sentence} {action.word}")
            if score > 0:
                yield Hit(
                    score,
                    Content.assemble(_keys(action), matcher.highlight(action.sentence)),
                    lambda chosen=action: self._run(chosen),
                    text=action.sentence,
                )

    async def _run(self, action: ActiveBinding) -> None:
        await self.screen.run_action(action.action)


def _keys(action: ActiveBinding) -> tuple[str, str]:
    return "  ".join(action.keys).ljust(_COLUMN), "$accent not bold"
