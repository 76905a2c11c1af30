"""Which machines a command is about."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from agentview.domain.remote_place import Place, is_folder, parse_place
from agentview.domain.session import EVERY, HERE, SSH
from agentview.domain.value import Value
from agentview.errors import UsageError, choices_hint, inert

_MARK = "@"
"""Begins names that are no machine's."""


class Host(Value):
    """Another machine."""

    name: str
    place: Place
    """How ssh gets there; its path is that of agentview, where that is not on the `PATH` there."""


class Spool(Value):
    """A folder with a copy of the home directory of another machine."""

    name: str
    folder: str


class Machines(Value):
    """The machines whose sessions are wanted."""

    here: bool = True
    hosts: tuple[Host, ...] = ()
    """Those that are asked."""
    spools: tuple[Spool, ...] = ()
    """Those whose copies are read."""


HERE_ALONE = Machines()


def chosen_machines(names: Sequence[str], known: Mapping[str, str]) -> Machines:
    """The machines of these names, of which each is one of the `known`, or what ssh takes.

    Without a name, this one. Raises UsageError.
    """
    if not names:
        return Machines()
    wanted = [each for name in names for each in ((HERE, *known) if name == EVERY else (name,))]
    folders = {name: known[name] for name in wanted if is_folder(known.get(name, ""))}
    hosts = {name: _host(name, known) for name in wanted if name not in (HERE, *folders)}
    # Several names of one machine would list its sessions twice.
    machines = {host.place.machine: host for host in reversed(hosts.values())}
    spools = (Spool(name, str(Path(path).expanduser())) for name, path in folders.items())
    return Machines(HERE in wanted, tuple(reversed(machines.values())), tuple(spools))


def _host(name: str, known: Mapping[str, str]) -> Host:
    if name.startswith(_MARK):
        raise UsageError(f"Unknown host: {inert(name)}.", choices_hint(name, (HERE, EVERY, *known)))
    try:
        place = parse_place(known.get(name, name))
    except UsageError as error:
        raise UsageError(
            f"'{inert(name)}' cannot be reached by ssh.", f"The form is {SSH}[USER@]HOST[:PORT]."
        ) from error
    return Host(name.removeprefix(SSH), place)
