"""`--host` on screens: usage, previews and filters of sessions of other machines."""

import json
import os
import random
import signal
import threading
import time
from contextlib import suppress

import pytest

from agentview.domain.period import ALL_TIME
from agentview.sessions.fleet.hosts import chosen_machines
from agentview.sessions.spending.elsewhere import Elsewhere
from agentview.timeline.view.format_numbers import tokens
from tests.cli.conftest import FIRST, SECOND, THIRD
from tests.cli.pseudo_terminal import PseudoTerminal
from tests.cli.test_attention import Live
from tests.cli.test_fleet import Fleet, fleet, listed, processes
from tests.cli.test_screens import leave, terminal
from tests.patience import PATIENCE

__all__ = ["fleet"]
GONE = "127.0.0.1:1"


def _row(screen: PseudoTerminal, name: str) -> str:
    """The first row that begins with a name."""
    rows = (line.strip(" ▌│┃▎") for line in screen.text.splitlines())
    return next((row for row in rows if row.split()[:1] == [name]), "")


@pytest.mark.slow
def test_usage_is_the_sum_that_stats_prints(fleet: Fleet):
    Live(fleet.agentview, SECOND, "/home/dev/here").end()
    found = json.loads(fleet.agentview.ok("stats", "--json", "--by", "host", "--host", "@all"))
    by_host = {group["key"]: group for group in found["groups"]}
    assert {*by_host} == {"@here", "one", "two"}
    arguments = ("--host", "@all", "--host", GONE)
    with terminal(fleet.agentview, *arguments, columns=140) as screen:
        screen.wait_for("one:dev/shop")
        screen.press("4")
        screen.press("p")
        screen.wait_for(f"{found['sessions']} sessions")
        screen.wait_for(f"{tokens(found['total']['tokens'])} tokens")
        screen.press("b" * 6)
        screen.wait_for(lambda _: _row(screen, "two") != "")
        for name, group in by_host.items():
            counts = (group["sessions"], group["input_uncached"], "–", group["output"])
            shown = [word.rstrip("+") for word in _row(screen, name).split()]
            assert shown[1:5] == [str(count) for count in counts]
        screen.wait_for("at least: w why")
        screen.press("w")
        screen.wait_for(f"{GONE}: ssh says: ")
        screen.press("w")
        screen.wait_for(lambda _: _row(screen, "two") != "")
        screen.press("j\r")
        screen.wait_for("host:two")
        screen.wait_for(lambda text: "two:dev/shop" in text and "one:dev/shop" not in text)
        leave(screen)


@pytest.mark.slow
def test_the_preview_reads_the_end_of_a_log_on_its_machine(fleet: Fleet):
    live = Live(fleet.at("three"), THIRD, "/home/dev/away")
    live.add(live.log.prompt("Buy a zebra"), live.log.text("It has stripes.", "end_turn"))
    with terminal(fleet.agentview, "--host", "@all", columns=160, rows=40) as screen:
        screen.wait_for("three:dev/away")
        screen.press("2")
        screen.press("/host:three\r")
        screen.wait_for(lambda text: "Buy a zebra" in text and text.count("It has stripes.") > 1)
        # The next session is on a machine that is gone.
        fleet.machines.stop(fleet.ports["one"])
        screen.press("\x1b")
        screen.press("/\x15host:one\r")
        screen.wait_for("one: ssh says: ")
        fleet.machines.start(fleet.homes["one"], fleet.ports["one"])
        screen.press("j")
        screen.wait_for(lambda text: "ssh says" not in text and text.count("is done.") > 2)
        leave(screen)


@pytest.mark.slow
def test_a_filter_selects_sessions_by_their_machine(fleet: Fleet):
    Live(fleet.agentview, SECOND, "/home/dev/here").end()
    for line, shown, not_shown in (
        ("host:two", "two:dev/shop", "one:dev/shop"),
        ("host:here", "dev/here", ":dev/shop"),
        ("-host:here -host:one", "two:dev/shop", "dev/here"),
    ):
        with terminal(fleet.agentview, "--host", "@all", columns=140) as screen:
            screen.wait_for("one:dev/shop")
            screen.press("2")
            screen.press("/")
            screen.press(f"{line}\r")
            screen.wait_for(
                lambda text, one=shown, other=not_shown: one in text and other not in text
            )


def test_a_search_asks_the_machines_that_its_query_selects(fleet: Fleet):
    hosts = [word for name in ("@here", *fleet.homes) for word in ("--host", name)]
    every = listed(fleet.agentview, "search", "please", *hosts)
    assert {row["host"] for row in every} == {"one", "two"}
    rows = listed(fleet.agentview, "search", "please host:two", *hosts)
    assert rows == [row for row in every if row["host"] == "two"]
    rows = listed(fleet.agentview, "search", "please -host:two", *hosts)
    assert rows == [row for row in every if row["host"] == "one"]
    assert {row["id"] for row in every} == {FIRST, SECOND, THIRD}


@pytest.mark.slow
def test_what_machines_used_is_whole_whenever_connections_are_lost(
    fleet: Fleet, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("PATH", fleet.agentview.env["PATH"])
    known = {name: f"127.0.0.1:{port}" for name, port in fleet.ports.items()}
    machines = chosen_machines(list(known), known)
    rng = random.Random(3)  # noqa: S311  (moments of a test)
    stop = threading.Event()

    def kill() -> None:
        while not stop.wait(rng.random() / 2):
            victim = rng.choice(list(known))
            for pid in processes(fleet.homes[victim], [fleet.ports[victim]]):
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)

    def asked(elsewhere: Elsewhere) -> list[tuple[str | None, str]]:
        found = list(elsewhere.answers(ALL_TIME, lambda: False))
        return sorted((info.ref.host, info.ref.own_id) for _, info in found)

    wanted = asked(Elsewhere(machines, None))
    assert len(wanted) == 4
    killing = threading.Thread(target=kill)
    killing.start()
    try:
        for _ in range(6):
            elsewhere = Elsewhere(machines, None)
            found = asked(elsewhere)
            # What is missing is said, and nothing comes twice.
            assert len({*found}) == len(found)
            lost = {host for host, _ in {*wanted} - {*found}}
            assert lost <= {sentence.partition(":")[0] for sentence in elsewhere.failures}
    finally:
        stop.set()
        killing.join()
    began = time.monotonic()
    while True:
        elsewhere = Elsewhere(machines, None)
        if asked(elsewhere) == wanted and not elsewhere.failures:
            break
        assert time.monotonic() - began < PATIENCE
