"""Makes release files that pip does not: `build.py deb|formula|mcpb|plugins [DIST]`.

They are made in `dist`, or DIST, of the wheel and archive there. Nothing is published. The version,
the dependencies and the skill come from the package itself.
"""

import hashlib
import json
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
DIST = Path(sys.argv[2]) if len(sys.argv) > 2 else ROOT / "dist"
NAME = "agentview"
SAYS = "Past sessions of coding agents on this machine: search and read them."
AUTHOR = {"name": f"{NAME} maintainers"}
SERVER = {"command": NAME, "args": ["mcp"]}


def own(*arguments: str) -> str:
    """Output of a command of agentview."""
    return subprocess.run(  # noqa: S603
        [sys.executable, "-m", NAME, *arguments], check=True, capture_output=True, text=True
    ).stdout


def version() -> str:
    """The version of the package."""
    return own("--version").split()[1]


def _fresh(folder: Path) -> Path:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def _put(file: Path, content: object) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    text = content if isinstance(content, str) else f"{json.dumps(content, indent=2)}\n"
    file.write_text(text, encoding="utf-8")


def plugins() -> list[Path]:
    """Folders with the skill and the server, in the form that each of three clients takes."""
    about = {"name": NAME, "version": version(), "description": SAYS, "author": AUTHOR}
    servers, skill = {"mcpServers": {NAME: SERVER}}, own("skill")
    made: list[Path] = []
    for client in ("claude", "codex"):
        folder = _fresh(DIST / f"{NAME}-{client}-plugin")
        named = about if client == "claude" else {
            **about, "skills": "./skills/", "mcpServers": "./.mcp.json",
        }  # fmt: skip
        _put(folder / f".{client}-plugin" / "plugin.json", named)
        _put(folder / ".mcp.json", servers)
        made.append(folder)
    folder = _fresh(DIST / f"{NAME}-gemini-extension")
    extension = {key: about[key] for key in ("name", "version", "description")}
    _put(folder / "gemini-extension.json", {**extension, **servers})
    for each in (*made, folder):
        _put(each / "skills" / NAME / "SKILL.md", skill)
    return [*made, folder]


def mcpb() -> Path:
    """A bundle that `uv` runs: it has the wheel, whose requirements `uv` installs on first use."""
    (wheel,) = DIST.glob(f"{NAME}-{version()}-*.whl")
    manifest = {
        "manifest_version": "0.4",
        "name": NAME,
        "version": version(),
        "description": SAYS,
        "author": AUTHOR,
        "license": "MIT",
        "server": {
            "type": "uv",
            "entry_point": "server.py",
            "mcp_config": {
                "command": "uv",
                "args": ["run", "--directory", "${__dirname}", "server.py"],
            },
        },
        "compatibility": {
            "platforms": ["darwin", "linux", "win32"],
            "runtimes": {"python": ">=3.11"},
        },
        "tools_generated": True,
    }
    project = (
        f'[project]\nname = "{NAME}-server"\nversion = "{version()}"\n'
        f'requires-python = ">=3.11"\ndependencies = ["{NAME}[mcp]"]\n\n'
        f'[tool.uv.sources]\n{NAME} = {{ path = "{wheel.name}" }}\n'
    )
    server = f'from {NAME}.cli import main\n\nraise SystemExit(main(["mcp"]))\n'
    target = DIST / f"{NAME}-{version()}.mcpb"
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as bundle:
        bundle.writestr("manifest.json", json.dumps(manifest, indent=2))
        bundle.writestr("pyproject.toml", project)
        bundle.writestr("server.py", server)
        bundle.write(wheel, wheel.name)
    return target


def deb() -> Path:
    """A package for the Debian whose Python this one is: the zipapp, manual page, completions."""
    short = f"{sys.version_info.major}.{sys.version_info.minor}"
    after = f"{sys.version_info.major}.{sys.version_info.minor + 1}"
    machine = subprocess.run(
        ["/usr/bin/dpkg", "--print-architecture"], check=True, capture_output=True, text=True
    ).stdout.strip()  # fmt: skip
    root = _fresh(DIST / "deb")
    program = root / "usr/bin" / NAME
    program.parent.mkdir(parents=True)
    shutil.copy(DIST / f"{NAME}.pyz", program)
    _put(root / "usr/share/man/man1" / f"{NAME}.1", own("help", "--man"))
    for shell, place in (
        ("bash", f"bash-completion/completions/{NAME}"),
        ("zsh", f"zsh/vendor-completions/_{NAME}"),
        ("fish", f"fish/vendor_completions.d/{NAME}.fish"),
    ):
        _put(root / "usr/share" / place, own("completion", shell))
    _put(root / "usr/share/doc" / NAME / "copyright", (ROOT / "LICENSE").read_text())
    control = (
        f"Package: {NAME}\nVersion: {version()}\nArchitecture: {machine}\n"
        f"Maintainer: {NAME} maintainers <{NAME}@localhost>\nSection: devel\nPriority: optional\n"
        f"Depends: python3 (>= {short}), python3 (<< {after}), libc6\n"
        f"Description: {SAYS}\n The session logs of coding agents in the terminal.\n"
    )
    _put(root / "DEBIAN/control", control)
    for path in root.rglob("*"):
        path.chmod(0o755 if path.is_dir() or path == program else 0o644)
    target = DIST / f"{NAME}_{version()}_{machine}.deb"
    subprocess.run(  # noqa: S603
        ["/usr/bin/dpkg-deb", "--root-owner-group", "--build", str(root), str(target)], check=True
    )
    shutil.rmtree(root)
    return target


def formula() -> Path:
    """A formula for Homebrew that installs the source archive of this version."""
    source = DIST / f"{NAME}-{version()}.tar.gz"
    text = (ROOT / "packaging" / f"{NAME}.rb").read_text(encoding="utf-8")
    text = text.replace("@SHA256@", hashlib.sha256(source.read_bytes()).hexdigest())
    target = DIST / f"{NAME}.rb"
    _put(target, text.replace("@SOURCE@", source.as_uri()))
    return target


def main() -> int:
    """Make what is asked for, and print its path."""
    made = {"deb": deb, "formula": formula, "mcpb": mcpb, "plugins": plugins}[sys.argv[1]]()
    for path in made if isinstance(made, list) else [made]:
        print(path)  # noqa: T201
    return 0


if __name__ == "__main__":
    sys.exit(main())
