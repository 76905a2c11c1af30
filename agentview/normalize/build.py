"""The one place where a ToolCall is made, and where it is joined with its outcome."""

from collections.abc import Mapping, Sequence
from typing import cast

import orjson
from msgspec.structs import replace

from agentview.domain.events import ToolResult
from agentview.domain.tool_inputs import Payload, UnknownPayload
from agentview.domain.tool_results import Result
from agentview.domain.tools import Denial, DeniedBy, ToolCall, ToolKind, ToolState
from agentview.normalize.json_fields import to_json
from agentview.normalize.shell_command import with_reading
from agentview.normalize.tools.specs import ResultMaker, ToolSpec


def tool_call(
    *,
    call_id: str,
    name: str,
    arguments: object,
    spec: ToolSpec | None,
    raw: bytes | None = None,
    state: ToolState = ToolState.INPUT_AVAILABLE,
    title: str | None = None,
    via: str | None = None,
) -> ToolCall:
    """Make the call from what was recorded; every ToolCall of every path comes from here.

    `arguments` is a mapping, or text that should be JSON; any other value is kept as JSON. `raw` is
    the exact text of a mapping in the record. Without a `spec` the shared rules on names and
    arguments decide. Never raises.
    """
    args, args_json, args_error = _arguments(arguments, raw)
    spec = spec or classified(name, args or {})
    payload: Payload = UnknownPayload()
    if args is not None:
        try:
            payload = spec.payload(args)
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            args_error = f"arguments do not have the known form: {error}"
    call = ToolCall(
        call_id=call_id,
        kind=spec.kind,
        origin=spec.origin,
        provider_name=name,
        canonical_name=spec.canonical_name,
        args_json=args_json,
        args=args,
        args_error=args_error,
        payload=payload,
        state=state,
        title=title,
        via=via,
        inferred=spec.inferred,
    )
    return with_reading(call)


def classified(name: str, args: Mapping[str, object]) -> ToolSpec:
    """The spec of a tool that no table has, by the rules on names and arguments."""
    # The rules know the arguments of all kinds of tools, and a table has most names.
    from agentview.normalize.classify import classify

    return classify(name, args)


def _arguments(
    arguments: object, raw: bytes | None
) -> tuple[Mapping[str, object] | None, str, str | None]:
    """The arguments as (mapping or None, exact text, error or None)."""
    if isinstance(arguments, Mapping):
        args = cast("Mapping[str, object]", arguments)
        exact = raw.decode("utf-8", "replace") if raw is not None else _copied(args)
        return args, exact, None
    if arguments is None:
        return {}, raw.decode("utf-8", "replace") if raw is not None else "", None
    written = arguments if isinstance(arguments, str) else to_json(arguments)
    try:
        parsed: object = orjson.loads(written)
    except ValueError as error:
        return None, written, f"arguments are not valid JSON: {error}"
    if not isinstance(parsed, dict):
        return None, written, f"arguments are a JSON {type(parsed).__name__}, not an object"
    return cast("dict[str, object]", parsed), written, None


def _copied(arguments: Mapping[str, object]) -> str:
    """The arguments as JSON text, which does not count as reading them."""
    try:
        return orjson.dumps(arguments).decode()
    except TypeError:
        return to_json(dict(arguments))


def merge_call(call: ToolCall, later: ToolCall, spec: ToolSpec | None = None) -> ToolCall:
    """Return the call with the values of a later record of it; values it lacks stay as they were.

    Without a `spec` the shared rules decide, unless one of the two knows its kind.
    """
    source = later if later.args_json else call
    name = later.provider_name or call.provider_name
    made = tool_call(
        call_id=call.call_id,
        name=name,
        arguments=source.args if source.args is not None else source.args_json,
        raw=source.args_json.encode() if source.args is not None else None,
        spec=spec,
        state=later.state,
        title=later.title or call.title,
        via=later.via or call.via,
    )
    if made.kind is ToolKind.UNKNOWN and spec is None:
        known = next((each for each in (later, call) if each.kind is not ToolKind.UNKNOWN), None)
        if known is not None:
            made = replace(
                made,
                kind=known.kind,
                origin=known.origin,
                canonical_name=known.canonical_name,
                payload=known.payload,
            )
    return replace(
        made,
        output=later.output or call.output,
        is_container=later.is_container or call.is_container,
        made_by=later.made_by or call.made_by,
    )


def with_requests(call: ToolCall, requests: Sequence[ToolCall]) -> ToolCall:
    """Join a call with the requests for permission to make it, in order, each with its answer.

    A call whose last request was refused is denied, whatever its own result says.
    """
    refused = requests[-1].denial if requests else None
    call = replace(call, requests=(*requests,)) if requests else call
    if refused is None:
        return call
    said = (call.denial or refused, refused)
    by = next((each.by for each in said if each.by is not DeniedBy.UNKNOWN), DeniedBy.UNKNOWN)
    denial = Denial(by, next((each.words for each in said if each.words), None))
    return replace(call, state=ToolState.OUTPUT_DENIED, denial=denial)


def attach_result(
    call: ToolCall,
    result: ToolResult,
    spec: ToolSpec | None = None,
    make: ResultMaker | None = None,
) -> ToolCall:
    """Join a call with its outcome. Never raises: a result of no known form leaves its blocks.

    Without a `spec` the shared rules on names and arguments decide, as they do in `tool_call`;
    `make` reads the result in place of the spec's own maker.
    """
    typed: Result | None = None
    if make is None:
        make = (spec or classified(call.provider_name, call.args or {})).result
    if make is not None:
        try:
            typed = make(call, result)
        except (ValueError, TypeError, KeyError, AttributeError):
            typed = None
    if result.denial is not None:
        state = ToolState.OUTPUT_DENIED
    elif result.ok is False:
        state = ToolState.OUTPUT_ERROR
    else:
        state = ToolState.OUTPUT_AVAILABLE
    return replace(
        call,
        state=state,
        ok=result.ok,
        result=typed,
        output=result.output,
        error=result.error,
        denial=result.denial,
        interrupted=result.interrupted,
    )
