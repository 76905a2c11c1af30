"""Changes in a response: blocks of old and new text, patches, and files as a whole."""

from collections.abc import Mapping

from agentview.normalize.tools.specs import ToolSpec
from agentview.providers._kit.tool_table import tools

BLOCK, PATCH, WHOLE = "SEARCH/REPLACE", "diff", "whole"


SPECS: Mapping[str, ToolSpec] = tools(edit=BLOCK, patch=PATCH, write=WHOLE)
