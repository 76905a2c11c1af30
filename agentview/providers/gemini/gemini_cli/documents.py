"""Sessions that are one JSON document, rewritten in place: how they begin and what divides them."""

import re
from collections.abc import Mapping, Sequence
from json import JSONDecoder

import orjson

from agentview.normalize.json_document import split_document
from agentview.normalize.json_values import Fields, fields_of, items_of
from agentview.normalize.partial_json import begun
from agentview.normalize.raw_span import Span

LISTS = ("messages", "clientHistory", "history")
"""Members that hold a conversation; what is kept to restore files has two, one for its screen."""
_MESSAGE_KEYS = frozenset(
    {
        "id", "timestamp", "type", "content", "displayContent", "thoughts", "tokens", "model",
        "toolCalls", "parts",
    }
)  # fmt: skip
_ROLES = ("user", "model", "gemini")
_OWN_KEYS = frozenset({"projectHash", "lastUpdated", "startTime"})
_BLANK = b"\xef\xbb\xbf \t\r\n"
_BEGIN_BYTES = 65_536
SURE = 0.95
_OBJECT = re.compile(rb"^\{", re.MULTILINE)
_LINE = re.compile(rb"[^\r\n]*\S[^\r\n]*")
_CONSOLE_BYTES = 16_384
"""Where an answer has begun at the latest behind what else was printed."""
_DECODER = JSONDecoder(strict=False)
_CALL, _ANSWER = b'"functionCall"', b'"functionResponse"'


def document_confidence(head: bytes) -> float:
    """Confidence that a document that begins with `head` is one of this client's; 0 for lines."""
    console = console_bytes(head)
    return _of_answer(head[console:]) if console else _of_document(head)


def console_bytes(head: bytes) -> int:
    """Bytes in front of what `-o json` prints: lines that other code printed; 0 for none."""
    match = _OBJECT.search(head, 0, _CONSOLE_BYTES)
    at = match.start() if match is not None else 0
    return at if at and head[:at].strip(_BLANK) and _of_answer(head[at:]) else 0


def _of_answer(head: bytes) -> float:
    text = head[:_BEGIN_BYTES].decode("utf-8", "replace")
    try:
        members = fields_of(_DECODER.raw_decode(text)[0])
    except (ValueError, RecursionError):
        members = begun(text) or {}
    from agentview.providers.gemini.gemini_cli.stream import is_answer

    return _of_members(members) if is_answer(members) else 0.0


def _of_document(head: bytes) -> float:
    text = head.strip(_BLANK)[:_BEGIN_BYTES]
    if text[:1] == b"[":
        return _of_list(text.decode("utf-8", "replace"))
    if text[:1] != b"{" or _is_line(head):
        return 0.0
    members = begun(text.decode("utf-8", "replace"))
    from agentview.providers.gemini.gemini_cli.stream import is_answer

    if members is None or not (b"\n" in text or _has_list(members) or is_answer(members)):
        # The first line of a session of lines, whose end has not come yet.
        return 0.0
    return _of_members(members)


def _is_line(head: bytes) -> bool:
    """Return True if the first line is an object by itself, and no document: others follow it."""
    line = head.lstrip(_BLANK).partition(b"\n")[0].rstrip()
    if not line.endswith(b"}"):
        return False
    members = begun(line.decode("utf-8", "replace"))
    from agentview.providers.gemini.gemini_cli.stream import is_answer

    return members is not None and not is_answer(members) and not _has_list(members)


def _has_list(members: Mapping[str, object]) -> bool:
    return any(isinstance(members.get(key), list) for key in LISTS)


