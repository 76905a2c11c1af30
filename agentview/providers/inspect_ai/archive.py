"""How samples are kept: members `samples/<id>_epoch_<n>.json` of a zip file, or of a document.

Source: logs that Inspect AI 0.3.285 wrote. A sample is given as lines: what is around it (`eval`,
`sample`), its messages and its events in the order in which they happened, and its `end`. Of an
event of a request the messages that went in are left out, which are lines of their own; texts that
are kept once for several places (`attachment://<hash>`) are put back. Logs of 2024 (up to 0.3.5x)
have events and texts in a `transcript` or no events at all, and messages have no ids there.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from agentview.errors import Unreadable
from agentview.normalize.json_fields import to_json
from agentview.normalize.json_values import (
    Fields,
    fields_of,
    items_of,
    text_of,
    time_of,
)
from agentview.sources.member import Archive, Container

_MEMBER = re.compile(r"samples/([^/]+_epoch_\d+)\.json")
_BEGIN = re.compile(rb'\s*\{\s*"version"\s*:\s*\d+\s*,\s*"status"\s*:\s*"[a-z]+"\s*,\s*"eval"\s*:')
_ATTACHED = re.compile(r"(?:attachment|tc)://(.*)", re.DOTALL)
_DEPTH = 40
_MOST_PUT_BACK = 256 * 1024 * 1024
"""Characters of kept texts in the lines of a sample: a short one may name a long one often."""
_LISTS = frozenset({
    "messages", "events", "attachments", "events_data", "store", "output", "transcript", "score",
})  # fmt: skip
_END = ("error", "scores", "limit", "completed_at", "total_time", "model_usage")
_REPEATED = frozenset({"input", "input_refs", "tools", "tool_choice", "config", "call", "events"})
_OF_EVAL = ("task", "model", "created", "run_id", "task_id", "sandbox", "packages", "revision")


def _begins(head: bytes) -> bool:
    """A zip file is looked into later; a document begins with these members."""
    return head.startswith(b"PK") or _BEGIN.match(head) is not None


def _sessions(container: Container) -> Sequence[Mapping[str, object]]:
    found: list[Mapping[str, object]] = []
    for name in container.names:
        match = _MEMBER.fullmatch(name)
        if match is not None:
            found.append({"id": match[1]})
    for sample in map(fields_of, items_of(fields_of(container.document).get("samples"))):
        time = time_of(sample.get("completed_at"))
        found.append({"id": _name(sample), "modified": time})
    return found


def _name(sample: Fields) -> str:
    return f"{sample.get('id')}_epoch_{sample.get('epoch')}"


def _lines(container: Container, session: str) -> Iterator[bytes]:
    """The lines of a sample; none where it is not there."""
    if container.names:
        header = container.json("header.json") or container.json("_journal/start.json")
        sample = fields_of(container.json(f"samples/{session}.json"))
        alone = sum(_MEMBER.fullmatch(name) is not None for name in container.names) == 1
    else:
        header = container.document
        listed = [*map(fields_of, items_of(fields_of(container.document).get("samples")))]
        sample = next((each for each in listed if _name(each) == session), None)
        alone = len(listed) == 1
    if not sample or header is None:
        raise Unreadable(f"No sample {session} in {container.path}.")
    sample = _newer(sample, fields_of(header), alone=alone)
    kept = _Kept(container.path, fields_of(sample.get("attachments")))
    for record in _records(fields_of(header), sample, kept):
        yield to_json(record).encode("utf-8", "replace")


def _newer(sample: Fields, header: Fields, *, alone: bool) -> Fields:
    """A sample as later versions write it: as Inspect AI itself brings older ones up to date.

    The tokens that an evaluation counts are those of the sample if that is `alone`.
    """
    made = dict(sample)
    transcript = fields_of(sample.get("transcript"))
    if transcript and "events" not in sample:
        made |= {"events": transcript.get("events"), "attachments": transcript.get("content")}
    if "score" in sample and "scores" not in sample:
        results = fields_of(header.get("results"))
        scorer = fields_of(results.get("scorer")) or fields_of(
            next(iter(items_of(results.get("scores"))), None)
        )
        made["scores"] = {text_of(scorer.get("name")) or "score": sample["score"]}
    events = map(fields_of, items_of(made.get("events")))
    if not any(each.get("event") == "model" for each in events):
        made["counted"], made["counted_last"] = _counted(sample, header, alone=alone)
    return made


def _counted(sample: Fields, header: Fields, *, alone: bool) -> tuple[object, bool]:
    """The tokens by model of a sample whose requests are not recorded.

    True with those of its last request, where it made others and nothing else is known.
    """
    own = sample.get("model_usage")
    if not own and alone:
        own = fields_of(header.get("stats")).get("model_usage")
    if own:
        return own, False
    output = fields_of(sample.get("output"))
    asked = [each for each in items_of(sample.get("messages")) if _is_answer(each)]
    return {text_of(output.get("model")) or "": output.get("usage")}, len(asked) > 1


def _is_answer(message: object) -> bool:
    return fields_of(message).get("role") == "assistant"


def _records(header: Fields, sample: Fields, kept: "_Kept") -> Iterator[dict[str, object]]:
    evaluation = fields_of(header.get("eval"))
    around = {key: value for key, value in sample.items() if key not in _LISTS | {*_END}}
    yield {
        "eval": {key: evaluation[key] for key in _OF_EVAL if key in evaluation},
        "version": header.get("version"),
        "sample": _restored(around, kept),
    }
    messages = [fields_of(_restored(each, kept)) for each in items_of(sample.get("messages"))]
    events = [fields_of(each) for each in items_of(sample.get("events"))]
    yield from _in_order(messages, events, kept)
    end = {key: sample[key] for key in (*_END, "counted", "counted_last") if sample.get(key)}
    yield {"end": _restored(end, kept), "status": header.get("status")}


def _in_order(
    messages: Sequence[Fields], events: Sequence[Fields], kept: "_Kept"
) -> Iterator[dict[str, object]]:
    """Messages and events as they happened: an answer comes behind the event of its request."""
    places = {text_of(each.get("id")): at for at, each in enumerate(messages)}
    answered = Counter(text_of(each.get("tool_call_id")) for each in messages)
    times: dict[str | None, object] = {}
    done = 0
    for event in events:
        kind = text_of(event.get("event"))
        at: int | None = None
        if kind == "model":
            choices = items_of(fields_of(event.get("output")).get("choices"))
            answer = fields_of(fields_of(next(iter(choices), None)).get("message"))
            own = text_of(answer.get("id"))
            at = _same(messages, done, answer, kept) if own is None else places.get(own)
        elif kind == "tool":
            times[text_of(event.get("id"))] = event.get("completed") or event.get("timestamp")
        if at is not None and at >= done:
            for message in messages[done:at]:
                asked = text_of(message.get("tool_call_id"))
                yield {"message": message, "at": times.get(asked) or event.get("timestamp")}
            done = at
        own = text_of(event.get("id")) if kind == "tool" else None
        is_answered = own is not None and answered[own] > 0
        if is_answered:
            answered[own] -= 1
        yield {"event": _restored(_short(event, kind, is_answered=is_answered), kept)}
        if at is not None and at == done:
            yield {"message": messages[at], "at": event.get("completed") or event.get("timestamp")}
            done = at + 1
    for message in messages[done:]:
        yield {"message": message, "at": times.get(text_of(message.get("tool_call_id")))}


def _same(messages: Sequence[Fields], start: int, answer: Fields, kept: "_Kept") -> int | None:
    """The place of an answer in the messages from `start` on, by what it says."""
    said = _restored(answer.get("content"), kept)
    for at, message in enumerate(messages[start:], start):
        if _is_answer(message):
            return at if message.get("content") == said else None
    return None


def _short(event: Fields, kind: str | None, *, is_answered: bool) -> Fields:
    """An event without what other lines have."""
    left = _REPEATED if kind in ("model", "tool", "subtask") else frozenset[str]()
    if is_answered:
        left |= {"arguments", "result", "view"}
    made = {key: value for key, value in event.items() if key not in left}
    if kind == "model":
        output = fields_of(event.get("output"))
        made["output"] = {key: value for key, value in output.items() if key != "choices"}
    return made


class _Kept:
    """The texts that are kept once for several places of a sample."""

    def __init__(self, path: str, texts: Fields) -> None:
        self._path = path
        self._texts = texts
        self._left = _MOST_PUT_BACK

    def restored(self, value: str) -> str:
        """The text that a value names, or the value. Raises Unreadable when they come to more."""
        named = _ATTACHED.fullmatch(value)
        found = self._texts.get(named[1]) if named is not None else None
        if not isinstance(found, str):
            return value
        self._left -= len(found)
        if self._left < 0:
            why = f"it repeats texts of more than {_MOST_PUT_BACK:,} characters"
            raise Unreadable(f"Cannot read {self._path}: {why}.", why=why)
        return found


def _restored(value: object, kept: _Kept, depth: int = 0) -> object:
    """The value with the texts that are kept elsewhere."""
    if isinstance(value, str):
        return kept.restored(value)
    if depth > _DEPTH:
        return value
    listed, fields = items_of(value), fields_of(value)
    if listed:
        return [_restored(item, kept, depth + 1) for item in listed]
    return {key: _restored(item, kept, depth + 1) for key, item in fields.items()} or value


ARCHIVE = Archive(begins=_begins, sessions=_sessions, lines=_lines)
