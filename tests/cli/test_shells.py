"""Completions in the shells themselves: bash, zsh and fish complete the id of a session.

A shell that is not installed is left out: `apt-get install zsh fish`.
"""

import os
import shutil
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import FIRST, SECOND, THIRD, CommandLine
from tests.cli.pseudo_terminal import PseudoTerminal

SHARED = "1111"
"""How two of the sessions begin."""
PROMPT = "READY>"
"""What each shell asks with."""

BASH = f"""
PS1='{PROMPT}'
bind 'set enable-bracketed-paste off'
eval "$(agentview completion bash)"
"""
ZSH = f"""
PS1='{PROMPT}'
autoload -U compinit && compinit -u -D
unsetopt zle_bracketed_paste
eval "$(agentview completion zsh)"
"""
FISH = f"""
function fish_prompt; echo -n '{PROMPT}'; end
set -g fish_greeting
agentview completion fish | source
"""


def _command(shell: str, home: Path) -> list[str]:
    """The shell as a person starts it, with nothing but the completion set up."""
    if shell == "bash":
        (home / ".bashrc").write_text(BASH)
        return ["bash", "--noprofile", "--rcfile", str(home / ".bashrc"), "-i"]
    if shell == "zsh":
        (home / ".zshrc").write_text(ZSH)
        return ["zsh", "-d", "-i"]
    (home / ".config" / "fish").mkdir(parents=True)
    (home / ".config" / "fish" / "config.fish").write_text(FISH)
    return ["fish", "-i"]


@pytest.mark.slow
@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_completes_the_id_of_a_session(
    agentview: CommandLine, projects: Path, tmp_path: Path, shell: str
) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    assert projects.is_dir()
    own = tmp_path / "bin"
    own.mkdir()
    # The program under its own name, as an installation has it.
    (own / "agentview").write_text(f"#!{sys.executable}\n# PYTHON_ARGCOMPLETE_OK\n{_MAIN}")
    (own / "agentview").chmod(0o755)
    env = {**agentview.environment, "PATH": f"{own}{os.pathsep}{os.environ['PATH']}"}
    env["HISTFILE"] = str(tmp_path / "history")
    with PseudoTerminal(_command(shell, agentview.home), env, agentview.cwd) as terminal:
        terminal.wait_for(PROMPT)
        terminal.press(f"agentview cat {THIRD[:3]}\t")
        terminal.wait_for(f"agentview cat {THIRD[:8]}")
        # The shell lists both.
        terminal.press(f"\x15agentview cat {SHARED}\t\t")
        terminal.wait_for(lambda screen: all(each[:8] in screen for each in (FIRST, SECOND)))


_MAIN = "import sys\nfrom agentview.cli import main\nsys.exit(main())\n"
