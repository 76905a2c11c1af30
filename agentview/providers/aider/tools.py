"""Changes in a response: blocks of old and new text, patches, and files as a whole."""

from collections.abc import Mapping

from msgspec.structs import replace

from agentview.domain.tool_inputs import EditPayload, FileEdit, TextEdit, WritePayload
from agentview.normalize.json_fields import text
from agentview.normalize.json_values import Fields
from agentview.normalize.tools.registry import FAMILIES
from agentview.normalize.tools.specs import ToolSpec

BLOCK, PATCH, WHOLE = "SEARCH/REPLACE", "diff", "whole"


def _replaced(fields: Fields) -> EditPayload:
    edit = TextEdit(text(fields, "search") or "", text(fields, "replace") or "")
    return EditPayload((FileEdit(text(fields, "path") or "", (edit,)),))


def _written(fields: Fields) -> WritePayload:
    return WritePayload(text(fields, "path") or "", text(fields, "content"))


SPECS: Mapping[str, ToolSpec] = {
    BLOCK: replace(FAMILIES["edit"], canonical_name="Edit", payload=_replaced),
    PATCH: FAMILIES["patch"],
    WHOLE: replace(FAMILIES["write"], payload=_written),
}
