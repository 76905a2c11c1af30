"""Shows a schedule: when it runs, how often, with which prompt."""

from collections.abc import Iterator
from typing import ClassVar

from msgspec.structs import replace

from agentview.domain.activity import Activity, Kind
from agentview.domain.tool_inputs import ScheduleAction, ScheduledJob, SchedulePayload, Timing
from agentview.domain.tool_results import ScheduleResult
from agentview.domain.tools import ToolCall, ToolKind
from agentview.normalize.tools.schedule import next_run
from agentview.timeline.view.detail_levels import DetailLevel
from agentview.timeline.view.format_numbers import date_time
from agentview.timeline.view.sanitize import first_line
from agentview.timeline.view.titles.standing import repetition, scheduled, timing_words
from agentview.ui.render.containers import Indented, Stack, labelled
from agentview.ui.render.lazy_lines import LazyLines, RenderContext
from agentview.ui.render.text_lines import Piece, Rows, prose_rows
from agentview.ui.tool_widget import ToolWidget, shortened, untyped

_INDENT = "  "


class ScheduleTool(ToolWidget):
    """A job that runs later, or the list of all of them."""

    KINDS: ClassVar[tuple[Kind, ...]] = (ToolKind.SCHEDULE,)

    @classmethod
    def content(
        cls, call: ToolCall, activity: Activity, level: DetailLevel, space: RenderContext
    ) -> LazyLines | None:
        """The job with its next run and its prompt; of a list each job."""
        payload, result = call.payload, call.result
        if not isinstance(payload, SchedulePayload):
            return untyped(call, level, space)
        jobs = result.jobs if isinstance(result, ScheduleResult) else ()
        parts: list[LazyLines] = []
        if payload.action is not ScheduleAction.LIST:
            job = scheduled(payload, jobs)
            parts = list(_job(job, payload.reason, activity.started, space))
        if payload.action is ScheduleAction.LIST or len(jobs) > 1:
            parts += [_listed(job, level, space) for job in jobs]
        body = shortened(Stack(parts), level, "lines", space)
        answer = untyped(call, level, space) if result is None else None
        return body if answer is None else Stack([body, answer])


def _job(
    job: ScheduledJob, reason: str | None, called: float | None, space: RenderContext
) -> Iterator[LazyLines]:
    if job.timing is not None:
        yield labelled("when", _when(job.timing), space)
    if following := _next(job, called):
        yield labelled("next run", following, space)
    for label, text in (
        ("id", job.id),
        ("name", job.name),
        ("reason", reason),
        ("prompt", job.prompt),
    ):
        if text:
            yield labelled(label, text, space)


def _when(timing: Timing) -> str:
    """When it runs, with the expression that says so."""
    words = timing_words(timing)
    if timing.cron is not None and timing.cron != words:
        words = f"{words} ({timing.cron})"
    return ", ".join(part for part in (words, repetition(timing)) if part)


def _next(job: ScheduledJob, called: float | None) -> str:
    """The next run as the client said it, else after the call by the expression."""
    if job.next_run is not None:
        return date_time(job.next_run)
    if job.timing is None or called is None:
        return ""
    if job.timing.delay is not None:
        return f"{date_time(called + job.timing.delay)} (computed)"
    computed = next_run(job.timing, called)
    if computed is None:
        return ""
    whose = "" if job.timing.zone else ", as if in the time zone of this machine"
    return f"{date_time(computed)} (computed{whose})"


def _listed(job: ScheduledJob, level: DetailLevel, space: RenderContext) -> LazyLines:
    palette, full = space.palette, level is DetailLevel.FULL
    pieces: list[Piece] = [(f"{space.glyphs.bullet} ", palette.dim)]
    if job.id:
        pieces.append((f"{first_line(job.id, 40)}  ", palette.number))
    said = job.prompt or job.name or ""
    if not full:
        when = timing_words(job.timing) if job.timing is not None else ""
        pieces += [(when, palette.text), (f"  {first_line(said, 200)}", palette.dim)]
        return Rows([pieces], space)
    if job.timing is not None:
        pieces.append((_when(job.timing), palette.text))
    if job.next_run is not None:
        pieces.append((f"  next run {date_time(job.next_run)}", palette.dim))
    if not said:
        return Rows([pieces], space)
    inner = replace(space, width=max(1, space.width - len(_INDENT)))
    body = Indented(prose_rows(said, inner, palette.text), [(_INDENT, palette.dim)])
    return Stack([Rows([pieces], space), body])
