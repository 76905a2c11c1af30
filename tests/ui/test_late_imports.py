"""What is heavy is imported when it is first needed, and not before."""

import subprocess
import sys

_CODE = """
import sys
import agentview.ui.activity
from agentview.domain.activity import RowKind
from agentview.domain.tools import ToolKind
for kind in (*ToolKind, *RowKind):
    agentview.ui.activity.widget_for(kind)
found = sorted(
    name for name in sys.modules
    if name.startswith(("pygments", "markdown_it", "pydantic", "watchfiles"))
)
print(*found)
"""


def test_no_widget_imports_a_lexer_or_a_parser() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _CODE], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.split() == []


def test_widgets_of_kinds_are_imported_one_by_one() -> None:
    code = (
        "import sys\n"
        "from agentview.ui.activity import widget_for\n"
        "from agentview.domain.tools import ToolKind\n"
        "widget_for(ToolKind.LS)\n"
        "print(*(m for m in sys.modules if m.startswith('agentview.ui.tools.')))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.split() == ["agentview.ui.tools.ls"]
