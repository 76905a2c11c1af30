"""Counts what the records of one log used, in file order.

Of all but the newest responses it keeps sums and a number each, so that they are known again.
"""

from array import array
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from operator import itemgetter

from msgspec.structs import replace

from agentview.domain.activity import RowKind
from agentview.domain.events import TokenUsage
from agentview.domain.index_entry import KIND_CODES, EventFact, Flag, RecordFacts, Signal
from agentview.domain.period import ALL_TIME, Period
from agentview.domain.session import Stream
from agentview.domain.usage import Usage
from agentview.facts.usage.aggregate import Response, UsageGroups
from agentview.facts.usage.claims import Claim, always
from agentview.facts.usage.report import ToolUsage
from agentview.facts.usage.tally import Pricing, Tally, negative
from agentview.facts.usage.time_breakdown import Clock, Extent
from agentview.facts.usage.tool_stats import ToolCalls
from agentview.timeline.rows.links import keeps_text_together

KEPT = 2048
"""Responses that later records may still repeat; of older ones only the sums are kept."""

_COMPACTION = KIND_CODES[RowKind.COMPACTION]
_GIVEN = frozenset({KIND_CODES[RowKind.USER], KIND_CODES[RowKind.COMMAND]})


@dataclass(slots=True)
class Turn:
    """A prompt; one of a history that was replaced stands no more, and was paid for."""

    prompt: str
    started: float | None
    place: tuple[int, int]
    """Byte offset of its record, and number of the event in it."""
    history: int
    """The newest history that has its prompt."""
    stands: bool = True


