"""A session in memory, and plain views of its activities, for tests of the timeline."""

from collections.abc import Callable, Sequence

from rich.segment import Segment
from textual.strip import Strip

from agentview.domain.activity import Activity, Kind, row_kind
from agentview.domain.events import Body, Event, Hidden, Message, Reasoning, User
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import MAIN_STREAM, Stream
from agentview.timeline.view.detail_levels import DetailLevel
from agentview.timeline.view.rows_protocol import RowsChanged
from agentview.timeline.view.titles.title import title_of
from agentview.ui.activity_widget import ActivityWidget, Paint, RowLayout
from agentview.ui.render.lazy_lines import RenderContext

_PLACE = SourceRef("session.jsonl", 0, 1)


def activity(
    body: Body, *, live: bool = False, stream: Stream = MAIN_STREAM, started: float | None = None
) -> Activity:
    """An activity made of one event."""
    event = Event("", "session", _PLACE, body, stream)
    return Activity(body, (event,), started, live=live)


def text_of(body: Body) -> str:
    """The text that a test put into the body."""
    if isinstance(body, Hidden):
        return body.reason
    assert isinstance(body, User | Message | Reasoning)
    return body.text


class MemoryRows:
    """Rows over a list that grows at both ends; counts what is decoded."""

    def __init__(self, activities: Sequence[Activity] = ()) -> None:
        self.first = 0
        self.items = list(activities)
        self.problems: set[int] = set()
        self.decoded: list[int] = []
        self.listeners: list[Callable[[RowsChanged], None]] = []

    @property
    def end(self) -> int:
        return self.first + len(self.items)

    def kind(self, row: int) -> Kind:
        return row_kind(self.items[row - self.first].body)

    def shown(self, row: int) -> bool:
        return not isinstance(self.items[row - self.first].body, Hidden)

    def problem(self, row: int) -> bool:
        return row in self.problems

    def starts_turn(self, row: int) -> bool:
        return isinstance(self.items[row - self.first].body, User)

    def nested(self, row: int) -> bool:
        return self.items[row - self.first].first.stream != MAIN_STREAM

    def activity(self, row: int) -> Activity:
        self.decoded.append(row)
        return self.items[row - self.first]

    def subscribe(self, callback: Callable[[RowsChanged], None]) -> Callable[[], None]:
        self.listeners.append(callback)
        return lambda: self.listeners.remove(callback)

    def tell(self, change: RowsChanged) -> None:
        for listener in list(self.listeners):
            listener(change)

    def append(self, *activities: Activity) -> None:
        self.items += activities
        self.tell(RowsChanged(appended=len(activities)))

    def prepend(self, *activities: Activity) -> None:
        self.items[:0] = activities
        self.first -= len(activities)
        self.tell(RowsChanged(prepended=len(activities)))

    def replace(self, row: int, fresh: Activity) -> None:
        self.items[row - self.first] = fresh
        self.tell(RowsChanged(updated=(row,)))

    def reset(self, *activities: Activity) -> None:
        self.first, self.items = 0, list(activities)
        self.problems.clear()
        self.tell(RowsChanged(reset=True))


class PlainView(RowLayout):
    """The text in lines: the first at title, four more at summary, all of it wrapped at full.

    The line "part 1" folds all lines below it.
    """

    def __init__(self, activity: Activity, level: DetailLevel, space: RenderContext) -> None:
        self.activity, self.level, self.title = activity, level, title_of(activity)
        text, width = text_of(activity.body), space.width
        lines = text.split("\n")
        if level is DetailLevel.TITLE:
            lines = lines[:1]
        elif level is DetailLevel.SUMMARY:
            lines = lines[:5]
        else:
            lines = [
                line[at : at + width] for line in lines for at in range(0, len(line) or 1, width)
            ]
        self.parts = {at: line for at, line in enumerate(lines) if line.startswith("part ")}
        if not space.folds.is_open("part 1", True):
            lines = lines[: 1 + next(iter(self.parts))]
        style = space.palette.text
        self.lines = [
            Strip([Segment(line, style)]).adjust_cell_length(width, style) for line in lines
        ]

    @property
    def height(self) -> int:
        return len(self.lines)

    def fold_at(self, line: int) -> str | None:
        return self.parts.get(line)

    def strips(self, start: int, stop: int) -> Sequence[Strip]:
        return self.lines[start:stop]

    def painted(self, start: int, stop: int, paint: Paint) -> Sequence[Strip]:
        return [strip.apply_style(paint.base) for strip in self.lines[start:stop]]


class RawView(PlainView):
    """Three lines, at any level."""

    def __init__(self, source: Activity, _level: DetailLevel, space: RenderContext) -> None:
        number = text_of(source.body).split(".")[0]
        raw = activity(Message(f"{number}.raw {{\n  ...\n}}"))
        super().__init__(raw, DetailLevel.FULL, space)


class PlainWidget(ActivityWidget):
    """Any kind."""


class ProseWidget(PlainWidget):
    """Another class, for what the agent wrote."""


class PromptWidget(PlainWidget):
    """Another class, for prompts."""


def widget_for(kind: Kind) -> type[ActivityWidget]:
    """A widget class for the kind; classes differ, so that pools do."""
    return {"message": ProseWidget, "user": PromptWidget}.get(kind.value, PlainWidget)


def session(count: int, *, start: int = 0) -> list[Activity]:
    """`count` activities of all sorts, each with its number in every line."""
    return [one(number) for number in range(start, start + count)]


def one(number: int, lines: int | None = None) -> Activity:
    """The activity number `number`."""
    lines = 1 + abs(number * 7) % 13 if lines is None else lines
    text = "\n".join(
        f"#{number}.{line} " + "x" * (abs(number * 31 + line) % 90) for line in range(lines)
    )
    sort = number % 9
    if sort == 0:
        return activity(User(text))
    if sort == 4:
        return activity(Hidden(text, "bookkeeping")) if number % 2 else activity(Reasoning(text))
    if sort in (1, 6):
        return activity(Message(text))
    if sort == 5:
        return activity(Message(text), stream=Stream(id="agent"))
    return activity(Reasoning(text))
