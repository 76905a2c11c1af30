"""Turns as the vendor's interface has them: whose answer is whose, where calls have no ids."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import orjson

from agentview.domain.events import Event
from agentview.normalize.json_values import Fields, fields_of, items_of, text_of
from agentview.normalize.raw_span import element_spans
from agentview.providers.gemini.gemini_cli.messages import is_message, message_events
from agentview.providers.gemini.shared.event_builder import Frame


def turns_in(frame: Frame) -> list[Event] | None:
    """Events of a turn with calls and the turn that answers them; None for another record."""
    listed = b"[" + frame.raw.strip(b", \t\r\n") + b"]"
    try:
        turns = [fields_of(item) for item in items_of(orjson.loads(listed))]
    except ValueError:
        return None
    if len(turns) != 2 or not all(is_message(turn) and "parts" in turn for turn in turns):
        return None
    spans = element_spans(listed, 0)
    events: list[Event] = []
    for index, turn in enumerate(_named(turns[0], turns[1], frame.record_id)):
        raw = listed[slice(*spans[index])]
        part = replace(frame, raw=raw, record_id=f"{frame.record_id}:{index}")
        events += message_events(part, turn)
    return events


def _named(asked: Fields, answered: Fields, own: str) -> tuple[Fields, Fields]:
    """The two turns, each call with the id of the first answer to its tool that is not taken."""
    parts = [fields_of(part) for part in items_of(answered.get("parts"))]
    answers = [fields_of(part.get("functionResponse")) for part in parts]
    ids = [text_of(answer.get("id")) or f"{own}#{at}" for at, answer in enumerate(answers)]
    free = [at for at, answer in enumerate(answers) if answer]
    calls: list[Fields] = []
    for part in map(fields_of, items_of(asked.get("parts"))):
        call = fields_of(part.get("functionCall"))
        same = (at for at in free if answers[at].get("name") == call.get("name"))
        found = next(same, None) if call and "id" not in call else None
        if found is None:
            calls.append(part)
        else:
            free.remove(found)
            calls.append({**part, "functionCall": {**call, "id": ids[found]}})
    told: Sequence[Mapping[str, object]] = [
        {**part, "functionResponse": {**answer, "id": own_id}} if answer else part
        for part, answer, own_id in zip(parts, answers, ids, strict=True)
    ]
    return {**asked, "parts": calls}, {**answered, "parts": told}
