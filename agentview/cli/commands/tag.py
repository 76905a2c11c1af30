"""`agentview tag`: the tags of sessions, and which are hidden from lists."""

import argparse
import sys
from collections import Counter
from collections.abc import Mapping

from agentview.errors import UsageError
from agentview.sessions.annotations.all_sessions import AllAnnotations, annotations_of
from agentview.sessions.annotations.session_file import SessionFile
from agentview.sessions.annotations.session_marks import change_tags, set_hidden, valid_tag
from agentview.sessions.targets.log_file import PIPE, Choice
from agentview.sessions.targets.target import resolve
from agentview.timeline.view.format_numbers import counted
from agentview.timeline.view.sanitize import clean


def run(options: argparse.Namespace) -> int:
    """Change the tags of a session and print them; all tags where no session is named."""
    changing = bool(options.tags or options.remove or options.hide or options.show)
    if options.target is None:
        if changing:
            raise UsageError("Which session? TARGET is missing.", "See 'agentview tag --help'.")
        return _list_all(options)
    if options.target == PIPE:
        raise UsageError("Standard input has no place for tags.", "Name a session.")
    add, remove = map(valid_tag, options.tags), map(valid_tag, options.remove)
    added, removed = set(add), set(remove)
    ref = resolve(options.target, Choice(options.provider, options.project))
    if ref.parent_id is not None or ref.stream.id:
        raise UsageError("Tags are of sessions, not of sub-agents.", "Name its session.")
    file = SessionFile(ref.provider, ref.session_id)
    if added or removed:
        change_tags(file, added, removed)
    if options.hide or options.show:
        set_hidden(file, hidden=options.hide)
    now = annotations_of(ref)
    if options.json:
        _print_json({"id": ref.session_id, "tags": now.tags, "hidden": now.hidden})
    else:
        for tag in now.tags:
            print(clean(tag))
        if now.hidden:
            print("hidden from lists")
    return 0


def _list_all(options: argparse.Namespace) -> int:
    every = AllAnnotations()
    every.load()
    counts = Counter(tag for each in every.by_session.values() for tag in each.tags)
    hidden = sum(each.hidden for each in every.by_session.values())
    if options.json:
        _print_json({"tags": dict(sorted(counts.items())), "hidden": hidden})
        return 0
    for tag, count in sorted(counts.items()):
        print(f"{clean(tag)}  {counted(count, 'session')}")
    if hidden:
        print(f"{counted(hidden, 'session')} hidden from lists")
    if not counts and not hidden:
        print("There are no tags; 'agentview tag TARGET TAG' adds one.", file=sys.stderr)
    return 0


def _print_json(document: Mapping[str, object]) -> None:
    from agentview.reports.export.encoding import to_json_document

    sys.stdout.buffer.write(to_json_document(document))
