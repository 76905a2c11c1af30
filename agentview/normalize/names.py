"""What a tool is when no provider's table knows its name: by convention, by name, by arguments."""

from collections.abc import Mapping

from agentview.domain.tools import ToolKind
from agentview.normalize.specs import ToolSpec
