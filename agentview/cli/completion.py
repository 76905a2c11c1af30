"""`agentview completion`: what a shell needs to complete the command line, and its answers."""

import argparse

import argcomplete
from argcomplete.shell_integration import shellcode


def complete(parser: argparse.ArgumentParser) -> None:
    """Answer the shell that asks for completions, and end the process."""
    argcomplete.autocomplete(parser)


def run(options: argparse.Namespace) -> int:
    """Print the code that the shell is to read."""
    shell: str = options.shell
    print(shellcode(["agentview"], shell=shell))
    return 0