class UsageAccumulator:
    """Takes the records of a log; each response, call and prompt counts once."""

    def __init__(
        self,
        pricing: Pricing,
        claim: Claim = always,
        *,
        agents: bool = True,
        each: bool = False,
        period: Period = ALL_TIME,
    ) -> None:
        """`agents`: whether to count what other agents in the same log used.

        With `each` all responses are kept, for `responses`. What is outside the `period` is taken,
        and not counted: a response, a call and a turn are when they began.
        """
        self.extent = Extent(period)
        self._pricing = pricing
        self._claim = claim
        self._agents = agents
        self._each = each
        self._settled, self._outside = UsageGroups(), UsageGroups()
        """Of responses in the period, and of all others."""
        self._responses: dict[str, Response] = {}
        self._keys: set[int] = set()
        """Hashes of prompts that were seen, and of responses that are settled."""
        self._models: dict[Stream | None, str] = {}
        self._has_total = False
        """Whether the client reported its own count of all."""
        self._corrections = 0
        self._run: str | None = None
        self._history = 0
        self._turn = 0
        """Number of the turn that continues, 0 before the first."""
        self._parts = array("Q")
        """Byte offsets of what a person gave: each begins a part."""
        self._abandoned: Sequence[tuple[int, int]] = ()
        self._prompts: dict[int, int] = {}
        """Numbers of turns by the hashes of what identifies their prompts."""
        self._replaceable: dict[str, int] = {}
        """Numbers of turns by the key under which something else may take the prompt's place."""
        self.reach = 0
        """The byte behind the last record that was taken."""
        self.turns: list[Turn] = []
        self.tools = ToolCalls(period)
        self.clock = Clock(period=period)
        self.times: list[float | None] = []
        """Of each point of the context, in order."""
        self.fills: list[int] = []
        """Tokens in the context at each of these points."""
        self.compacted: list[int] = []
        """Numbers of the points before which the history was compacted."""
        self._last_fill: str | None = None
        self.client_cost: float | None = None
        """The client's own count, unless the log continued since."""
        self._turned = 0
        """Where a turn began or ended behind that figure: byte offset, 0 for nowhere."""
        self.partial = False
        """Whether something in the log is not counted here, which the client may have counted."""
        self.model: str | None = None
        """The newest one of the main stream."""

    def take(self, records: Iterable[RecordFacts]) -> None:
        """Take records that follow those before."""
        for record in records:
            self.reach = record.offset + record.length
            for fact in record.events:
                if fact.stream is None or self._agents:
                    self._take(fact, record.offset)
                elif fact.usage is not None:
                    self.partial = True
        self._settle()

    def sums(self) -> UsageGroups:
        return self._added(self._settled, inside=True)

    def _added(self, settled: UsageGroups, *, inside: bool) -> UsageGroups:
        sums = UsageGroups()
        sums.merge(settled)
        for response in self._responses.values():
            if self.extent.period.has(response.time) is inside:
                sums.add(response, self._pricing)
        return sums

    def responses(self) -> Mapping[str, Response]:
        """The responses that are kept, by their ids; together with `each` they are all sums.

        What a client counted beyond its responses is one too, whose id begins with a zero byte.
        """
        return self._responses

    def _take(self, fact: EventFact, offset: int) -> None:
        self._note(fact)
        self._follow_cost(fact, offset)
        self._withdraw(fact)
        if fact.replaces_all and fact.stream is None:
            self._begin_history()
        if fact.stream is None:
            self._begin_part(fact, offset)
        begins = fact.flags & Flag.TURN and self._begins_turn(fact, offset)
        self._follow_run(fact)
        if fact.flags & Flag.TURN and not begins:
            return
        self.tools.take(fact, offset)
        if fact.usage is not None:
            self._use(fact, fact.usage)
        elif fact.stream is None:
            self.clock.take(fact)
            new = fact.kind == _COMPACTION and not self._known(fact)
            if new and self.extent.period.has(fact.time):
                self.compacted.append(len(self.fills))

    def _note(self, fact: EventFact) -> None:
        if fact.facts is not None and fact.facts.model is not None:
            self._models[fact.stream] = fact.facts.model
            if fact.stream is None:
                self.model = fact.facts.model
        self.extent.take(fact)

    def _follow_cost(self, fact: EventFact, offset: int) -> None:
        """Remember the cost that the client counted; it excludes responses of later turns.

        The usage of a turn may be reported after its cost, but not after a count of all.
        """
        if fact.stream is not None:
            return
        if fact.facts is not None and fact.facts.cost is not None:
            self.client_cost, self._turned = fact.facts.cost, 0
        elif self.client_cost is None:
            return
        elif fact.usage is not None and not fact.usage.total:
            if self._has_total or 0 < self._turned < offset:
                self.client_cost = None
        elif (
            fact.flags & Flag.TURN or fact.kind == _COMPACTION or fact.signal == Signal.INTERRUPTED
        ):
            self._turned = offset

    def _begin_history(self) -> None:
        self._history += 1
        for turn in self.turns:
            turn.stands = False

    def _begin_part(self, fact: EventFact, offset: int) -> None:
        if fact.kind in _GIVEN and (not self._parts or self._parts[-1] != offset):
            self._parts.append(offset)

    def abandon(self, ranges: Sequence[tuple[int, int]]) -> None:
        """Know which bytes of the log are abandoned branches, in order, as the store has them."""
        self._abandoned = ranges

    def tool_usage(self) -> dict[str, ToolUsage]:
        return self.tools.usage(self._abandoned)

    def is_abandoned(self, offset: int) -> bool:
        """Return True if a record is on an abandoned branch, by its byte offset."""
        at = bisect_right(self._abandoned, offset, key=itemgetter(0)) - 1
        return at >= 0 and offset < self._abandoned[at][1]

    def abandoned(self, sums: UsageGroups) -> Tally:
        """Return the usage of abandoned branches, of all that was counted."""
        tally = Tally()
        for part, used in sums.by_part.items():
            if part and self.is_abandoned(self._parts[part - 1]):
                tally.merge(used)
        return tally

    def _begins_turn(self, fact: EventFact, offset: int) -> bool:
        """Begin a turn; False for a prompt that is known already, or continues."""
        goes_on = self._run and fact.tie is not None and fact.tie.run == self._run
        keys = _keys_of(fact)
        if goes_on or self._known(fact):
            self._stand_again(keys)
            return False
        place = offset, fact.sub
        self.turns.append(Turn(fact.prompt or "", fact.time, place, self._history))
        self._turn = len(self.turns)
        self._prompts.update(dict.fromkeys(keys, self._turn))
        if fact.replaces is not None:
            self._replaceable[fact.replaces] = self._turn
        return True

    def _stand_again(self, keys: set[int]) -> None:
        """Let a turn stand whose prompt is reported again in the history that took its place."""
        number = max((self._prompts.get(key, 0) for key in keys), default=0)
        if number and self.turns[number - 1].history != self._history:
            turn = self.turns[number - 1]
            turn.stands, turn.history, self._turn = True, self._history, number

    def _follow_run(self, fact: EventFact) -> None:
        """Know which text continues, if any: only what stands aside leaves that open."""
        if fact.stream is not None:
            return
        run = None if fact.tie is None else fact.tie.run
        if run is not None or not keeps_text_together(fact):
            self._run = run or None

    def _withdraw(self, fact: EventFact) -> None:
        """Take back the turn of a prompt that something else took the place of, as of a queued one.

        What was used since then belongs to the turn before it.
        """
        if fact.flags & Flag.TURN or fact.replaces is None:
            return
        number = self._replaceable.pop(fact.replaces, None)
        if number is None:
            return
        self.turns[number - 1].stands = False
        standing = (at for at in range(number - 1, 0, -1) if self.turns[at - 1].stands)
        before = next(standing, 0)
        for response in self._responses.values():
            if response.turn == number:
                response.turn = before
        for settled in (self._settled, self._outside):
            if number in settled.by_turn:
                settled.by_turn[before].merge(settled.by_turn.pop(number))
        if self._turn == number:
            self._turn = before

    def _known(self, fact: EventFact) -> bool:
        """Return True if an event with the same key was there before."""
        hashes = _keys_of(fact)
        known = not hashes.isdisjoint(self._keys)
        self._keys |= hashes
        return known

    def _use(self, fact: EventFact, reported: TokenUsage) -> None:
        if reported.total:
            self._correct(fact, reported)
            return
        name = reported.response_id
        known = self._responses.get(name)
        if known is not None:
            if reported.usage.rank >= known.usage.rank:
                known.usage, known.model = reported.usage, reported.model or known.model
                known.cost = reported.cost
            if known.history != self._history:
                known.history, known.turn = self._history, self._turn
        elif _settled(name) in self._keys:
            return
        elif not self._claim(name, fact.time, fact.stream):
            self.partial = True
            self._keys.add(_settled(name))
            return
        else:
            counts = not reported.aside
            known = self._responses[name] = self._response(fact, reported, counts=counts)
        if reported.aside:
            return
        known.calls += self.tools.made(fact.stream, name)
        if fact.stream is None:
            self._fill(name, fact.time, known.usage)

    def _response(self, fact: EventFact, reported: TokenUsage, *, counts: bool = True) -> Response:
        model = reported.model or self._models.get(fact.stream)
        if fact.stream is None and model is not None and not reported.aside:
            self.model = model
        turn, side = self._turn, fact.stream is not None
        return Response(
            reported.usage, model, turn, fact.time, side, self._history, counts, reported.cost,
            part=len(self._parts), stream=fact.stream,
        )  # fmt: skip

    def _correct(self, fact: EventFact, reported: TokenUsage) -> None:
        """Take the client's own count of all until now.

        What the total has beyond the reported responses is added. Where it has less of something,
        the total replaces all counts that it states, and how they were split is not known.
        """
        self._has_total = True
        sums = self.sums()
        sums.merge(self._added(self._outside, inside=False))
        counted = Tally()
        counted.merge(sums.own)
        counted.merge(sums.agents)
        models = {*sums.by_model}
        usage = reported.usage.minus(counted.usage)
        if negative(usage):
            usage = reported.usage.or_else(replace(counted.usage, unfinished=None))
            self._keys.update(map(_settled, self._responses))
            self._responses, self._settled, self._outside = {}, UsageGroups(), UsageGroups()
        elif reported.usage.output is not None and counted.usage.unfinished:
            # The client knows what was not counted to its end.
            usage = replace(usage, unfinished=-counted.usage.unfinished)
        if reported.usage == counted.usage:
            return
        self._corrections += 1
        correction = self._response(fact, reported, counts=not counted.responses)
        correction.usage = usage
        correction.model = reported.model or (next(iter(models)) if len(models) == 1 else None)
        self._responses[f"\x00total:{self._corrections}"] = correction

    def _fill(self, name: str, time: float | None, usage: Usage) -> None:
        tokens = usage.context
        if tokens is None or not self.extent.period.has(time):
            return
        if name == self._last_fill:
            self.fills[-1] = tokens
            return
        self._last_fill = name
        self.times.append(time)
        self.fills.append(tokens)

    def _settle(self) -> None:
        """Add up all but the newest responses."""
        excess = len(self._responses) - 2 * KEPT
        if excess > 0 and not self._each:
            for name in list(islice(self._responses, excess + KEPT)):
                response = self._responses.pop(name)
                settled = self._settled if self.extent.period.has(response.time) else self._outside
                settled.add(response, self._pricing)
                self._keys.add(_settled(name))


def _keys_of(fact: EventFact) -> set[int]:
    return {hash(("event", key)) for key in (fact.dedupe, fact.rewrites) if key is not None}


def _settled(response: str) -> int:
    return hash(("response", response))
