"""Events of an exchange, or of what is around the history."""

import re
from collections.abc import Sequence
from functools import partial

from msgspec import UNSET

from agentview.domain.content import Block, ImageBlock, JsonBlock, TextBlock
from agentview.domain.events import Facts, Title, TitleSource, TokenUsage, ToolResult
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef
from agentview.domain.tools import ToolCall
from agentview.domain.usage import Usage
from agentview.normalize.build import tool_call
from agentview.normalize.json_values import fields_of, items_of, text_of, time_of, whole_of
from agentview.normalize.tools.specs import known_calls
from agentview.providers._kit.event_builder import whole_response
from agentview.providers._kit.json_documents import TypedDocuments
from agentview.providers._kit.message_parts import in_order
from agentview.providers._kit.prompt_context import spoken
from agentview.providers._kit.typed_records import LightEvent, TypedBuilder, hidden
from agentview.providers.auggie.schema import (
    AgentState,
    Exchange,
    RequestNode,
    ResponseNode,
    StateNode,
    Terminal,
    ToolUse,
    Turn,
)
from agentview.providers.auggie.tools import find_tool

_BEGIN = re.compile(r'\{\s*"(?:exchange|sessionId|completed|sequenceId)"\s*:')
_FORMATS = {1: "image/png", 2: "image/jpeg", 3: "image/gif", 4: "image/webp"}
_RAW, _WHOLE, _CALL, _CALL_BEGINS = 0, 2, 5, 7
"""Types of the parts of a response: a text as it came, the whole text, a call, one that begins."""


class TurnRecord(TypedBuilder[Turn], gc=False):
    """An exchange with its time, or what is around the history."""

    @property
    def exchange(self) -> Exchange:
        return self.record.exchange or Exchange()


def _turn(turn: Turn, raw: bytes, source: SourceRef, session: SessionRef) -> TurnRecord:
    made = TurnRecord.of(turn, raw, source, session, time=time_of(turn.finished_at))
    exchange = made.exchange
    made.record_id = exchange.request_id or None
    cwd = next(filter(None, (_folder(node) for node in exchange.request_nodes or ())), None)
    made.facts = Facts(cwd=cwd) if cwd is not None else None
    return made


def _folder(node: RequestNode | None) -> str | None:
    """The folder that the state in a request is of."""
    state = (node or RequestNode()).ide_state_node or StateNode()
    for folder in state.workspace_folders or ():
        if folder is not None and (folder.repository_root or folder.folder_root):
            return folder.repository_root or folder.folder_root
    return (state.current_terminal or Terminal()).current_working_directory or None


def _turn_events(record: TurnRecord) -> Sequence[LightEvent]:
    if record.record.exchange is UNSET:
        known = record.record.session_id is not UNSET
        return _around(record) if known else [record.unknown("(none)")]
    events = [*_request(record), *whole_response(_response(record)), *_usage(record)]
    return events or [hidden(record, "an exchange without words", "exchange")]


def _around(record: TurnRecord) -> Sequence[LightEvent]:
    """Events of the parts in front of the history and behind it."""
    own = record.record
    record.time = time_of(own.created)
    model = (own.agent_state or AgentState()).model_id or None
    facts = Facts(model=model) if model is not None else None
    events: list[LightEvent] = [
        hidden(record, "what is around the history", "document", facts=facts)
    ]
    title = own.custom_title or own.name
    if title:
        events.append(record.event("title", Title(title, TitleSource.CUSTOM)))
    return events


FORM = TypedDocuments(Turn, _turn, _turn_events, _BEGIN, around=_around)


def _request(record: TurnRecord) -> Sequence[LightEvent]:
    """Results of the calls of the exchange before, then the prompt."""
    events: list[LightEvent] = []
    words, blocks = record.exchange.request_message or "", list[Block]()
    for at, each in enumerate(record.exchange.request_nodes or ()):
        node = each or RequestNode()
        result, image = node.tool_result_node, node.image_node
        if result is not None:
            call_id = f"{record.name}/{at}" if result.tool_use_id is None else result.tool_use_id
            failed = result.is_error
            content = result.content or record.value_of(result.content_nodes)
            made = (call_id, content, failed)
            events.append(record.result_part(f"result/{at}", call_id, _result, made, failed=failed))
        elif image is not None and image.image_data:
            media = _FORMATS.get(whole_of(image.format) or 0)
            blocks.append(ImageBlock(media, image.image_data))
        elif node.text_node is not None and not words:
            words = node.text_node.content or ""
    if words.strip() or blocks:
        events.append(record.event("prompt", spoken(words, tuple(blocks))))
    return events


