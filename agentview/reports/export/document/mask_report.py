"""Masks a document, and counts what was masked by which rule; never keeps a secret."""

from collections import Counter
from collections.abc import Iterator

from agentview.timeline.view.format_numbers import counted


class MaskReport:
    """Counts what is masked by the rules that found it."""

    def __init__(self) -> None:
        self.rules = Counter[str]()

    def hide(self, value: object) -> object:
        """The value without secrets."""
        from agentview.redaction.values import masked_value

        return masked_value(value, lambda rule: self.rules.update((rule,)))

    def hide_patch(self, patch: str) -> str:
        """A patch without secrets."""
        from agentview.redaction.secrets import masked_patch

        return masked_patch(patch, lambda rule: self.rules.update((rule,)))

    @property
    def secrets(self) -> int:
        """Number of secrets; names of home directories are none."""
        from agentview.redaction.secrets import HOMES_RULE

        return self.rules.total() - self.rules[HOMES_RULE]

    def lines(self, done: str) -> Iterator[str]:
        """A line for each rule below a line that says how many there are."""
        if not self.rules:
            yield f"{done}: nothing."
            return
        yield f"{done}: {counted(self.rules.total(), 'text')}"
        for rule, count in self.rules.most_common():
            yield f"  {count:>6,}  {rule}"
