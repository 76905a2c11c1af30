"""Notices of budgets: one at each level of each budget, also over several runs."""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import msgspec
from msgspec.structs import replace

from agentview.domain.value import Value
from agentview.sessions.spending.budgets import Spending
from agentview.system.file_writing import make_folder, replace_file
from agentview.system.paths import state_dir

_MOST = 500
"""Budgets of which it is kept what was notified."""
_decode = msgspec.json.Decoder(dict[str, float]).decode


class BudgetNotice(Value):
    """A notification that a level of a budget was reached; its words are clean."""

    spent: Spending
    title: str
    text: str
    occasion: None = None
    """`notices` gives each to one program only."""
    began: None = None

    def masked(self, mask: Callable[[str], str]) -> "BudgetNotice":
        """The notice with all its texts passed through `mask`."""
        name = self.spent.name
        spent = replace(self.spent, name=name and mask(name))
        return replace(self, spent=spent, title=mask(self.title), text=mask(self.text))

    def facts(self) -> dict[str, object]:
        """The facts for a program."""
        spent, ref = self.spent, self.spent.ref
        return {
            "id": ref.session_id if ref is not None else None,
            "provider": ref.provider if ref is not None else None,
            "state": "budget",
            "budget": spent.kind.value,
            "name": spent.name,
            "limit": spent.limit,
            "cost": spent.cost.shown,
            "used": spent.used,
            "level": spent.level,
            "text": f"{self.title}\n{self.text}",
        }


def notices(spent: Iterable[Spending]) -> list[BudgetNotice]:
    """The notices that were not given before, which are kept as given; for a thread."""
    path = state_dir() / "budgets.json"
    given = _read_given(path)
    found: list[BudgetNotice] = []
    for each in spent:
        level = each.level
        if level is not None and given.get(each.key, 0.0) < level:
            given[each.key] = level
            title = f"budget {'used up' if level >= 1.0 else f'{level:.0%} used'}: {each.label}"
            found.append(BudgetNotice(each, title, each.text))
    if found:
        _keep(path, given)
    return found


def _read_given(path: Path) -> dict[str, float]:
    try:
        return _decode(path.read_bytes())
    except (OSError, ValueError):
        return {}


def _keep(path: Path, given: Mapping[str, float]) -> None:
    kept = dict(list(given.items())[-_MOST:])
    try:
        make_folder(path.parent)
        replace_file(path, msgspec.json.encode(kept), 0o600)
    except OSError:
        # Then it is notified once more in the next run.
        return
