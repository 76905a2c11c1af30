"""`python -m tests.live`: compare what agentview shows with what real clients do."""

import argparse
import os
import shutil
import subprocess
from pathlib import Path

from tests.live.client import Client
from tests.live.clients import CLIENTS
from tests.live.isolation import is_isolated, isolate
from tests.live.kept import keep
from tests.live.moments import Verdict, verdict
from tests.live.run import Run

_ROOT = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "agentview-live"
_NODE = "node@22"
"""What runs the clients, whatever the system has."""


def main() -> int:
    """Run the named clients, or all that are installed; 1 if a certain state was wrong."""
    names = [client.name for client in CLIENTS]
    parser = argparse.ArgumentParser(prog="python -m tests.live", description=__doc__)
    parser.add_argument("clients", nargs="*", metavar="CLIENT", help=f"of {', '.join(names)}")
    parser.add_argument("--install", action="store_true", help="install the newest versions first")
    parser.add_argument("--root", type=Path, default=_ROOT, help=f"for installations ({_ROOT})")
    options = parser.parse_args()
    if unknown := set(options.clients) - set(names):
        parser.error(f"unknown client: {', '.join(sorted(unknown))}")
    chosen = [each for each in CLIENTS if each.name in (options.clients or names)]
    installations = options.root.resolve() / "clients"
    if options.install and not is_isolated():
        _install(chosen, installations)
    isolate()
    return max([_run(client, installations) for client in chosen], default=0)


def _run(client: Client, installations: Path) -> int:
    if client.executable(installations) is None:
        print(f"{client.name}: not run, since it is not installed (--install installs it)")
        return 0
    print(f"{client.name} {client.version(installations)}", flush=True)
    result = Run(client, installations, installations.parent / "runs" / client.name).result()
    keep(result)
    return int(any(verdict(each) is Verdict.WRONG for each in result.observations))


def _install(clients: list[Client], installations: Path) -> None:
    npm = shutil.which("npm")
    if npm is None:
        raise SystemExit("npm is not found: install Node.js.")
    packages = {client.package_folder: f"{client.package}@latest" for client in clients}
    for folder, package in {"node": _NODE, **packages}.items():
        target = installations / folder
        target.mkdir(parents=True, exist_ok=True)
        (target / "package.json").write_text('{"private": true}')
        done = subprocess.run(
            [npm, "install", "--no-audit", "--no-fund", "--loglevel=error", package],
            cwd=target,
            check=False,
        )
        print(f"{package}: {'not installed' if done.returncode else 'installed'}", flush=True)


if __name__ == "__main__":
    raise SystemExit(main())
