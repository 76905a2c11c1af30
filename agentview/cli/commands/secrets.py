"""`agentview secrets`: where secrets are in logs."""

import argparse
import sys
from collections.abc import Iterable, Iterator, Sequence

from agentview.cli.output.progress import Progress
from agentview.cli.standard_input import piped_session
from agentview.domain.session import SessionRef
from agentview.errors import AgentViewError, UsageError
from agentview.providers import load_provider
from agentview.providers.session_logs import session_logs
from agentview.redaction.secrets import prepare
from agentview.reports.export.encoding import Object, to_json_document
from agentview.reports.export.leaks import Leak, leaks
from agentview.sessions.targets.log_file import PIPE, Choice
from agentview.sessions.targets.target_sessions import chosen_sessions
from agentview.sources.one_look import one_look
from agentview.system.progress import in_turn
from agentview.timeline.view.format_numbers import counted
from agentview.timeline.view.sanitize import clean


def run(options: argparse.Namespace) -> int:
    """List the secrets; exit code 1 when there are some."""
    choice = Choice(options.provider, options.project)
    if options.all == bool(options.targets):
        raise UsageError("Which sessions?", "Name them, or use --all for all that are found here.")
    if PIPE not in options.targets:
        with Progress():
            refs = chosen_sessions(options.targets, choice)
        return _list(refs, options)
    with piped_session(choice.provider) as piped:
        return _list([piped, *_named(options.targets, choice)], options)


def _named(targets: Sequence[str], choice: Choice) -> list[SessionRef]:
    named = [target for target in targets if target != PIPE]
    return chosen_sessions(named, choice) if named else []


def _list(refs: Sequence[SessionRef], options: argparse.Namespace) -> int:
    prepare()
    found: list[Object] = []
    unreadable: list[Object] = []
    count = logs = with_secrets = 0
    with Progress() as progress, one_look(len(refs)):
        for ref in _with_agents(in_turn("reading", refs, len(refs), "sessions")):
            logs += 1
            before = count
            try:
                for leak in leaks(ref):
                    count += leak.count
                    if options.json:
                        found.append(_fields(leak))
                        continue
                    progress.hide()
                    print(_line(leak))
            except AgentViewError as error:
                unreadable.append({"path": ref.path, "message": error.message})
            with_secrets += count > before
    if options.json:
        document: Object = {"logs": logs, "secrets": found, "unreadable": unreadable}
        sys.stdout.buffer.write(to_json_document(document))
    sys.stdout.flush()
    where = f" in {counted(with_secrets, 'log')}" if count else ""
    print(f"{counted(count, 'secret')}{where}; {counted(logs, 'log')} read.", file=sys.stderr)
    for each in unreadable:
        print(f"agentview: not read: {clean(str(each['message']))}", file=sys.stderr)
    return 1 if count else 0


def _with_agents(refs: Iterable[SessionRef]) -> Iterator[SessionRef]:
    """The logs of the sessions and of their agents at all levels, each once."""
    given: set[str] = set()
    for ref in refs:
        for each in session_logs(load_provider(ref.provider).discovery, ref):
            if each.path not in given:
                given.add(each.path)
                yield each


def _line(leak: Leak) -> str:
    place = f"@{leak.offset}" if leak.line is None else leak.line
    times = f" ({leak.count})" if leak.count > 1 else ""
    session = clean(leak.ref.session_id[:8])
    return f"{clean(leak.ref.path)}:{place}: {session} {leak.part}: {leak.rule}{times}"


def _fields(leak: Leak) -> Object:
    return {
        "session": leak.ref.session_id,
        "provider": leak.ref.provider,
        "file": leak.ref.path,
        "line": leak.line,
        "offset": leak.offset,
        "time": leak.time,
        "part": leak.part,
        "rule": leak.rule,
        "count": leak.count,
    }
