import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from agentview.errors import NotFound
from agentview.paths import (
    cache_dir,
    config_dir,
    home,
    sample_sessions_dir,
    state_dir,
    themes_dir,
)

PLATFORMDIRS = """
import platformdirs as p
print(p.user_config_dir("agentview"), p.user_cache_dir("agentview"), p.user_state_dir("agentview"),
      sep="\\n")
"""


@pytest.mark.parametrize(
    "extra",
    [
        {},
        {"XDG_CONFIG_HOME": "/c o/config", "XDG_CACHE_HOME": "/cache", "XDG_STATE_HOME": "/state"},
        {"XDG_CONFIG_HOME": "relative", "XDG_CACHE_HOME": "", "XDG_STATE_HOME": "  "},
    ],
)
def test_the_directories_are_those_of_platformdirs(tmp_path: Path, extra: dict[str, str]) -> None:
    env = {"HOME": str(tmp_path), **extra}

    said = subprocess.run(
        [sys.executable, "-c", PLATFORMDIRS], env=env, capture_output=True, text=True, check=True
    ).stdout.splitlines()

    assert [str(d) for d in (config_dir(env), cache_dir(env), state_dir(env))] == said


def test_home_is_that_of_the_environment_given(tmp_path: Path) -> None:
    assert home({"HOME": str(tmp_path)}) == tmp_path
    assert home({}).is_absolute()


@pytest.mark.parametrize(
    ("find", "name"), [(sample_sessions_dir, "sample_sessions"), (themes_dir, "themes")]
)
class TestShippedData:
    def test_is_found_inside_an_installed_package(
        self, tmp_path: Path, find: Callable[[Path], Path], name: str
    ) -> None:
        (tmp_path / "agentview" / name).mkdir(parents=True)
        (tmp_path / name).mkdir()

        assert find(tmp_path / "agentview") == tmp_path / "agentview" / name

    def test_is_found_at_the_top_of_a_checkout(
        self, tmp_path: Path, find: Callable[[Path], Path], name: str
    ) -> None:
        (tmp_path / "agentview").mkdir()
        (tmp_path / name).mkdir()
        (tmp_path / "pyproject.toml").touch()

        assert find(tmp_path / "agentview") == tmp_path / name

    def test_is_not_mistaken_for_another_package_beside_ours(
        self, tmp_path: Path, find: Callable[[Path], Path], name: str
    ) -> None:
        (tmp_path / "agentview").mkdir()
        (tmp_path / name).mkdir()

        with pytest.raises(NotFound, match=name):
            find(tmp_path / "agentview")
