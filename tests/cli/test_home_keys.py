"""Keys of the views of home, as a terminal sends them."""

from pathlib import Path

from tests.cli.conftest import CommandLine
from tests.cli.pseudo_terminal import PseudoTerminal


def test_alt_and_a_digit_change_the_view_while_a_query_is_typed(
    agentview: CommandLine, projects: Path
) -> None:
    command = agentview.command()
    with PseudoTerminal(command, agentview.environment, agentview.cwd, columns=120) as screen:
        screen.wait_for("Step 0")
        for digit, shown in (("4", "tokens"), ("2", "Step 0"), ("1", "no session is live")):
            screen.press("\x1b3")
            screen.wait_for("alt+1–4 views")
            screen.press(f"\x1b{digit}")
            screen.wait_for(lambda text, shown=shown: shown in text and "alt+1–4" not in text)
        screen.press("3¢x")
        assert "search ¢x" in screen.wait_for("¢x")
        screen.press("\x1b2")
        screen.wait_for("Step 0")
        screen.press("q")
        assert screen.wait() == 0
