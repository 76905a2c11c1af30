"""For all tests: nothing that a test leaves in our directories reaches another run, or a person."""

import gc
import os
import signal
import time
from collections.abc import Generator, Iterator

import pytest
from hypothesis import HealthCheck, settings

# A machine at work on something else makes an example slow, not a test wrong. The directory of a
# test is used for all its examples: each writes what it reads.
settings.register_profile(
    "agentview",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
settings.load_profile("agentview")


def pytest_configure() -> None:
    """Let Ctrl-C reach the programs under test, and let local times be the same everywhere."""
    os.environ["TZ"] = "UTC"
    time.tzset()
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Never look for garbage among the tests: there is none, and each pass takes half a second."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let each worker begin with its part of the long tests: none is left for the end.

    Each is first given a piece of the list, all of the same size.
    """
    workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    if workers == 1:
        return
    long = [item for item in items if item.get_closest_marker("long")]
    others = [item for item in items if not item.get_closest_marker("long")]
    ends = [len(others) * worker // workers for worker in range(workers + 1)]
    items[:] = [
        item
        for worker in range(workers)
        for item in (*long[worker::workers], *others[ends[worker] : ends[worker + 1]])
    ]


def pytest_xdist_auto_num_workers() -> int:
    """Three for two processors: a third of the time, tests wait for other processes."""
    return max(2, (os.cpu_count() or 1) * 3 // 2)


@pytest.fixture(autouse=True, scope="session")
def _own_directories(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    own = pytest.MonkeyPatch()
    own.setenv("COLORTERM", "truecolor")
    for name in ("cache", "data", "state"):
        own.setenv(f"AGENTVIEW_{name.upper()}_DIR", str(tmp_path_factory.mktemp(name)))
    yield
    own.undo()
