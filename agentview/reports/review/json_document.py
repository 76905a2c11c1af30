"""A review as a JSON object."""

from msgspec.structs import asdict

from agentview.reports.export.encoding import Object, iso_time
from agentview.reports.review.review import (
    Origin,
    Review,
    ReviewedCall,
    ReviewedFile,
    ReviewedHunk,
)
from agentview.reports.review.test_runs import TestRun


def json_document(review: Review) -> Object:
    return {
        "range": review.range,
        "base": review.base,
        "head": review.head,
        "subject": review.subject,
        "time": iso_time(review.time),
        "commits": review.commits,
        "changed_lines": review.changed,
        "lines_without_call": review.unknown,
        "files": [_file(file) for file in review.files],
    }


def _file(file: ReviewedFile) -> Object:
    return {
        "file": file.path,
        "before": file.before,
        "status": file.status,
        "binary": file.binary,
        "hunks": [_hunk(hunk) for hunk in file.hunks],
    }


def _hunk(hunk: ReviewedHunk) -> Object:
    return {
        "old_start": hunk.old[0],
        "old_lines": hunk.old[1],
        "new_start": hunk.new[0],
        "new_lines": hunk.new[1],
        "heading": hunk.heading,
        "lines_without_call": hunk.unknown,
        "origins": [_origin(origin) for origin in hunk.origins],
        "lines": [asdict(line) for line in hunk.lines],
    }


def _origin(origin: Origin) -> Object:
    return {
        "session": origin.session_id,
        "provider": origin.provider,
        "title": origin.title,
        "model": origin.model,
        "turn": origin.turn,
        "prompt": origin.prompt,
        "exact": origin.exact,
        "calls": [_call(call) for call in origin.calls],
        "test_runs": {
            "count": len(origin.runs),
            "failed": sum(run.result.bad > 0 for run in origin.runs),
            "first": _run(origin.runs[0]) if origin.runs else None,
            "last": _run(origin.runs[-1]) if origin.runs else None,
        },
    }


def _call(call: ReviewedCall) -> Object:
    return {
        "tool": call.tool,
        "command": call.command,
        "time": iso_time(call.time),
        "call": call.call_id,
        "event": call.event_id,
        "subagent": call.subagent,
        "added": call.added,
        "removed": call.removed,
    }


def _run(run: TestRun) -> Object:
    result = run.result
    return {
        "command": run.command,
        "time": iso_time(run.time),
        "event": run.event_id,
        "passed": result.passed,
        "failed": result.failed,
        "errors": result.errors,
        "skipped": result.skipped,
        "whole": result.whole,
        "failures": [failure.name for failure in result.failures],
    }
