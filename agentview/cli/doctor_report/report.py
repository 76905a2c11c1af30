"""All facts about the machine, as values for JSON and as text."""

import os
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from pathlib import Path
from time import time

from agentview.cli.doctor_report.environment import (
    SOUND,
    CacheFacts,
    ProgramFacts,
    SettingsFacts,
    TerminalFacts,
    cache_facts,
    program_facts,
    settings_facts,
    terminal_facts,
)
from agentview.cli.doctor_report.providers import Place, ProviderFacts, provider_facts
from agentview.cli.output.coverage_text import version_note
from agentview.cli.output.sheet import Line, Row, Tone, aligned, heading
from agentview.domain.session import SessionRef
from agentview.domain.value import Value
from agentview.errors import AgentViewError
from agentview.providers import load_provider, plugin_names, provider_names
from agentview.providers.other_clients import OtherClient, other_clients
from agentview.sessions.following.whole_session import load_session
from agentview.sessions.library.scan.scanner import session_roots
from agentview.sessions.targets.session_line import home_relative
from agentview.sources.member import Member
from agentview.timeline.view.format_numbers import UNKNOWN, ago, byte_size, counted

_LEFT = 12
_LOGS = 3
"""The newest logs of a plug-in that are read."""
_MOST_BYTES = 2 * 1024 * 1024
"""Longer ones are left out."""
_OF_THE_SYSTEM = {
    "HOME", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "XDG_CONFIG_HOME", "XDG_DATA_HOME",
    "XDG_STATE_HOME",
}  # fmt: skip
"""Variables that move the directories of all clients."""


class Machine(Value):
    """All of it."""

    version: int
    program: ProgramFacts
    providers: tuple[ProviderFacts, ...]
    clients_not_read: tuple[OtherClient, ...]
    terminal: TerminalFacts
    cache: CacheFacts
    settings: SettingsFacts


def machine_facts(provider: str | None, flags: Sequence[str]) -> Machine:
    """Look at everything; of `provider` alone where one is given."""
    cache = cache_facts()
    settings, in_force = settings_facts(flags)
    names = provider_names() if provider is None else (provider,)
    more = in_force.settings.sessions.roots
    unknown = sorted(more.keys() - set(provider_names()))
    if unknown and settings.trouble is None:
        trouble = f"sessions.roots names {unknown[0]}, which is not a provider."
        settings = SettingsFacts(settings.path, settings.exists, trouble, settings.changed)
    roots = session_roots(os.environ, provider, more)
    usual = {name: os.environ[name] for name in _OF_THE_SYSTEM & os.environ.keys()}
    providers = tuple(provider_facts(roots, names, session_roots(usual, provider)))
    _ask_plugins(roots)
    return Machine(
        version=1,
        # What is wrong with a plug-in shows when it is asked for its sessions.
        program=program_facts(),
        providers=providers,
        clients_not_read=tuple(
            other_clients(os.environ, provider_names()) if provider is None else ()
        ),
        terminal=terminal_facts(os.environ),
        cache=cache,
        settings=settings,
    )


def _ask_plugins(roots: Iterable[tuple[str, Path]]) -> None:
    """Read the newest logs of each plug-in; see `plugin_faults` for what was wrong."""
    names = plugin_names()
    for name in names:
        # A decoder that cannot be imported shows without a log too.
        _ = load_provider(name).reading
    for name, root in roots:
        if name in names:
            provider = load_provider(name)
            for entry in sorted(provider.discovery.files(root), key=_changed)[-_LOGS:]:
                ref = provider.session_in(Path(entry.path))
                if ref is not None:
                    _read(ref)


def _changed(entry: os.DirEntry[str] | Member) -> float:
    try:
        return entry.stat().st_mtime
    except OSError:
        return 0.0


def _read(ref: SessionRef) -> None:
    if (ref.size or 0) > _MOST_BYTES:
        return
    try:
        load_provider(ref.provider).info(ref)
        session = load_session(ref)
        for row in range(session.first, session.end):
            session.activity(row)
    except AgentViewError:
        # That a log cannot be read is said where the logs are listed.
        return


def lines(machine: Machine) -> Iterator[Line]:
    """All of it as text."""
    yield from _program(machine.program)
    yield from _providers(machine.providers)
    yield from _places(machine.providers)
    yield from _expiring(machine.providers)
    yield from _not_read(machine.providers)
    yield from _other_clients(machine.clients_not_read)
    yield from _terminal(machine.terminal)
    yield from _cache(machine.cache)
    yield from _settings(machine.settings)


