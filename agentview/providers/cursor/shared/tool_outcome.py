"""Outcome of a call: its result names how it went by the key that holds the rest."""

from agentview.domain.content import Block, JsonBlock, TextBlock
from agentview.domain.events import ToolResult
from agentview.domain.tools import Denial, DeniedBy, ToolKind
from agentview.normalize.json_fields import text
from agentview.normalize.json_values import Fields, changed, fields_of, items_of, text_of
from agentview.providers.cursor.shared.content import blocks_of

_GOOD = frozenset({"success", "completed", "ok"})
_BAD_WORDS = (
    "error", "fail", "timeout", "notfound", "not_found", "invalid", "abort", "cancel", "busy",
    "denied", "reject",
)  # fmt: skip
"""Parts of the name of an unknown variant where the call did not succeed."""

_REASONS = (
    "error", "errorMessage", "message", "reason", "clientVisibleErrorMessage",
    "modelVisibleErrorMessage", "stderr",
)  # fmt: skip
_TEXTS = ("content", "results", "markdown", "text", "output", "resultForModel", "interleavedOutput")
_BLOCKLESS = frozenset(
    {
        ToolKind.EDIT, ToolKind.WRITE, ToolKind.DELETE, ToolKind.SHELL, ToolKind.TODOS,
        ToolKind.PLAN, ToolKind.GREP, ToolKind.GLOB, ToolKind.LS, ToolKind.READ_LINTS,
    }
)  # fmt: skip
"""Kinds whose results are read out of their fields."""


def outcome_of(call_id: str, kind: ToolKind, result: object, *, failed: bool) -> ToolResult:
    """The outcome in a `result`; `failed` where the record itself says that the call did."""
    fields = fields_of(result)
    if not fields:
        error = result if failed and isinstance(result, str) else None
        return ToolResult(call_id, False if failed else None, blocks_of(result), error=error)
    variant, inner = _variant(fields)
    denial = _denial(variant, inner)
    bad = failed or denial is not None or _is_bad(variant)
    bad = bad or inner.get("isError") is True
    ok = False if bad else (True if variant in _GOOD else None)
    error = None
    if bad and denial is None:
        error = _reason(inner) or text(fields, *_REASONS) or variant
    known = changed(inner, {"timedOut": True}) if variant.lower() == "timeout" else inner
    background = fields.get("isBackground") is True and "isBackground" not in inner
    structured = changed(known, {"isBackground": True}) if background else known
    return ToolResult(
        call_id,
        ok,
        _output(kind, inner),
        structured=structured,
        error=error,
        denial=denial,
    )


def _variant(fields: Fields) -> tuple[str, Fields]:
    """How a call went, and what is said of it.

    The stream has it as the key of an object, the SDK as `status` next to a `value`.
    """
    status = text_of(fields.get("status"))
    if status is not None:
        inner = fields_of(fields.get("value"))
        given = fields.get("error")
        return status, inner or fields_of(given) or ({"error": given} if given else fields)
    held = {key: fields_of(fields[key]) for key in fields if isinstance(fields[key], dict)}
    name = next((key for key in held if key in _GOOD), next(iter(held), ""))
    if name:
        return name, held[name]
    said = next((key for key in fields if _is_bad(key) and isinstance(fields[key], str)), "")
    return said, fields


def _is_bad(variant: str) -> bool:
    lowered = variant.lower()
    return any(word in lowered for word in _BAD_WORDS)


def _denial(variant: str, inner: Fields) -> Denial | None:
    """A refusal: by the person, or by a rule of the client."""
    lowered = variant.lower()
    words = text(inner, "reason", "error", "errorMessage", "message") or None
    if "reject" in lowered:
        by_person = words is not None and "user" in words.lower()
        return Denial(DeniedBy.PERSON if by_person else DeniedBy.UNKNOWN, words)
    if "denied" in lowered:
        return Denial(DeniedBy.RULE, words)
    return None


def _reason(inner: Fields) -> str | None:
    """Why a call failed; the errors of a server's tool are its content."""
    said = [block.text for block in blocks_of(inner.get("content")) if isinstance(block, TextBlock)]
    return text(inner, *_REASONS) or "\n".join(said) or None


def _output(kind: ToolKind, inner: Fields) -> tuple[Block, ...]:
    """Return the output, as blocks, where no typed result has all of it."""
    if kind in _BLOCKLESS or not inner:
        return ()
    content = items_of(inner.get("content"))
    if content:
        return blocks_of(content)
    said = next((inner[key] for key in _TEXTS if isinstance(inner.get(key), str)), None)
    return blocks_of(said) if said is not None else (JsonBlock(inner),)
