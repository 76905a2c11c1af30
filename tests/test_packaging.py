"""Release files of `packaging/`: each names this version and starts what it says."""

import json
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path
from typing import Any

import pytest

import agentview
from agentview.cli.commands.skill import SKILL

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[1]


def made(what: str, dist: Path) -> list[Path]:
    done = subprocess.run(
        [sys.executable, "packaging/build.py", what, str(dist)],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )
    assert done.returncode == 0, done.stderr
    return [Path(line) for line in done.stdout.splitlines()]


def read(file: Path) -> Any:
    return json.loads(file.read_text())


def test_plugins_have_the_skill_and_a_server_that_exists(tmp_path: Path):
    folders = made("plugins", tmp_path)
    manifests = (".claude-plugin/plugin.json", ".codex-plugin/plugin.json", "gemini-extension.json")
    for folder, manifest in zip(folders, manifests, strict=True):
        said = read(folder / manifest)
        assert (said["name"], said["version"]) == ("agentview", agentview.__version__)
        assert (folder / "skills/agentview/SKILL.md").read_text() == SKILL
        servers = said["mcpServers"] if "gemini" in manifest else read(folder / ".mcp.json")
        server = servers.get("mcpServers", servers)["agentview"]
        assert server == {"command": "agentview", "args": ["mcp"]}
    codex = read(folders[1] / manifests[1])
    assert (folders[1] / codex["skills"]).is_dir()
    assert (folders[1] / codex["mcpServers"]).is_file()


def test_a_bundle_has_the_wheel_and_a_program_that_serves(tmp_path: Path):
    wheel = tmp_path / f"agentview-{agentview.__version__}-py3-none-any.whl"
    wheel.write_bytes(b"the wheel")
    (bundle,) = made("mcpb", tmp_path)
    with zipfile.ZipFile(bundle) as archive:
        manifest = json.loads(archive.read("manifest.json"))
        project = tomllib.loads(archive.read("pyproject.toml").decode())
        assert archive.read(wheel.name) == b"the wheel"
        program = archive.read(manifest["server"]["entry_point"]).decode()
    assert manifest["version"] == agentview.__version__
    assert project["tool"]["uv"]["sources"] == {"agentview": {"path": wheel.name}}
    asked = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"},
        },
    }
    done = subprocess.run(
        [sys.executable, "-c", program],
        input=f"{json.dumps(asked)}\n",
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )
    assert json.loads(done.stdout)["result"]["serverInfo"]["name"] == "agentview"


def test_a_formula_installs_the_archive_that_was_made(tmp_path: Path):
    archive = tmp_path / f"agentview-{agentview.__version__}.tar.gz"
    archive.write_bytes(b"abc")
    (formula,) = made("formula", tmp_path)
    text = formula.read_text()
    assert archive.as_uri() in text
    assert "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" in text
    assert "@" not in text.replace("python@3.13", "")
