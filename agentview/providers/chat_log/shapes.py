"""Messages of programs that write them in a shape of their own, in the shape that others share.

These are chats of SillyTavern, exports of DeepSeek, conversations of LM Studio, settings of ChatGPT
in the person's place, and rows of data sets that have a question and its answer as texts.
"""

import re
from collections.abc import Iterator, Mapping
from datetime import datetime

from agentview.domain.usage import Usage
from agentview.normalize.json_fields import text
from agentview.normalize.json_values import (
    Fields,
    changed,
    fields_of,
    items_of,
    local_time_of,
    text_of,
    whole_of,
    without,
)

_FRAGMENTS: Mapping[str, str] = {
    "REQUEST": "text", "RESPONSE": "text", "TEMPLATE_RESPONSE": "text", "THINK": "thinking",
}  # fmt: skip
_CONTEXTS = frozenset({"user_editable_context", "model_editable_context"})
_CONTEXT = ("user_profile", "user_instructions", "model_set_context")
"""Texts of the settings of a person, which ChatGPT puts in front of each conversation."""
_TOOLS: Mapping[str, str] = {"SEARCH": "web_search", "TOOL_SEARCH": "web_search"}
_OF_FRAGMENT = ("id", "type", "results", "result", "status", "elapsed_secs")
"""Keys of a fragment that stands for a call which are not arguments."""
_ROWS = (("instruction", ("output", "response")), ("prompt", ("completion", "chosen")))
"""Keys of the question of a row, and of the answer next to it."""
_SENT = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})\s*@\s*(\d{1,2})h\s*(\d{1,2})m\s*(\d{1,2})s.{0,8}")
_SPOKEN = "%B %d, %Y %I:%M%p"


def shared(fields: Fields) -> Fields:
    """The message in the shape that others share; one that has it already as it is."""
    if "mes" in fields and isinstance(fields.get("is_user"), bool):
        return _of_character(fields)
    if "fragments" in fields and "role" not in fields and items_of(fields["fragments"]):
        return changed(fields, {"role": _role_of_fragments(fields), **_content(fields)})
    if "fragments" in fields and items_of(fields["fragments"]):
        return changed(fields, _content(fields))
    if "author" in fields and _is_client(fields):
        return _of_client(fields)
    if "steps" in fields and "role" in fields:
        return _of_steps(fields)
    if "mapping" in fields and "inserted_at" in fields:
        return changed(fields, {"mapping": _with_roles(fields_of(fields["mapping"]))})
    return fields


def _is_client(fields: Fields) -> bool:
    """True for a message in the person's place that ChatGPT puts there and does not show."""
    if fields_of(fields.get("author")).get("role") != "user":
        return False
    metadata = fields_of(fields.get("metadata"))
    hidden = metadata.get("is_visually_hidden_from_conversation") is True
    content_type = text_of(fields_of(fields.get("content")).get("content_type"))
    return hidden or content_type in _CONTEXTS


def _of_client(fields: Fields) -> Fields:
    content = fields_of(fields.get("content"))
    words = [said for key in _CONTEXT if (said := text_of(content.get(key))) is not None]
    own: dict[str, object] = {"role": "system"}
    if words:
        own["content"] = "\n\n".join(words)
    return changed(without(fields, ("author",)), own)


def _of_character(fields: Fields) -> Fields:
    """A message of SillyTavern: its `mes` is the one shown of several versions.

    One of the program itself, such as of a narrator, has a type. `is_system` says only that the
    model does not get it.
    """
    extra = fields_of(fields.get("extra"))
    invoked = [each for call in items_of(extra.get("tool_invocations")) for each in _invoked(call)]
    own: dict[str, object] = {
        "content": invoked or fields.get("mes"),
        "reasoning": extra.get("reasoning"),
        "timestamp": _sent_at(fields.get("send_date")),
    }
    if not invoked and text_of(extra.get("type")) is not None and not fields.get("is_user"):
        return changed(without(fields, ("is_user",)), {**own, "role": "system"})
    return changed(fields, own)


def _invoked(call: object) -> list[Fields]:
    own = fields_of(call)
    name, called = text_of(own.get("name")), text_of(own.get("id"))
    return [
        {"type": "tool_call", "id": called, "name": name, "arguments": own.get("parameters")},
        {"type": "tool_result", "tool_call_id": called, "content": own.get("result")},
    ]


