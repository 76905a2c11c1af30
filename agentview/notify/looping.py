"""The notification that an agent seems to go round in circles."""

from collections.abc import Callable

from msgspec.structs import replace

from agentview.domain.value import Value
from agentview.notify.decision import Subject, place_text, subject_name


class LoopingNotice(Value):
    """A session and the evidence, in clean words."""

    subject: Subject
    turn: float | None
    """When the turn began, epoch seconds."""
    words: str
    began: None = None
    """The turn is a part of the occasion."""

    @property
    def occasion(self) -> str | None:
        return "\0".join(map(str, (*self.subject.key, "looping", self.turn)))

    @property
    def title(self) -> str:
        return f"looping?: {subject_name(self.subject)}"

    @property
    def text(self) -> str:
        return place_text(self.words, self.subject)

    def masked(self, mask: Callable[[str], str]) -> "LoopingNotice":
        """The notice with all its texts passed through `mask`."""
        title = self.subject.title and mask(self.subject.title)
        return replace(self, subject=replace(self.subject, title=title), words=mask(self.words))

    def facts(self) -> dict[str, object]:
        """The facts for a program."""
        subject = self.subject
        return {
            "id": subject.ref.session_id,
            "provider": subject.ref.provider,
            "state": "looping",
            "about": self.words,
            "title": subject.title and subject_name(subject),
            "project": subject.project,
            "path": subject.ref.path,
            "text": f"{self.title}\n{self.text}",
        }