def _of_members(members: Fields) -> float:
    from agentview.providers.gemini.gemini_cli.stream import is_answer

    if is_answer(members):
        return SURE if "models" in fields_of(members.get("stats")) else 0.5
    listed = [fields_of(item) for item in items_of(members.get("messages"))]
    # The last one may be cut anywhere.
    from agentview.providers.gemini.gemini_cli.messages import is_message

    if "sessionId" in members and "projectHash" in members:
        fits = len(listed) < 2 or any(is_message(item) for item in listed[:-1])
        return SURE if fits else 0.0
    fits = all(_is_message(item) for item in listed[:-1])
    fits = fits and all(set(item) <= _MESSAGE_KEYS for item in listed[-1:])
    if listed and fits:
        own = _OWN_KEYS & set(members) or any(map(_is_own, listed))
        return 0.6 if own else 0.0
    turns = [fields_of(item) for item in items_of(members.get("history"))]
    if turns and (all(map(_is_turn, turns)) or all(map(is_on_screen, turns[:-1] or turns))):
        return 0.6
    return 0.0


def _is_message(item: Fields) -> bool:
    dated = "timestamp" in item or ("type" in item and "content" in item)
    from agentview.providers.gemini.gemini_cli.messages import is_message

    return is_message(item) and set(item) <= _MESSAGE_KEYS and dated


def _is_own(item: Fields) -> bool:
    """Return True if it is a message as no other client writes it."""
    from agentview.providers.gemini.gemini_cli.messages import is_message

    return is_message(item) and ("timestamp" in item or item.get("type") == "gemini")


def is_on_screen(item: Fields) -> bool:
    """True if it is an item of the client's screen, as files that are kept to restore have them."""
    said = isinstance(item.get("text"), str) or isinstance(item.get("tools"), list)
    return said and isinstance(item.get("type"), str) and isinstance(item.get("id"), int)


def _is_turn(item: Fields) -> bool:
    """Return True if it is a turn in the form of the vendor's interface."""
    if any("type" in fields_of(part) for part in items_of(item.get("parts"))):
        return False
    role = item.get("role")
    if set(item) == {"role"} and isinstance(role, str):
        # The head may end in the middle of the word.
        return any(each.startswith(role) for each in _ROLES)
    return set(item) == {"parts"} or (role in _ROLES and isinstance(item.get("parts"), list))


def _of_list(text: str) -> float:
    """A saved conversation, or the prompts of a project, which are lists by themselves."""
    members = begun('{"items":' + text)
    listed = [fields_of(item) for item in items_of((members or {}).get("items"))]
    if not listed or not listed[0]:
        return 0.0
    first = listed[0]
    if {"sessionId", "messageId", "message"} <= set(first) and first.get("type") == "user":
        return 0.9
    turns = all(_is_turn(item) for item in listed)
    return 0.6 if turns and any("parts" in item and "role" in item for item in listed) else 0.0


def is_document(head: bytes) -> bool:
    return document_confidence(head) > 0


def split(data: bytes) -> Sequence[Span]:
    """Start and end of each record. Raises ValueError when it is not a document.

    A turn with calls that have no ids, and the turn with the answers to them, are one record: only
    the order says which answer belongs to which call.
    """
    at = console_bytes(data) or len(data) - len(data.lstrip(_BLANK))
    if _of_answer(data[at:]):
        return _with_console(data, at)
    joined: list[Span] = []
    for start, end in split_document(data, LISTS):
        before = data[slice(*joined[-1])] if joined else b""
        if _CALL in before and _ANSWER in data[start:end] and _nameless(before):
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
    return joined


def _with_console(data: bytes, at: int) -> list[Span]:
    """The answer that begins at a byte, and each line in front of it and behind it.

    Raises ValueError while the answer is not whole.
    """
    text = data[at:].decode("utf-8", "surrogateescape")
    _, length = _DECODER.raw_decode(text)
    end = at + len(text[:length].encode("utf-8", "surrogateescape"))
    around = (_LINE.finditer(data, 0, at), _LINE.finditer(data, end))
    before, behind = ([each.span() for each in lines if each[0].strip(_BLANK)] for lines in around)
    return [*before, (at, end), *behind]


def _nameless(turn: bytes) -> bool:
    """Return True if a turn has a call without an id."""
    try:
        fields = fields_of(orjson.loads(turn))
    except ValueError:
        return False
    calls = (
        fields_of(fields_of(part).get("functionCall")) for part in items_of(fields.get("parts"))
    )
    return any(call and "id" not in call for call in calls)
