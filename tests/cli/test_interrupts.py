import asyncio
import os
import signal
from collections.abc import Iterator

import pytest

from agentview.cli.sigint import held
from agentview.cli.waits import wait_for


@pytest.fixture(autouse=True)
def ctrl_c_interrupts() -> Iterator[None]:
    """As in a program that a person started."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def _press_ctrl_c() -> None:
    os.kill(os.getpid(), signal.SIGINT)


def test_ctrl_c_waits_for_the_end_of_the_block():
    done: list[str] = []

    def work() -> None:
        with held():
            _press_ctrl_c()
            done.append("the block")
        done.append("what follows")

    with pytest.raises(KeyboardInterrupt):
        work()

    assert done == ["the block"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_second_ctrl_c_does_not_wait():
    done: list[str] = []

    def work() -> None:
        with held():
            _press_ctrl_c()
            _press_ctrl_c()
            done.append("the block")

    with pytest.raises(KeyboardInterrupt):
        work()

    assert done == []


def test_where_ctrl_c_is_ignored_it_stays_so():
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    with held():
        _press_ctrl_c()

    assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN


def test_ctrl_c_during_the_wait_lets_what_waits_clean_up():
    ended: list[str] = []

    async def wait() -> None:
        try:
            asyncio.get_running_loop().call_soon(_press_ctrl_c)
            await asyncio.sleep(30)
        finally:
            ended.append("cleaned up")

    with pytest.raises(KeyboardInterrupt):
        wait_for(wait())

    assert ended == ["cleaned up"]


def test_ctrl_c_while_the_event_loop_is_made_leaves_no_complaint(
    monkeypatch: pytest.MonkeyPatch, recwarn: pytest.WarningsRecorder
):
    make = asyncio.new_event_loop

    def pressed_meanwhile() -> asyncio.AbstractEventLoop:
        _press_ctrl_c()
        return make()

    async def wait() -> None:
        await asyncio.sleep(30)

    monkeypatch.setattr(asyncio.events, "new_event_loop", pressed_meanwhile)

    with pytest.raises(KeyboardInterrupt):
        wait_for(wait())

    assert [str(warning.message) for warning in recwarn] == []


def test_what_was_waited_for_is_given():
    async def answer() -> str:
        return "the answer"

    assert wait_for(answer()) == "the answer"