def _result(call_id: str, content: object, failed: bool | None) -> ToolResult:
    words, blocks = list[str](), list[Block]()
    for each in [content] if isinstance(content, str) else items_of(content):
        fields = fields_of(each)
        said = text_of(each) or text_of(fields.get("text_content"))
        image = fields_of(fields.get("image_content"))
        if said is not None:
            words.append(said)
            blocks.append(TextBlock(said))
        elif data := text_of(image.get("image_data")):
            blocks.append(ImageBlock(_FORMATS.get(whole_of(image.get("format")) or 0), data))
        else:
            blocks.append(JsonBlock(each))
    ok = None if failed is None else not failed
    error = "\n".join(words) or None if failed else None
    return ToolResult(call_id, ok, tuple(blocks), error=error)


def _response(record: TurnRecord) -> list[LightEvent]:
    """Thoughts, words and calls in the order of their nodes.

    A text is there as it came and as a whole: the whole one counts where there is one.
    """
    nodes = [node or ResponseNode() for node in record.exchange.response_nodes or ()]
    kinds = [whole_of(node.type) for node in nodes]
    said = {kind for node, kind in zip(nodes, kinds, strict=True) if node.content}
    counts = next((kind for kind in (_WHOLE, _RAW) if kind in said), None)
    made = {node.tool_use.tool_use_id for node, kind in zip(nodes, kinds, strict=True)
            if node.tool_use and kind == _CALL}  # fmt: skip
    parts: list[LightEvent | Block | str] = []
    rest = record.exchange.response_text if counts is None else None
    for at, (node, kind) in enumerate(zip(nodes, kinds, strict=True)):
        use, thinking = node.tool_use, node.thinking
        if thinking is not None:
            thought = thinking.summary or thinking.content or ""
            parts.append(record.thought_part(f"thought/{at}", thought, withheld=not thought))
        if kind is not None and kind == counts:
            parts.append(node.content or "")
        if use is not None and not (kind == _CALL_BEGINS and use.tool_use_id in made):
            parts += [rest or "", _call_event(record, at, use)]
            rest = None
    parts.append(rest or "")
    return in_order(parts, partial(_said, record), merged=False)


def _said(
    record: TurnRecord, suffix: str, words: list[str], _blocks: tuple[Block, ...]
) -> LightEvent:
    return record.text_part(suffix, "".join(words))


def _call_event(record: TurnRecord, at: int, use: ToolUse) -> LightEvent:
    call_id = f"{record.name}/{at}" if use.tool_use_id is None else use.tool_use_id
    name = use.tool_name or "(none)"
    args = (record, call_id, name, use)
    return record.call_event(f"call/{at}", call_id, _known(name), _call, args)


_known = known_calls(lambda name: find_tool(name, {}))


def _call(record: TurnRecord, call_id: str, name: str, use: ToolUse) -> ToolCall:
    given = record.value_of(use.input_json if bytes(use.input_json) else use.input)
    arguments = given if isinstance(given, str) else fields_of(given)
    return tool_call(
        call_id=call_id, name=name, arguments=arguments, spec=find_tool(name, fields_of(given))
    )


def _usage(record: TurnRecord) -> Sequence[LightEvent]:
    """Tokens of each request to the model that the exchange took."""
    events: list[LightEvent] = []
    for at, each in enumerate(record.exchange.response_nodes or ()):
        tokens = each.token_usage if each is not None else None
        if tokens is None:
            continue
        given, output = whole_of(tokens.input_tokens), whole_of(tokens.output_tokens)
        if given is None and output is None:
            continue
        cached = whole_of(tokens.cache_read_input_tokens)
        usage = Usage(given, cached, whole_of(tokens.cache_creation_input_tokens), output)
        events.append(
            record.usage_part(TokenUsage(f"{record.name}/{at}", usage), suffix=f"usage/{at}")
        )
    return events
