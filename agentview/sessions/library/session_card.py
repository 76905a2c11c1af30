"""Facts about a session in a few labelled lines, as they stand above its last turn."""

from collections import Counter
from collections.abc import Sequence

from agentview.domain.session import SessionRef
from agentview.domain.usage import Usage
from agentview.sessions.archive.manifest import folder_of
from agentview.sessions.library.columns import length_text
from agentview.sessions.library.session_list import Entry
from agentview.sessions.library.session_record import SessionTotals
from agentview.sessions.library.usage_rollup import added
from agentview.sources.packed_file import is_archived
from agentview.timeline.view.format_numbers import UNKNOWN, byte_size, counted, tokens

_MOST_NAMES = 6
_MOST_NOTES = 3
_PERCENT = 0.01
_BETWEEN = " · "

Line = tuple[str, str]
"""A label and what it says, not yet cleaned."""


def session_card_lines(entry: Entry, label: str, *, archived: bool = False) -> list[Line]:
    """The lines; `label` is what people call the provider. What is not known is a dash."""
    info, ref = entry.info, entry.info.ref
    known = [one.totals for one in (entry.facts, *entry.agents) if one.totals is not None]
    version = f"{label} {info.client_version}" if info.client_version else label
    models = dict.fromkeys(name for totals in known for name in totals.models)
    agent = f"agent {ref.stream.id}" if ref.stream.id else None
    model = ", ".join(models) or info.model or f"model {UNKNOWN}"
    lines = [
        ("log", "deleted" if entry.facts.is_deleted else f"{ref.path}  {byte_size(ref.size)}"),
        ("id", _BETWEEN.join(filter(None, (ref.session_id, agent, version, model)))),
        ("where", _BETWEEN.join(filter(None, (info.project, info.branch))) or UNKNOWN),
    ]
    if archived:
        lines.append(("archive", _archived(ref)))
    if (log_title := entry.facts.log_title) is not None:
        lines.append(("log title", log_title))
    lines += [("note", note.text) for note in entry.facts.added.notes[:_MOST_NOTES]]
    if not known:
        return [*lines, ("calls", "not indexed yet")]
    lines.append(("calls", _calls(known)))
    lines.append(("files", _files(known)))
    if entry.agents:
        lines.append(("agents", _agents(entry)))
    lines.append(("used", _used(entry, known)))
    return lines


def _archived(ref: SessionRef) -> str:
    """Where the copy of an archived session is."""
    folder = folder_of(ref)
    return f"the log is gone; read from {folder}" if is_archived(ref.path) else f"copy in {folder}"


def _calls(known: Sequence[SessionTotals]) -> str:
    counts: Counter[str] = Counter()
    for totals in known:
        counts.update({kind.value: count for kind, count in totals.calls.items()})
    listed = _BETWEEN.join(f"{name} {count:,}" for name, count in counts.most_common())
    problems = sum(totals.problems for totals in known)
    return (listed or "none") + (f"  ✗ {counted(problems, 'problem')}" if problems else "")


def _files(known: Sequence[SessionTotals]) -> str:
    paths = list(dict.fromkeys(path for totals in known for path in totals.files))
    if not paths:
        return "none changed"
    names = [path.rpartition("/")[2] or path for path in paths[:_MOST_NAMES]]
    rest = len(paths) - len(names)
    return f"{len(paths)} changed: {', '.join(names)}" + (f" and {rest} more" if rest else "")


def _agents(entry: Entry) -> str:
    labels = Counter(agent.info.ref.label or "agent" for agent in entry.agents)
    names = [name if count == 1 else f"{count} {name}" for name, count in labels.items()]
    return f"{len(entry.agents)}: {', '.join(names[:_MOST_NAMES])}"


def _used(entry: Entry, known: Sequence[SessionTotals]) -> str:
    usage = Usage()
    for totals in known:
        usage = usage.plus(totals.usage)
    given = added((usage.input_uncached, usage.input_cached, usage.cache_write))
    parts = [f"{tokens(given)} in, {tokens(usage.output)} out"]
    parts.append(entry.figures.cost.text())
    own = entry.facts.totals
    if own is not None and own.context_tokens is not None and own.context_window:
        fill = min(1.0, own.context_tokens / own.context_window)
        percentage = f"{fill:.0%}" if fill >= _PERCENT else f"<{_PERCENT:.0%}"
        parts.append(f"context {percentage} of {tokens(own.context_window)}")
    parts.append(f"over {length_text(entry.facts)}")
    return _BETWEEN.join(parts)
