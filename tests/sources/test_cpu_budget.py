from time import thread_time

import pytest

from agentview.errors import Unreadable
from agentview.sources import cpu_budget
from agentview.sources.cpu_budget import CpuBudget

_WHY = "reading it takes more than 0 s of CPU time"


def work(seconds: float) -> None:
    end = thread_time() + seconds
    while thread_time() < end:
        pass


def test_a_file_may_take_so_long_and_each_part_counts_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cpu_budget, "ALWAYS", 0.02)
    budget = CpuBudget("x.eval", 0)
    with budget.part("first"):
        work(0.01)
    for _ in range(3):
        with budget.part("first"):
            work(0.02)
    with budget.part("second"):
        with budget.part("in it"):
            work(0.015)
        with pytest.raises(Unreadable, match=_WHY):
            budget.check()
    with pytest.raises(Unreadable, match=_WHY), budget.part("third"):
        raise AssertionError


def test_a_larger_file_may_take_longer() -> None:
    budget = CpuBudget("x.eval", 64 * 1024 * 1024)
    assert budget._most == cpu_budget.ALWAYS + 64  # pyright: ignore[reportPrivateUsage]
