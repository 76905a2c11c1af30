"""Tools: all but two are functions of the person's own or of a plug-in."""

from collections.abc import Mapping

from agentview.domain.tools import DeniedBy
from agentview.normalize.tools.specs import ToolSpec
from agentview.providers._kit.tool_table import tools

SPECS: Mapping[str, ToolSpec] = tools(plain="llm_time llm_version")

REFUSALS = (
    (r"CancelToolCall: User cancelled tool call|Cancelled: User cancelled", DeniedBy.PERSON),
    (r"CancelToolCall: (?P<words>.*)", DeniedBy.UNKNOWN),
)
"""Exceptions, or results of versions that kept no exception."""