def _program(program: ProgramFacts) -> Iterator[Line]:
    yield [(f"agentview {program.version}", Tone.HEAD)]
    words = "with" if program.full_text else "without"
    yield from aligned(
        [
            [("runs on", Tone.FAINT), f"Python {program.python}, {program.platform}"],
            [("screen", Tone.FAINT), f"textual {program.textual or UNKNOWN}"],
            [("database", Tone.FAINT), f"SQLite {program.sqlite}, {words} full-text search"],
            [("installed in", Tone.FAINT), home_relative(program.path)],
            *(
                [(f"plug-in {name}", Tone.FAINT), (fault, Tone.BAD)]
                for name, fault in program.plugin_faults.items()
            ),
        ]
    )


def _providers(providers: Sequence[ProviderFacts]) -> Iterator[Line]:
    yield from heading("Providers")
    heads = ("PROVIDER", "SESSIONS", "AGENTS", "SIZE", "LAST", "CLIENT VERSIONS")
    rows: list[Row] = [[(name, Tone.FAINT) for name in heads]]
    asked = len(providers) == 1
    none = 0
    for each in providers:
        if not each.sessions + each.agents:
            none += 1
            if asked:
                rows.append([each.label, ("0", Tone.FAINT)])
            continue
        rows.append(
            [
                each.label,
                f"{each.sessions:,}",
                f"{each.agents:,}",
                "–" if each.bytes is None else byte_size(each.bytes),
                _age(each.last_activity),
                version_span(each.client_versions),
            ]
        )
    if len(rows) > 1:
        yield from aligned(rows, right=(1, 2, 3))
    if none and not asked:
        others = f"{none} other formats have" if none < len(providers) else "no format has"
        yield [(f"  {others} no log here; 'agentview providers' lists all formats", Tone.FAINT)]
    for each in providers:
        note, tone = version_note(each.name, set(each.client_versions))
        if note:
            yield [(f"  {each.label} {note}", tone)]


def _age(moment: str | None) -> str:
    return UNKNOWN if moment is None else ago(datetime.fromisoformat(moment).timestamp(), time())


def version_span(versions: Sequence[str]) -> str:
    """Versions in their order; of many the oldest, the newest, and how many there are."""
    if len(versions) < 4:
        return ", ".join(versions) or UNKNOWN
    return f"{versions[0]} … {versions[-1]} ({len(versions)})"


def _places(providers: Sequence[ProviderFacts]) -> Iterator[Line]:
    yield from heading("Where sessions are looked for")
    rows: list[Row] = []
    every = len(providers) == 1
    left = 0
    for each in providers:
        shown = [place for place in each.places if every or _is_of_use(place)]
        left += len(each.places) - len(shown)
        for at, place in enumerate(shown):
            rows.append([each.label if at == 0 else "", home_relative(place.path), _state(place)])
    if not rows and not left:
        # Some providers keep no sessions of their own: what they print lies where one puts it.
        homeless = "" if os.environ.get("HOME") else ": no home directory is named by HOME"
        rows.append([(f"nowhere{homeless}", Tone.WARN if homeless else Tone.FAINT)])
    yield from aligned(rows)
    if left:
        also = " other" if rows else ""
        yield [(f"  {left}{also} directories are not there; --json lists them", Tone.FAINT)]


def _is_of_use(place: Place) -> bool:
    return place.state != "missing" or place.named or place.leads_to is not None


def _state(place: Place) -> tuple[str, Tone]:
    leads = f", leads to {home_relative(place.leads_to)}" if place.leads_to is not None else ""
    if place.state == "there":
        return f"{counted(place.logs, 'log')}{leads}", Tone.GOOD if place.logs else Tone.PLAIN
    if place.state == "missing":
        return f"not there{leads}", Tone.FAINT
    return f"{place.state}{leads}", Tone.BAD


def _expiring(providers: Sequence[ProviderFacts]) -> Iterator[Line]:
    places = [place for each in providers for place in each.expiring]
    if not places:
        return
    yield from heading("Deleted soon by their clients")
    for place in places:
        those = f"{place.sessions:,} of {counted(place.of, 'session')} of {place.label}"
        when = f"within a week: it deletes logs {place.days:g} days after their last change"
        yield [(f"  {those} {when}", Tone.WARN)]
        where = home_relative(place.path)
        yield [(f'  to keep them, set "{place.setting}" to more days in {where}', Tone.PLAIN)]
        yield [("  or copy them: agentview archive --all --older-than 20d", Tone.PLAIN)]


