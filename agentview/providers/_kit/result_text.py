"""How a client words a result: what it adds to the text that a tool gave, and what that says."""

import re
from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from agentview.domain.events import ToolResult
from agentview.domain.tool_inputs import AskPayload, GrepPayload, ReadPayload
from agentview.domain.tool_results import (
    AskAnswer,
    AskResult,
    MatchResult,
    PathsResult,
    ReadResult,
    ShellResult,
)
from agentview.domain.tools import Denial, DeniedBy, ToolCall
from agentview.domain.value import Value
from agentview.normalize.json_fields import number
from agentview.normalize.output_text import media_of, text_of
from agentview.normalize.tools import read, search

_TAIL_CHARS = 1_000


def refusal(said: str, table: Sequence[tuple[str, DeniedBy]]) -> Denial | None:
    """Who refused a call, by the first pattern that the text begins with; its `words` if it has."""
    for pattern, by in table:
        if (found := re.match(pattern, said)) is not None:
            return Denial(by, (found.groupdict().get("words") or "").strip() or None)
    return None


def _facts(match: re.Match[str]) -> dict[str, str]:
    return {name: value for name, value in match.groupdict().items() if value is not None}


class ResultText(Value):
    """Patterns of a client's words; its methods make the typed results of calls.

    What `head` and `tail` match is taken off. Their groups are named as the fields of the result
    that they fill in, such as `exit_code`, `task_id` or `match_count`; a flag such as `timed_out`
    or `truncated` is set if its group takes part.
    """

    head: str | None = None
    tail: tuple[str, ...] = ()
    """One after the other, each behind what is left."""
    none: str | None = None
    """The text of a result with nothing in it."""
    file: str | None = None
    line: str | None = None
    """Lines of a search whose result says its `match_count`; see `search.matches_by_file`."""

    def parse(self, said: str) -> tuple[str, Mapping[str, str]]:
        """The text of the tool, and what the groups found; with `none` where that matched."""
        facts: dict[str, str] = {}
        for pattern in self.tail:
            begin = max(0, len(said) - _TAIL_CHARS)
            if (match := re.compile(pattern).search(said, begin)) is not None:
                said = said[: match.start()]
                facts |= _facts(match)
        if self.head is not None and (match := re.match(self.head, said)) is not None:
            said = said[match.end() :]
            facts |= _facts(match)
        if self.none is not None and re.match(self.none, said) is not None:
            return "", {**facts, "none": said}
        return said, facts

    def exit_code(self, said: str) -> int | None:
        return number(self.parse(said)[1], "exit_code")

    def shell(self, _call: ToolCall, outcome: ToolResult) -> ShellResult | None:
        """Return the output of a command, and how it ended."""
        printed = text_of(outcome.output)
        if printed is None:
            return None
        said, facts = self.parse(printed)
        return ShellResult(
            output=said,
            exit_code=number(facts, "exit_code"),
            interrupted=outcome.interrupted,
            timed_out="timed_out" in facts,
            task_id=facts.get("task_id"),
            launched="launched" in facts,
            status=facts.get("status"),
            spill_path=facts.get("spill_path"),
            media=media_of(outcome.output),
        )

    def read(self, call: ToolCall, outcome: ToolResult) -> ReadResult | None:
        """A file, also without the numbers of its lines."""
        printed = text_of(outcome.output)
        if outcome.ok is False or (printed is None and not media_of(outcome.output)):
            return None
        said, facts = self.parse(printed or "")
        place = call.payload.path if isinstance(call.payload, ReadPayload) else ""
        total = number(facts, "total_lines")
        made = read.read_text(
            said if printed is not None else None, media_from=outcome, total=total, place=place
        )
        return replace(made, truncated=True) if "truncated" in facts else made

    def grep(self, call: ToolCall, outcome: ToolResult) -> MatchResult | None:
        """Matches by file, or as the usual tools print them."""
        said, facts = self.parse(text_of(outcome.output) or "")
        if "none" in facts and outcome.ok is not False:
            return MatchResult(match_count=0, file_count=0)
        if "match_count" not in facts:
            return search.grep_result(call, outcome)
        if self.file is not None and self.line is not None:
            matches = search.matches_by_file(said, self.file, self.line)
        else:
            place = call.payload.path if isinstance(call.payload, GrepPayload) else None
            matches = search.parse_matches(said, place)
        return MatchResult(
            matches,
            match_count=number(facts, "match_count"),
            file_count=number(facts, "file_count"),
            truncated="truncated" in facts,
        )

    def paths(self, _call: ToolCall, outcome: ToolResult) -> PathsResult | None:
        """Names, one a line."""
        printed = text_of(outcome.output)
        if printed is None or outcome.ok is False:
            return None
        said, facts = self.parse(printed)
        if "none" in facts:
            return PathsResult(count=0)
        return PathsResult(search.path_lines(said), truncated="truncated" in facts)

    def answer(self, call: ToolCall, outcome: ToolResult) -> AskResult | None:
        """Return the choice or the words of the person, where there was one question."""
        payload, said = call.payload, text_of(outcome.output)
        if outcome.ok is False or said is None or not isinstance(payload, AskPayload):
            return None
        if len(payload.questions) != 1:
            return None
        return AskResult((AskAnswer(payload.questions[0].text, self.parse(said)[0]),))