def _sent_at(value: object) -> object:
    """The time of a message; some versions write a local time as words."""
    words = text_of(value)
    if words is None:
        return value
    if (found := _SENT.fullmatch(words)) is not None:
        year, *rest = found.groups()
        month, day, hour, minute, second = (each.zfill(2) for each in rest)
        return local_time_of(f"{year}-{month}-{day}T{hour}:{minute}:{second}")
    try:
        return local_time_of(datetime.strptime(words, _SPOKEN).isoformat())  # noqa: DTZ007
    except ValueError:
        return words


def _role_of_fragments(fields: Fields) -> str:
    kinds = {fields_of(each).get("type") for each in items_of(fields["fragments"])}
    return "user" if "REQUEST" in kinds else "assistant"


def _content(fields: Fields) -> Fields:
    return {"content": [_fragment(fields_of(each)) for each in items_of(fields["fragments"])]}


def _fragment(fields: Fields) -> Fields:
    """A part of a message of DeepSeek: words, a thought, or what a tool of its own did."""
    named = text_of(fields.get("type")) or ""
    known = _FRAGMENTS.get(named)
    if known is not None:
        return {"type": known, known: fields.get("content")}
    found = fields.get("results", fields.get("result"))
    return {
        "type": f"{named.lower()}_call", "name": _TOOLS.get(named, named.lower()),
        "arguments": without(fields, _OF_FRAGMENT), "results": found, "status": "completed",
    }  # fmt: skip


def _with_roles(nodes: Fields) -> Fields:
    """The messages of DeepSeek by id: without roles, as in older exports, they alternate."""
    roles: dict[object, str] = {}
    made: dict[str, object] = {}
    # The copy keeps other members from counting as read.
    for key, value in dict(nodes).items():
        node = fields_of(value)
        message = fields_of(node.get("message"))
        if not message or "role" in message or items_of(message.get("fragments")):
            continue
        roles[key] = "assistant" if roles.get(node.get("parent")) == "user" else "user"
        made[key] = changed(node, {"message": changed(message, {"role": roles[key]})})
    return changed(nodes, made)


def _of_steps(fields: Fields) -> Fields:
    """An answer of LM Studio with what its steps have as its content."""
    found: list[object] = []
    for step in map(fields_of, items_of(fields["steps"])):
        thought = text_of(fields_of(step.get("style")).get("type")) == "thinking"
        given = step.get("content")
        for part in items_of(given) or filter(None, [text_of(given)]):
            said = text_of(fields_of(part).get("text")) or text_of(part)
            found.append({"type": "thinking", "thinking": said} if thought and said else part)
    return changed(fields, {"content": found})


def requests(fields: Fields) -> Iterator[tuple[str | None, Usage]]:
    """The model and the tokens of each request that an answer of LM Studio took."""
    for step in map(fields_of, items_of(fields.get("steps"))):
        own = fields_of(step.get("genInfo"))
        stats = fields_of(own.get("stats"))
        given, output = map(whole_of, map(stats.get, ("promptTokensCount", "predictedTokensCount")))
        if given is not None or output is not None:
            yield text(own, "identifier", "indexedModelIdentifier"), Usage(given, output=output)


def row(fields: Fields) -> Iterator[tuple[str, str]]:
    """The role and the words of what a row of a data set has; nothing for any other object.

    `input` is what the instruction is about; `history` has pairs of earlier questions and answers.
    """
    pairs = (
        (text_of(fields.get(key)), next(filter(None, map(text_of, map(fields.get, answers))), None))
        for key, answers in _ROWS
    )
    asked, answered = next((each for each in pairs if None not in each), (None, None))
    if asked is None or answered is None:
        return
    if (system := text_of(fields.get("system"))) is not None:
        yield "system", system
    for pair in map(items_of, items_of(fields.get("history"))):
        for role, said in zip(("user", "assistant"), pair, strict=False):
            if (words := text_of(said)) is not None:
                yield role, words
    about = text_of(fields.get("input"))
    yield "user", f"{asked}\n\n{about}" if about is not None else asked
    yield "assistant", answered
