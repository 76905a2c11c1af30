"""The away report as JSON."""

from agentview.reports.away.report import AwayReport, AwaySession
from agentview.reports.away.work import SessionWork
from agentview.reports.export.encoding import Object, cost_fields, iso_time, status_fields


def report_document(report: AwayReport, now: float) -> Object:
    """The object at the time `now`, epoch seconds; unknown is None, times are ISO 8601 in UTC."""
    return {
        "now": iso_time(now),
        "since": iso_time(report.after),
        "needs": report.needs,
        **cost_fields(report.cost),
        "sessions": [_session(each) for each in report.sessions],
        "unreadable": [{"path": each.path, "reason": each.reason} for each in report.unreadable],
    }


def _session(each: AwaySession) -> Object:
    info, work = each.info, each.work
    return {
        "id": info.ref.own_id,
        "provider": info.ref.provider,
        **status_fields(each.status),
        "needs_you": each.group.value == "needs you",
        "live": each.live,
        "title": info.title,
        "project": info.project,
        "path": info.ref.path,
        "from": iso_time(each.after),
        "last_activity": iso_time(info.last_activity),
        **_work(work),
        "agents": each.agents,
        "last_words": work.words,
        "tokens": each.tokens,
        **cost_fields(each.cost),
        "has_times": not work.untimed,
    }


def _work(work: SessionWork) -> Object:
    added, removed, unknown = work.lines
    return {
        "prompts": work.turn_count,
        "turns": [
            {
                "prompt": turn.prompt,
                "started": iso_time(turn.started),
                "seconds": turn.seconds,
                "calls": turn.calls,
                "problems": turn.problems,
                "earlier": turn.earlier,
                "contradicted": turn.contradicted,
            }
            for turn in work.turns
        ],
        "calls": work.calls,
        "files_changed": work.file_count,
        "added": added,
        "removed": removed,
        "files_unknown": unknown,
        "files": [
            {
                "path": file.path,
                "mark": file.mark.value,
                "added": file.added,
                "removed": file.removed,
                "net": file.net,
            }
            for file in work.files
        ],
        "failed": work.failed,
        "denied": work.denied,
        "failures": [
            {
                "title": failure.title,
                "reason": failure.reason or None,
                "denied": failure.denied,
                "at": iso_time(failure.time),
            }
            for failure in work.failures
        ],
        "tests": {
            "runs": work.tests.runs,
            "failed_runs": work.tests.failed,
            "failing": list(work.tests.failing),
            "failing_count": work.tests.still,
        },
    }
