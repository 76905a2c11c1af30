"""Clients that are found here and that nothing reads."""

from pathlib import Path

from agentview.providers import provider_names
from agentview.providers.other_clients import OtherClient, other_clients


def program(folder: Path, name: str) -> None:
    folder.mkdir(exist_ok=True)
    (folder / name).write_text("#!/bin/sh\n")
    (folder / name).chmod(0o755)


def test_nothing_is_found_on_an_empty_machine(tmp_path: Path):
    assert other_clients({"HOME": str(tmp_path), "PATH": str(tmp_path)}, ()) == []
    assert other_clients({}, ()) == []


def test_a_client_is_found_by_its_directory_or_its_program(tmp_path: Path):
    (tmp_path / ".mux" / "sessions").mkdir(parents=True)
    program(tmp_path / "bin", "junie")
    env = {"HOME": str(tmp_path), "PATH": str(tmp_path / "bin")}
    assert other_clients(env, provider_names()) == [
        OtherClient("Junie", "junie", ()),
        OtherClient("Mux", None, (str(tmp_path / ".mux" / "sessions"),)),
    ]


def test_a_variable_names_the_place(tmp_path: Path):
    (tmp_path / "data" / "piebald").mkdir(parents=True)
    env = {"HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path / "data")}
    (found,) = other_clients(env, provider_names())
    assert found.places == (str(tmp_path / "data" / "piebald"),)


def test_a_client_that_is_read_is_left_out(tmp_path: Path):
    (tmp_path / ".junie" / "sessions").mkdir(parents=True)
    env = {"HOME": str(tmp_path)}
    assert [client.name for client in other_clients(env, ())] == ["Junie"]
    assert other_clients(env, ("junie",)) == []


def test_what_has_no_directory_is_no_place(tmp_path: Path):
    (tmp_path / ".junie").mkdir()
    (tmp_path / ".junie" / "sessions").write_text("")
    assert other_clients({"HOME": str(tmp_path)}, ()) == []
