"""Patches of sessions applied by the real `git apply` to a tree of files."""

import subprocess
import tempfile
from pathlib import Path

from agentview.facts.edits.git_patch import file_lines
from agentview.facts.edits.net_diff import FileNet
from agentview.facts.edits.session_changes import SessionChanges
from agentview.providers import recognise
from agentview.providers.base import HEAD_BYTES
from agentview.sessions.following.whole_session import load_session
from agentview.timeline.rows.session_store import SessionStore

Tree = dict[str, bytes]


def changes_of(log: Path) -> SessionChanges:
    """What the session of a log did to files."""
    return worked(load(log))


def load(log: Path) -> SessionStore:
    provider = recognise(log.read_bytes()[:HEAD_BYTES], log)
    assert provider is not None
    return load_session(provider.discovery.ref(log))


def worked(store: SessionStore, *, assume_new: bool = False) -> SessionChanges:
    changes = SessionChanges(store, assume_new=assume_new)
    for _ in changes.working():
        pass
    return changes


def nets(changes: SessionChanges) -> dict[str, FileNet]:
    """What became of each file, by its path in a patch, else its whole path."""
    found = {file.path: changes.net(file) for file in changes.files.values() if file.steps}
    return {changes.place(path) or path: net for path, net in found.items()}


def patch_of(changes: SessionChanges) -> str:
    parts: list[str] = []
    for net in nets(changes).values():
        old, new = changes.place(net.origin), changes.place(net.path)
        if old is not None and new is not None:
            parts += file_lines(net, old, new)
    return "".join(parts)


def not_told(changes: SessionChanges) -> set[str]:
    """Paths, before and now, of files that are left out, each with a step that is named."""
    found: set[str] = set()
    for net in nets(changes).values():
        if net.missing:
            assert all(trouble.reason for trouble in net.missing)
            found |= {changes.place(path) or path for path in (net.path, net.origin)}
    return found


def applied(tree: Tree, patch: str) -> Tree:
    """The tree as `git apply` leaves it."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "tree"
        put(root, tree)
        if patch:
            done = subprocess.run(
                ["git", "-c", "core.autocrlf=false", "apply", "--whitespace=nowarn", "-"],
                input=patch.encode(),
                cwd=root,
                env={"GIT_CEILING_DIRECTORIES": folder, "PATH": "/usr/bin:/bin:/usr/local/bin"},
                capture_output=True,
                check=False,
            )
            assert done.returncode == 0, done.stderr.decode() + patch
        return taken(root)


def put(root: Path, tree: Tree) -> None:
    root.mkdir(parents=True)
    for name, data in tree.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(data)


def taken(root: Path) -> Tree:
    return {
        str(path.relative_to(root)): path.read_bytes()
        for path in root.rglob("*")
        if path.is_file() and ".git" not in path.parts
    }


def assert_same(left: Tree, told: Tree, leaving_out: set[str]) -> None:
    """Compare what a session left with what its patch gives, but for files that it leaves out."""
    names = (left.keys() | told.keys()) - leaving_out
    assert {name: told.get(name) for name in names} == {name: left.get(name) for name in names}