def _not_read(providers: Sequence[ProviderFacts]) -> Iterator[Line]:
    left = [each for provider in providers for each in provider.not_read]
    count = sum(provider.not_read_count for provider in providers)
    if not count:
        return
    yield from heading(f"Not read: {counted(count, 'file')} named as sessions are")
    ordered = sorted(left, key=lambda each: not each.unreadable)[:_LEFT]
    yield from aligned(
        [
            [(each.why, Tone.BAD if each.unreadable else Tone.FAINT), home_relative(each.path)]
            for each in ordered
        ]
    )
    if count > len(ordered):
        yield [(f"  … and {count - len(ordered):,} more; --json has more", Tone.FAINT)]


def _other_clients(clients: Sequence[OtherClient]) -> Iterator[Line]:
    if not clients:
        return
    yield from heading("Clients found here that agentview does not read")
    rows: list[Row] = []
    for client in clients:
        where = [home_relative(place) for place in client.places]
        found = ", ".join((*where, *([f"program {client.program}"] if client.program else ())))
        rows.append([client.name, ("not read", Tone.WARN), (found, Tone.FAINT)])
    yield from aligned(rows)


def _terminal(terminal: TerminalFacts) -> Iterator[Line]:
    yield from heading("Terminal")
    yield from aligned([[(name, Tone.FAINT), text] for name, text in _terminal_rows(terminal)])


def _terminal_rows(terminal: TerminalFacts) -> Iterator[tuple[str, str]]:
    inside = f", inside {', '.join(terminal.inside)}" if terminal.inside else ""
    kind = terminal.program or terminal.term or UNKNOWN
    term = f" (TERM={terminal.term})" if terminal.program and terminal.term else ""
    yield "kind", f"{kind}{term}{inside}" if terminal.terminal else "no terminal: a pipe or a file"
    if terminal.terminal:
        yield "size", f"{terminal.columns} x {terminal.lines} cells"
    said = f", COLORTERM={terminal.colorterm}" if terminal.colorterm else ""
    number = UNKNOWN if terminal.colours is None else f"{terminal.colours:,}"
    off = ", not used: NO_COLOR is set" if terminal.no_color else ""
    yield "colours", f"{number}{said}{off}"
    letters = "Unicode" if terminal.unicode else "ASCII only"
    yield (
        "letters",
        f"{letters}, {terminal.encoding or UNKNOWN}, locale {terminal.locale or UNKNOWN}",
    )
    takers = [terminal.clipboard] if terminal.clipboard else []
    takers += ["the terminal's own (OSC 52)"] if terminal.terminal else []
    yield "clipboard", ", and ".join(takers) or UNKNOWN
    yield "pictures", f"{terminal.images}; no image protocol is used"


def _cache(cache: CacheFacts) -> Iterator[Line]:
    yield from heading("Cache, which may be deleted at any time")
    size = sum(file.bytes for file in cache.files)
    state = f"{counted(len(cache.files), 'file')}, {byte_size(size)}"
    if cache.state == "missing":
        state = "not there yet"
    elif cache.state != "there":
        state = f"{state}; {cache.state}" if cache.files else cache.state
    tone = Tone.FAINT if cache.state in ("there", "missing") else Tone.WARN
    yield [(f"  {home_relative(cache.path)}  ", Tone.PLAIN), (state, tone)]
    yield from aligned(
        [
            [
                file.name,
                byte_size(file.bytes),
                (file.state or "", Tone.GOOD if file.state == SOUND else Tone.WARN),
            ]
            for file in cache.files
        ],
        right=(1,),
        indent=4,
    )


def _settings(settings: SettingsFacts) -> Iterator[Line]:
    yield from heading("Settings that are not the defaults")
    there = "" if settings.exists else "  (not there)"
    yield [(f"  {home_relative(settings.path)}{there}", Tone.FAINT)]
    if settings.trouble is not None:
        yield [(f"  {settings.trouble}", Tone.BAD)]
        yield [
            (
                "  The defaults were taken here; agentview itself does not start with this.",
                Tone.PLAIN,
            )
        ]
    elif not settings.changed:
        yield [("  none", Tone.PLAIN)]
    yield from aligned(
        [
            [each.key, str(each.value), (home_relative(each.place), Tone.FAINT)]
            for each in settings.changed
        ]
    )
