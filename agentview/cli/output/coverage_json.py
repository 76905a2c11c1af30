"""Fates of the records of logs, as JSON."""

from collections.abc import Mapping, Sequence

from agentview.facts.accounting.classify import RecordReport
from agentview.facts.accounting.log_bytes import Separators
from agentview.facts.accounting.log_report import LogAccount, Tally, TypeTally
from agentview.facts.accounting.outcome import RecordOutcome
from agentview.facts.accounting.session_files import SkippedFile
from agentview.facts.accounting.totals import OutcomeTotals, added_up, complete
from agentview.facts.accounting.versions import unseen
from agentview.providers import load_evidence

Object = dict[str, object]


def document(accounts: Sequence[LogAccount], left: Sequence[SkippedFile]) -> Object:
    return {
        "version": 1,
        "total": _total(added_up(accounts)),
        "files": [_file(account) for account in accounts],
        "not_read": [
            {"path": each.path, "why": each.why, "unreadable": each.unreadable} for each in left
        ],
    }


def _total(total: OutcomeTotals) -> Object:
    fates = {
        fate.value: {"records": total.records_by_fate[fate], "bytes": total.bytes_by_fate[fate]}
        for fate in RecordOutcome
    }
    return {
        "files": total.files,
        "file_bytes": total.file_bytes,
        "bytes": total.bytes,
        "lines": total.lines,
        "records": total.records,
        "record_bytes": total.record_bytes,
        "events": total.events,
        "calls": {"recorded": total.calls.recorded, "shown": total.calls.shown},
        "whole": complete(total),
        "fates": fates,
        "between": _between(total.separators),
    }


def _file(account: LogAccount) -> Object:
    ref = account.ref
    return {
        "path": ref.path,
        "provider": ref.provider,
        "session_id": ref.session_id,
        "agent": ref.stream.id or None,
        "document": account.document,
        "file_bytes": account.file_bytes,
        "bytes": account.bytes,
        "lines": account.lines,
        "records": account.records,
        "record_bytes": account.record_bytes,
        "events": account.events,
        "calls": {
            "recorded": account.calls.recorded,
            "shown": account.calls.shown,
            "lost_lines": list(account.calls.lost),
        },
        "whole": account.complete,
        "cut": account.cut,
        "damage": account.fault,
        "fates": {fate.value: _tally(tally) for fate, tally in account.by_fate.items()},
        "between": _between(account.separators),
        "types": [_type(each) for each in account.types],
        "client_versions": _versions(ref.provider, account.versions),
    }


def _between(found: Separators) -> Object:
    return {
        "bytes": found.total,
        "terminators": found.terminators,
        "blanks": found.blanks,
        "blank_lines": found.blank_lines,
        "bom": found.bom,
        "framing": found.framing,
        "unaccounted": found.other,
    }


def _tally(tally: Tally) -> Object:
    return {
        "records": tally.records,
        "bytes": tally.bytes,
        "examples": [_place(each) for each in tally.examples],
    }


def _place(verdict: RecordReport) -> Object:
    return {
        "offset": verdict.offset,
        "length": verdict.length,
        "line": verdict.line,
        "record_type": verdict.record_type,
        "reason": verdict.reason,
    }


def _type(each: TypeTally) -> Object:
    first = each.tally.examples[0]
    return {
        "fate": each.fate.value,
        "record_type": each.record_type,
        "reason": each.reason,
        "client_version": each.client_version,
        "records": each.tally.records,
        "bytes": each.tally.bytes,
        "first": {"offset": first.offset, "length": first.length, "line": first.line},
    }


def _versions(provider: str, versions: Mapping[str | None, Tally]) -> list[Object]:
    new = unseen(load_evidence(provider), [version for version in versions if version is not None])
    return [
        {
            "version": version,
            "records": tally.records,
            "bytes": tally.bytes,
            "newer_than_seen": version in new,
        }
        for version, tally in versions.items()
    ]
