"""A record of either program, and the events that both have."""

from collections.abc import Sequence

from msgspec import Raw

from agentview.domain.content import Block, TextBlock
from agentview.domain.events import ToolResult
from agentview.domain.index_entry import EventLinks
from agentview.domain.tools import ToolCall
from agentview.normalize.build import tool_call
from agentview.normalize.json_fields import as_text, mapping
from agentview.normalize.json_values import fields_of
from agentview.normalize.output_text import text_of as text_in
from agentview.normalize.tools.specs import known_calls
from agentview.providers._kit.typed_records import LightEvent, TypedBuilder, in_run
from agentview.providers.kimi.shared.content import blocks_of
from agentview.providers.kimi.shared.results import outcome_of
from agentview.providers.kimi.shared.schema import Chat, Part
from agentview.providers.kimi.shared.tools import ARGUED, SPECS, find_tool

Path = tuple[str | int, ...]


_known = known_calls(lambda name: None if name in ARGUED else SPECS.get(name))


class KimiRecord(TypedBuilder[Chat], gc=False):
    """A record of either program."""

    def words(self, *path: str | int) -> tuple[str, tuple[Block, ...]]:
        """Words of a person in a content, and the other blocks."""
        blocks = blocks_of(self.value_at(*path))
        return text_in(blocks) or "", tuple(
            block for block in blocks if not isinstance(block, TextBlock)
        )

    def said(self, suffix: str, part: Part | str | None, *path: str | int) -> LightEvent:
        """A part of a response."""
        kind = part.type if isinstance(part, Part) else None
        if isinstance(part, Part) and kind == "text":
            return self.text_part(suffix, part.text or "")
        if isinstance(part, Part) and kind == "think":
            return self.thought_part(suffix, part.think or "", withheld=not part.think)
        return self.text_part(suffix, "", blocks_of([self.value_at(*path)]))

    def call(
        self,
        suffix: str,
        call_id: str,
        name: str,
        given: Raw,
        path: Path,
        title: str | None = None,
        tie: EventLinks | None = None,
    ) -> LightEvent:
        """A call whose arguments are at a path of the record."""
        known, made = _known(name), (self, call_id, name, given, path, title)
        if known is None:
            return self.event(suffix, _call(*made), run=tie.run if tie is not None else None)
        call = self.call_part(suffix, call_id, known, _call, made)
        return call if tie is None else in_run(call, tie)

    def result(
        self, call_id: str, ok: bool | None, path: Path, key: str, more: Sequence[str] = ()
    ) -> LightEvent:
        """The result of a call: of the object at a path the output, by its key, and more of it."""
        made = (self, call_id, ok, path, key, more)
        if ok is None:
            return self.event("result", _result(*made))
        return self.result_part("result", call_id, _result, made, failed=not ok)


def _call(
    record: KimiRecord, call_id: str, name: str, given: Raw, path: Path, title: str | None
) -> ToolCall:
    value: object = record.value_of(given)
    exact = record.exact(given, *path)
    is_object = exact.startswith(b"{")
    text = None if is_object else as_text(value)
    return tool_call(
        call_id=call_id,
        name=name,
        arguments=fields_of(value) if is_object else text,
        raw=exact if is_object else None,
        spec=find_tool(name, fields_of(value) if is_object else mapping(text)),
        title=title,
    )


def _result(
    record: KimiRecord,
    call_id: str,
    ok: bool | None,
    path: Path,
    key: str,
    more: Sequence[str],
) -> ToolResult:
    fields = record.values_at(*path)
    structured = {each: fields[each] for each in more if fields.get(each)}
    return outcome_of(call_id, ok, fields.get(key), structured)
