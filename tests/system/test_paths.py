import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from agentview.errors import NotFound
from agentview.system.paths import cache_dir, home, sample_sessions_dir, state_dir, themes_dir

CONFIG = "from agentview.system.paths import config_dir; print(config_dir())"


@pytest.mark.skipif(sys.platform != "linux", reason="the XDG variables belong to Linux")
@pytest.mark.parametrize(
    ("extra", "expected"),
    [
        ({}, "{home}/.config/agentview"),
        ({"XDG_CONFIG_HOME": "/c o/config"}, "/c o/config/agentview"),
        ({"XDG_CONFIG_HOME": ""}, "{home}/.config/agentview"),
    ],
)
def test_the_config_directory_is_where_the_platform_keeps_it(
    tmp_path: Path, extra: dict[str, str], expected: str
) -> None:
    said = subprocess.run(
        [sys.executable, "-c", CONFIG],
        env={"HOME": str(tmp_path), **extra},
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()

    assert said == expected.format(home=tmp_path)


def test_the_cache_directory_can_be_named(tmp_path: Path) -> None:
    assert cache_dir({"AGENTVIEW_CACHE_DIR": str(tmp_path)}) == tmp_path
    assert cache_dir({"AGENTVIEW_CACHE_DIR": " "}) == cache_dir({})
    assert cache_dir({}).name == "agentview"


def test_the_state_directory_can_be_named(tmp_path: Path) -> None:
    assert state_dir({"AGENTVIEW_STATE_DIR": str(tmp_path)}) == tmp_path
    assert state_dir({"AGENTVIEW_STATE_DIR": " "}) == state_dir({})
    assert state_dir({}).name == "agentview"


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
