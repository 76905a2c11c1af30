"""Objects that note which of their keys are looked at while a record is decoded."""

from collections.abc import ItemsView, Iterator, Mapping, Sequence
from typing import Any, cast

from agentview.domain.events import Event, ToolResult
from agentview.domain.tool_inputs import McpPayload, UnknownPayload
from agentview.domain.tools import ToolCall
from agentview.domain.value import Value
from agentview.normalize.build import tool_call
from agentview.normalize.tools.specs import ToolSpec
from agentview.providers._kit.json_line import escaped
from agentview.providers.base import Answer


class NotingObject(dict[str, object]):
    """A JSON object that notes the keys that are looked at.

    A copy made by `copy` notes for the object that it was made of. One made by `dict` or `**` does
    not: code that decodes uses `changed` of `normalize.json_values`.
    """

    __slots__ = ("copied", "noted")

    def __init__(self) -> None:
        super().__init__()
        self.noted: set[object] = set()
        self.copied: tuple[NotingObject, ...] = ()
        """Objects that this one is a copy of."""

    def note(self, *keys: object) -> None:
        """Note that keys are looked at."""
        self.noted.update(keys)
        for each in self.copied:
            each.note(*keys)

    def get(self, key: str, default: object = None) -> object:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Note the key."""
        self.note(key)
        return super().get(key, default)

    def __getitem__(self, key: str) -> object:
        """Note the key."""
        self.note(key)
        return super().__getitem__(key)

    def __contains__(self, key: object) -> bool:
        """Note the key."""
        self.note(key)
        return super().__contains__(key)

    def items(self) -> Any:
        """Note all keys."""
        self.note(*self)
        return super().items()

    def values(self) -> Any:
        """Note all keys."""
        self.note(*self)
        return super().values()

    def __repr__(self) -> str:
        """Note all keys, those of inner objects too."""
        self.note(*self)
        return super().__repr__()

    def copy(self) -> "NotingObject":
        """Another object that notes for this one too."""
        made = NotingObject()
        made.update(self)
        return made

    def update(self, *args: Any, **kwargs: Any) -> None:
        """Take over values, and note for the objects that they are of."""
        self.copied += tuple(each for each in args if isinstance(each, NotingObject))
        super().update(*args, **kwargs)

    def members(self) -> ItemsView[str, object]:
        return super().items()


def read_bodies(events: list[Event], tools: Mapping[str, ToolSpec], answer: Answer) -> None:
    for event in events:
        _keep(event.body)
        if isinstance(event.body, ToolResult):
            _answer(event.body, events, tools, answer)


def noting(value: object) -> object:
    """The same value with objects that note what is looked at."""
    if isinstance(value, dict):
        made = NotingObject()
        for key, item in cast("dict[str, object]", value).items():
            made[key] = noting(item)
        return made
    if isinstance(value, list):
        return [noting(item) for item in cast("list[object]", value)]
    return value


def _answer(
    result: ToolResult, events: list[Event], tools: Mapping[str, ToolSpec], answer: Answer
) -> None:
    """Read a result as its call does, or as any tool does where the call is in another record."""
    bodies = (event.body for event in events)
    calls = [each for each in bodies if isinstance(each, ToolCall)]
    own = [call for call in calls if call.call_id == result.call_id]
    for call in own or _calls(result.call_id, tools):
        _keep(answer(call, result))


class _AnyArguments(dict[str, object]):
    """Arguments of a call of which nothing is known: each has a text."""

    def __init__(self) -> None:
        super().__init__({"any": "1"})

    def get(self, key: str, default: object = None) -> object:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Give the same text for each key."""
        _ = key, default
        return "1"


def _calls(call_id: str, tools: Mapping[str, ToolSpec]) -> Iterator[ToolCall]:
    """Calls of all tools, without arguments and with all: some results are read by them."""
    for name, spec in tools.items():
        for arguments in (None, _AnyArguments()):
            yield tool_call(call_id=call_id, name=name, arguments=arguments, spec=spec)


def _keep(value: object) -> None:
    if isinstance(value, NotingObject):
        value.note(*value)
        for _, item in value.members():
            _keep(item)
    elif isinstance(value, tuple | list):
        for item in cast("Sequence[object]", value):
            _keep(item)
    elif isinstance(value, Value):
        aside = _aside(value)
        for name in value.__struct_fields__:
            if name != aside:
                _keep(cast("object", getattr(value, name)))


def _aside(value: Value) -> str | None:
    """The field that is a copy of what typed fields have."""
    if isinstance(value, ToolResult):
        return "structured"
    typed = isinstance(value, ToolCall) and not isinstance(
        value.payload, UnknownPayload | McpPayload
    )
    return "args" if typed else None


def unread(value: object, pointer: str) -> Iterator[str]:
    """Pointers of the keys below a pointer that were not looked at, not of what is below them."""
    if isinstance(value, list):
        for index, item in enumerate(cast("list[object]", value)):
            yield from unread(item, f"{pointer}/{index}")
    elif isinstance(value, NotingObject):
        for key, item in value.members():
            place = f"{pointer}/{escaped(key)}"
            if key in value.noted:
                yield from unread(item, place)
            else:
                yield place
