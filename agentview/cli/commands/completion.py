"""`agentview completion`: what a shell needs to complete the command line, and its answers."""

import argparse
import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import cast

import argcomplete
from argcomplete.completers import FilesCompleter
from argcomplete.shell_integration import shellcode

from agentview.errors import AgentViewError

Answers = Mapping[str, str] | Iterable[str]
"""Possible words; with a description where the shell shows one."""

_SESSIONS = 200
"""Sessions that are offered at most, the newest."""


def complete(parser: argparse.ArgumentParser) -> None:
    """Answer the shell that asks for completions, and end the process."""
    _set_completers(parser)
    argcomplete.autocomplete(parser)


def run(options: argparse.Namespace) -> int:
    """Print the code that the shell is to read."""
    shell: str = options.shell
    print(shellcode(["agentview"], shell=shell))
    return 0


def _set_completers(parser: argparse.ArgumentParser) -> None:
    for action in parser._actions:  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]
        if action.nargs == argparse.PARSER:
            commands = cast("Mapping[str, argparse.ArgumentParser]", action.choices)
            for command in commands.values():
                _set_completers(command)
        elif action.dest in _ANSWERS:
            answers = _ANSWERS[action.dest]
            action.completer = _quiet(answers)  # pyright: ignore[reportAttributeAccessIssue]


def _quiet(answers: Callable[[str, argparse.Namespace], Answers]) -> Callable[..., Answers]:
    """The answers; none where something is wrong, which the command itself is to say."""

    def completer(prefix: str, parsed_args: argparse.Namespace, **_: object) -> Answers:
        try:
            return answers(prefix, parsed_args)
        except (AgentViewError, OSError, ValueError):
            return ()

    return completer


def _targets(prefix: str, options: argparse.Namespace) -> Answers:
    """Beginnings of session ids with titles, then files."""
    from agentview.sessions.library.subagent_tree import main_sessions
    from agentview.sessions.targets.session_line import short_ids
    from agentview.sessions.targets.session_query import all_refs, info_of
    from agentview.timeline.view.sanitize import one_line

    refs = main_sessions(all_refs(getattr(options, "provider", None)))
    short = short_ids(ref.own_id for ref in refs)
    found = {"@live": "the session that is being written now"} if prefix[:1] == "@" else {}
    for ref in [ref for ref in refs if ref.own_id.startswith(prefix)][:_SESSIONS]:
        name = short[ref.own_id]
        name = name if name.startswith(prefix) else ref.own_id
        found[name] = one_line(info_of(ref).title or ref.provider, 60)
    return found or FilesCompleter()(prefix)


def _providers(_prefix: str, _options: argparse.Namespace) -> Answers:
    from agentview.providers import load_provider, provider_names

    return {name: load_provider(name).label for name in provider_names()}


def _projects(_prefix: str, options: argparse.Namespace) -> Answers:
    from agentview.sessions.library.subagent_tree import main_sessions
    from agentview.sessions.targets.session_query import all_refs, info_of

    refs = main_sessions(all_refs(getattr(options, "provider", None)))[:_SESSIONS]
    known = (info_of(ref).project for ref in refs)
    return {os.path.basename(project): project for project in known if project}  # noqa: PTH119


def _ranges(prefix: str, _options: argparse.Namespace) -> Answers:
    """Branches and tags, also behind the dots of a range."""
    from agentview.reports.blame.git import git

    before, dots, _ = prefix.rpartition("..")
    listed = git(Path.cwd(), "for-each-ref", "--format=%(refname:short)", "refs/heads", "refs/tags")
    names = ("HEAD", *listed.decode("utf-8", "replace").split())
    return [f"{before}{dots}{name}" for name in names]


def _tags(_prefix: str, _options: argparse.Namespace) -> Answers:
    from agentview.sessions.annotations.all_sessions import AllAnnotations

    every = AllAnnotations()
    every.load()
    return sorted({tag for each in every.by_session.values() for tag in each.tags})


def _themes(_prefix: str, _options: argparse.Namespace) -> Answers:
    from agentview.ui.themes import load_themes, theme_directories

    return sorted(load_themes(theme_directories()).loaded)


def _kinds(prefix: str, _options: argparse.Namespace) -> Answers:
    from agentview.query.vocabulary import KIND_NAMES

    before, comma, _ = prefix.rpartition(",")
    return [f"{before}{comma}{kind}" for kind in KIND_NAMES]


def _settings(prefix: str, options: argparse.Namespace) -> Answers:
    """Keys, and behind the sign of equality the values of a key that has few."""
    from agentview.settings.table import SETTINGS, Shape, setting_of

    key, equals, _ = prefix.partition("=")
    if not equals:
        return {f"{setting.key}=": setting.sentence for setting in SETTINGS}
    setting = setting_of(key)
    if setting is None:
        return ()
    values = setting.choices or (("true", "false") if setting.shape is Shape.FLAG else ())
    values = _themes("", options) if key == "theme" else values
    return [f"{key}={value}" for value in values]


def _terms(prefix: str, _options: argparse.Namespace) -> Answers:
    """The terms of a query, and behind the colon what they may name."""
    from agentview.query.parser import REGEX
    from agentview.query.vocabulary import (
        CALL_STATES,
        FIELDS,
        KIND_NAMES,
        PLACES,
        SESSION_STATES,
        ValueType,
    )

    name, colon, _ = prefix.partition(":")
    if not colon or name not in FIELDS:
        return [*(f"{field}:" for field in FIELDS), REGEX]
    values = {
        ValueType.KIND: KIND_NAMES,
        ValueType.PLACE: PLACES,
        ValueType.STATE: dict.fromkeys((*CALL_STATES, *SESSION_STATES)),
    }
    return [f"{name}:{value}" for value in values.get(FIELDS[name].type, ())]


_ANSWERS: Mapping[str, Callable[[str, argparse.Namespace], Answers]] = {
    "target": _targets,
    "targets": _targets,
    "provider": _providers,
    "project": _projects,
    "range": _ranges,
    "remove": _tags,
    "tag": _tags,
    "tags": _tags,
    "theme": _themes,
    "only": _kinds,
    "settings": _settings,
    "query": _terms,
}
