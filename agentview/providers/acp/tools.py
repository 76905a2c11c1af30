"""Tool calls of any agent: amended by later updates, joined with what came back."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from msgspec.structs import replace

from agentview.domain.activity import kind_of_payload
from agentview.domain.content import Block, TextBlock
from agentview.domain.events import ToolResult
from agentview.domain.index_entry import KIND_CODES, CallFact, Signal
from agentview.domain.tool_inputs import (
    ApprovalPayload,
    AskOption,
    AskPayload,
    AskQuestion,
    EditPayload,
    FileEdit,
    FileOperation,
    ShellAction,
    WritePayload,
)
from agentview.domain.tool_results import AskAnswer, AskResult, ChangeResult, FileChange, Hunk
from agentview.domain.tools import Denial, DeniedBy, ToolCall, ToolKind
from agentview.normalize import build
from agentview.normalize.classify import classify
from agentview.normalize.json_fields import (
    Fields,
    as_text,
    body,
    collect,
    items,
    mapping,
    path,
    text,
)
from agentview.normalize.output_text import text_of
from agentview.normalize.tools import execute
from agentview.normalize.tools.patch import parse_changes
from agentview.normalize.tools.registry import FAMILIES
from agentview.normalize.tools.specs import KnownCall, ToolSpec, known_call
from agentview.providers._kit.acp.content import (
    changes,
    diffs_in,
    diffs_so_far,
    joined,
    outcome_in,
    shown,
)
from agentview.providers._kit.acp.tool_calls import KIND_OF, KINDS, is_empty, spec_of, tool_name
from agentview.providers._kit.permission_request import elicitation, permission_spec
from agentview.providers.acp.event_builder import PERMISSION
from agentview.providers.claude.shared import tools as claude

# What a call changed, best by its agent's own record, else by the diffs it shows.

_OPERATIONS = {
    "add": FileOperation.CREATE,
    "create": FileOperation.CREATE,
    "delete": FileOperation.DELETE,
    "move": FileOperation.RENAME,
}
_OVERWROTE = ("has been updated", "updated successfully", "overwrote", "overwritten")
_HEAD = 1_000


def changed_files(
    call: ToolCall, outcome: Fields, diffs: Sequence[Fields], said: str
) -> tuple[FileChange, ...]:
    """The files that a call changed; none where only its words show it.

    Agents next to the diffs of the protocol, which are often parts without a place, record patches
    with line numbers: of the outcome (`rawOutput.metadata`), or of what was asked for
    (`rawInput.changes`). `said` is the text of the outcome.
    """
    fields = mapping(outcome.get("metadata")) or outcome
    found = tuple(_of_outcome(fields)) or tuple(_of_request(call))
    found = found or tuple(_with_words(change, said) for change in changes(diffs))
    existed = fields.get("exists")
    if isinstance(call.payload, WritePayload) and isinstance(existed, bool) and len(found) <= 1:
        return (_written(call.payload, found, existed=existed),)
    return found


def _written(payload: WritePayload, found: Sequence[FileChange], *, existed: bool) -> FileChange:
    """A file that was written out, where the agent says whether there was one before."""
    known = found[0] if found else FileChange(payload.path, after=payload.content)
    return known if existed else replace(known, operation=FileOperation.CREATE)


def _of_outcome(fields: Fields) -> Iterator[FileChange]:
    listed = collect(items(fields.get("files")), _listed)
    if listed:
        yield from listed
        return
    single = mapping(fields.get("filediff"))
    patch = text(single, "patch") or text(fields, "diff")
    found = parse_changes(patch) if patch is not None else ()
    before, after = body(single, "before"), body(single, "after")
    if before is not None and after is not None and text(single, "file"):
        yield FileChange(
            text(single, "file") or "", hunks=_hunks(found), before=before, after=after
        )
        return
    yield from (change for change in found if change.path)


def _listed(fields: Fields) -> FileChange | None:
    where = path(fields)
    patch = text(fields, "patch", "diff")
    hunks = _hunks(parse_changes(patch)) if patch is not None else None
    before, after = body(fields, "before"), body(fields, "after")
    if where is None or (hunks is None and after is None):
        return None
    operation = _OPERATIONS.get(text(fields, "type", "status") or "", FileOperation.UPDATE)
    return FileChange(
        where, operation, hunks, before, after, move_to=text(fields, "movePath", "move_path")
    )


def _hunks(found: Sequence[FileChange]) -> tuple[Hunk, ...] | None:
    return found[0].hunks if len(found) == 1 else None


def _of_request(call: ToolCall) -> Iterator[FileChange]:
    """Return the changes of patches with line numbers, where all files of the call have one."""
    asked = call.payload if isinstance(call.payload, EditPayload) else None
    if asked is None or not any(file.patch is not None for file in asked.files):
        return
    for file in asked.files:
        yield _asked(file)


def _asked(file: FileEdit) -> FileChange:
    hunks = _hunks(parse_changes(file.patch)) if file.patch is not None else None
    old = file.edits[0].old if file.edits else None
    new = file.edits[0].new if file.edits else None
    deleted = file.operation is FileOperation.DELETE
    return FileChange(
        file.path,
        file.operation,
        hunks,
        before=old if deleted else None,
        after=new if file.operation is FileOperation.CREATE else None,
        move_to=file.move_to,
    )


def _with_words(change: FileChange, said: str) -> FileChange:
    """The change; one without an old text is none of a new file where the tool says otherwise.

    Some agents leave the old text of a file that they write out, whether there was one or not.
    """
    overwrote = any(words in said[:_HEAD] for words in _OVERWROTE)
    if change.operation is FileOperation.CREATE and overwrote:
        return replace(change, operation=FileOperation.UPDATE)
    return change


_ELICITATIONS = ("elicitation/create", "session/elicitation")

_CHANGING = frozenset({ToolKind.WRITE, ToolKind.EDIT, ToolKind.DELETE})

_FENCE = re.compile(r"\A```[^\n]*\n(.*?)\n?```\s*\Z", re.DOTALL)
_REFUSED = re.compile(
    r"\b(?:user|person|permission)\b.{0,60}\b(?:refused|rejected|denied|declined)\b"
    r"|\b(?:refused|rejected|denied|declined|cancell?ed)\b.{0,20}\bby (?:the )?user\b",
    re.IGNORECASE | re.DOTALL,
)
_REFUSAL_CHARS = 400
"""A longer text is the output of something in which such words stand."""
_REJECTING = re.compile(
    r"(?:reject|deny|denied|refuse|cancel|abort|decline|skip|no)(?![a-z])", re.IGNORECASE
)


def _permission(fields: Fields) -> ApprovalPayload:
    call = mapping(fields.get("toolCall"))
    what = text(call, "title", "toolCallId") or "this call"
    options = collect(items(fields.get("options")), _option)
    question = AskQuestion(f"Allow {what}?", header="Permission", options=options)
    return ApprovalPayload((question,), text(call, "toolCallId"))


def _option(fields: Fields) -> AskOption:
    return AskOption(text(fields, "name", "optionId", "id") or "", text(fields, "kind"))


def _created(fields: Fields) -> Fields:
    argv = [text(fields, "command") or "", *(str(each) for each in items(fields.get("args")))]
    return {**fields, "command": argv if len(argv) > 1 else argv[0]}


def _acting(action: ShellAction) -> ToolSpec:
    make = execute.acting(action)
    return ToolSpec(
        ToolKind.SHELL,
        "Bash",
        lambda fields: replace(make(fields), task_id=text(fields, "terminalId")),
        execute.result,
    )


REQUESTS: dict[str, ToolSpec] = {
    PERMISSION: permission_spec(_permission),
    **{name: ToolSpec(ToolKind.ASK, "AskUserQuestion", elicitation) for name in _ELICITATIONS},
    "fs/read_text_file": FAMILIES["read"],
    "fs/write_text_file": FAMILIES["write"],
    "terminal/create": ToolSpec(
        ToolKind.SHELL, "Bash", lambda fields: execute.run(_created(fields)), execute.result
    ),
    "terminal/output": _acting(ShellAction.OUTPUT),
    "terminal/wait_for_exit": _acting(ShellAction.WATCH),
    "terminal/kill": _acting(ShellAction.KILL),
    "terminal/release": _acting(ShellAction.KILL),
}
"""Requests of an agent to its client, as the tools that they are."""


# Several records of a call, one soon after the other, say the same of it.
name_of = lru_cache(maxsize=64)(tool_name)


def known_tool(
    name: str, kind: str | None, title: str | None, args: Fields | None, diffs: Sequence[Fields]
) -> KnownCall | None:
    """Facts of a call without its payload; None where they depend on that."""
    if args or diffs:
        return _known(name, spec_of(name, kind, title, args or {}, diffs))
    return _by_title(name, kind, title)


@lru_cache(maxsize=64)
def _by_title(name: str, kind: str | None, title: str | None) -> KnownCall | None:
    return _known(name, spec_of(name, kind, title, {}))


def _known(name: str, spec: ToolSpec) -> KnownCall | None:
    if spec.kind is not ToolKind.UNKNOWN:
        return known_call(name, spec)
    code = KIND_CODES[kind_of_payload(spec.payload({}), spec.kind)]
    return KnownCall(spec.kind, code, Signal.AGENT, CallFact(name), spec.canonical_name)


_KINDS: dict[str, ToolKind] = {
    **{name: FAMILIES[family].kind for name, family in KINDS.items()},
    "switch_mode": ToolKind.PLAN,
    "other": ToolKind.UNKNOWN,
    "plan": ToolKind.TODOS,
    **{name: spec.kind for name, spec in REQUESTS.items()},
}

TOOL_KINDS: dict[str, ToolKind] = {name: spec.kind for name, spec in REQUESTS.items()}
"""Names that only this protocol has; its kinds are plain words."""


def kind_of(name: str) -> ToolKind:
    """Kind of a name: a request, a kind of the protocol, else by the shared rules."""
    known = _KINDS.get(name)
    return known if known is not None else classify(name, {}).kind


def spec_for(call: ToolCall) -> ToolSpec:
    """The spec of a call, from what is known of it by now."""
    own = REQUESTS.get(call.provider_name)
    if own is not None:
        return own
    if call.provider_name == "plan" and call.kind is ToolKind.TODOS:
        return FAMILIES["todo_write"]
    kind = call.provider_name if call.provider_name in KINDS else KIND_OF.get(call.kind)
    return spec_of(call.provider_name, kind, call.title, call.args or {}, diffs_in(call.output))


def merge_call(call: ToolCall, later: ToolCall) -> ToolCall:
    """The call with what a later record says: content and input replace, what is absent stays."""
    known = later if later.args_json and (later.args or not call.args) else call
    if set(call.args or ()) - set(known.args or ()) and _is_specific(call):
        # The arguments of the call do not always say what permission is asked for.
        known = call
    so_far = replace(
        known,
        provider_name=_name(call.provider_name, later.provider_name),
        title=later.title or call.title,
        output=joined(call.output, later.output),
        kind=later.kind if later.kind is not ToolKind.UNKNOWN else call.kind,
    )
    made = build.tool_call(
        call_id=call.call_id,
        name=so_far.provider_name,
        arguments=known.args if known.args is not None else known.args_json,
        raw=known.args_json.encode() if known.args is not None and known.args_json else None,
        spec=spec_for(so_far),
        state=later.state,
        title=so_far.title,
    )
    payload = made.payload
    if known.args_error is not None or is_empty(payload) or not known.args:
        same = (each.payload for each in (later, call) if type(each.payload) is type(payload))
        payload = next((each for each in same if not is_empty(each)), payload)
    return replace(made, payload=payload, output=so_far.output)


def _is_specific(call: ToolCall) -> bool:
    """Return True if the arguments, without its title, say what the call is about."""
    spec = spec_of(call.provider_name, KIND_OF.get(call.kind), None, call.args or {})
    return not is_empty(spec.payload(call.args or {}))


def _name(known: str, later: str) -> str:
    """The name of a tool: a kind of the protocol is its placeholder until it is reported."""
    if known and known not in KINDS and known != "other":
        return known
    return later or known


def attach_result(call: ToolCall, result: ToolResult) -> ToolCall:
    """The call with what came back; content that an update does not repeat is that of the call."""
    if call.provider_name == PERMISSION:
        return _decided(call, result)
    if call.provider_name in _ELICITATIONS:
        return _filled_in(call, result)
    recorded = joined(call.output, result.output)
    known = replace(result, output=tuple(_unfenced(block) for block in shown(recorded)))
    said = text_of(known.output) or ""
    if result.ok is False and result.denial is None and len(said) < _REFUSAL_CHARS:
        refused = _REFUSED.search(said)
        if refused is not None:
            by = DeniedBy.PERSON if "user" in said.lower() else DeniedBy.UNKNOWN
            known = replace(known, denial=Denial(by))
    if known.ok is False and known.error is None:
        known = replace(known, error=said or None)
    outcome = outcome_in(recorded)
    answered = _by_own_record(call, known, outcome) if outcome is not None else None
    if answered is not None and answered.result is not None:
        return answered
    answered = build.attach_result(call, known, spec_for(call))
    if result.ok is False or call.kind not in _CHANGING:
        return answered
    found = changed_files(call, mapping(known.structured), diffs_so_far(recorded), said)
    return replace(answered, result=ChangeResult(found)) if found else answered


def _by_own_record(call: ToolCall, known: ToolResult, outcome: object) -> ToolCall | None:
    """The call with the outcome as the client that the agent wraps records it in its own logs."""
    spec = claude.SPECS.get(call.provider_name)
    if spec is None or spec.kind is not call.kind:
        return None
    return build.attach_result(call, replace(known, structured=outcome), spec)


def _unfenced(block: Block) -> Block:
    """A text without the fence that an agent put around all of it for a Markdown view."""
    fenced = _FENCE.match(block.text) if isinstance(block, TextBlock) else None
    return TextBlock(fenced[1]) if fenced is not None and "```" not in fenced[1] else block


def refusal(option: str | None) -> Denial | None:
    """The refusal that the id of a chosen option seems to be."""
    if option is None or _REJECTING.match(option) is None:
        return None
    return Denial(DeniedBy.PERSON)


def _decided(call: ToolCall, result: ToolResult) -> ToolCall:
    outcome = mapping(mapping(result.structured).get("outcome"))
    chosen = text(outcome, "optionId")
    options = [mapping(each) for each in items((call.args or {}).get("options"))]
    option = next((each for each in options if each.get("optionId") == chosen), None)
    kind = text(option, "kind") if option is not None else None
    denial = result.denial
    if kind is not None:
        denial = Denial(DeniedBy.PERSON) if kind.startswith("reject") else None
    answered = build.attach_result(
        call, replace(result, denial=denial, output=()), REQUESTS[PERMISSION]
    )
    said = text(option or outcome, "name") or chosen or text(outcome, "outcome")
    payload = call.payload
    if said is None or not isinstance(payload, AskPayload) or not payload.questions:
        return answered
    return replace(answered, result=AskResult((AskAnswer(payload.questions[0].text, said),)))


def _filled_in(call: ToolCall, result: ToolResult) -> ToolCall:
    """The call with what the person filled in, or did not want to."""
    given = mapping(result.structured)
    inner = mapping(given.get("action")) or given
    action = text(inner, "action")
    denial = Denial(DeniedBy.PERSON) if action == "decline" else None
    outcome = replace(result, denial=denial, interrupted=action == "cancel", output=())
    answered = build.attach_result(call, outcome, REQUESTS[call.provider_name])
    answers = mapping(inner.get("content")).items()
    found = tuple(AskAnswer(name, as_text(value) or "") for name, value in answers)
    return replace(answered, result=AskResult(found)) if found else answered
