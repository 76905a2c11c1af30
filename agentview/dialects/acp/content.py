"""Content of the protocol as blocks, and its diffs as edits and changes."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import cast

from agentview.domain.blocks import Block, ImageBlock, JsonBlock, ResourceBlock, TextBlock
from agentview.domain.payloads import EditPayload, FileEdit, FileOperation, TextEdit, WritePayload
from agentview.domain.results import FileChange
from agentview.normalize.fields import Fields, as_text, items, mapping, number, path, text
from agentview.normalize.patch import parse_changes, parse_patch

APPENDED = "appended"
"""Key of a block that adds to the content of a call instead of taking its place."""


def blocks_of(value: object) -> tuple[Block, ...]:
    """Blocks of a content block, of a list of them, or of a list of tool call contents.

    A diff or a terminal, for which there is no block, stays the object it was recorded as.
    """
    if isinstance(value, list):
        return tuple(_block(item) for item in items(cast("object", value)))
    return (_block(value),) if value is not None else ()


def _block(value: object) -> Block:
    fields = mapping(value)
    kind = text(fields, "type")
    if kind == "content":
        return _block(fields.get("content"))
    if isinstance(value, str):
        return TextBlock(value)
    if kind == "text":
        return TextBlock(text(fields, "text") or "")
    if kind == "image":
        return ImageBlock(text(fields, "mimeType"), text(fields, "data"), text(fields, "uri"))
    if kind == "audio":
        return ResourceBlock(name="audio", media_type=text(fields, "mimeType"))
    if kind in ("resource", "resource_link"):
        inner = mapping(fields.get("resource")) or fields
        return ResourceBlock(
            uri=text(inner, "uri"),
            name=text(inner, "title", "name"),
            media_type=text(inner, "mimeType"),
            text=text(inner, "text"),
            byte_size=number(inner, "size"),
        )
    return JsonBlock(value)


def words_of(blocks: Iterable[Block]) -> str:
    """All text of a message: what is no text is left out."""
    return "".join(block.text for block in blocks if isinstance(block, TextBlock))


def added(blocks: Sequence[Block]) -> tuple[Block, ...]:
    """The blocks, marked as adding to the content that a call has."""
    return tuple(JsonBlock({APPENDED: block}) for block in blocks)


def joined(known: tuple[Block, ...], later: tuple[Block, ...]) -> tuple[Block, ...]:
    """Content after a later record: replaced by what it has, unless that is marked as added."""
    found = [_fields(each) for each in later]
    if not later:
        return known
    if not all(APPENDED in each for each in found):
        return later
    pieces: list[Block] = list(shown(known))
    for each in found:
        piece = each[APPENDED]
        last = pieces[-1] if pieces else None
        if isinstance(piece, TextBlock) and isinstance(last, TextBlock):
            pieces[-1] = TextBlock(last.text + piece.text)
        elif isinstance(piece, TextBlock | ImageBlock | ResourceBlock | JsonBlock):
            pieces.append(piece)
    return tuple(pieces)


def shown(blocks: Sequence[Block]) -> tuple[Block, ...]:
    """The blocks that are for a reader: neither terminals nor marks, nor diffs of known form."""
    found: list[Block] = []
    for block in blocks:
        fields = _fields(block)
        piece = fields.get(APPENDED)
        if isinstance(piece, TextBlock | ImageBlock | ResourceBlock | JsonBlock):
            found.append(piece)
        elif text(fields, "type") not in ("terminal", "diff"):
            found.append(block)
    return tuple(found)


def _fields(block: Block) -> Fields:
    return mapping(block.value if isinstance(block, JsonBlock) else None)


def diffs_in(blocks: Iterable[Block]) -> tuple[Fields, ...]:
    """The diffs among the content of a call."""
    found = (mapping(block.value) for block in blocks if isinstance(block, JsonBlock))
    return tuple(fields for fields in found if fields.get("type") == "diff")


def terminal_in(blocks: Iterable[Block]) -> bool:
    """Whether the content of a call is what a terminal shows."""
    found = (mapping(block.value) for block in blocks if isinstance(block, JsonBlock))
    return any(fields.get("type") == "terminal" for fields in found)


def is_creation(diffs: Sequence[Fields]) -> bool:
    """Whether a diff writes one new file: it has a new text and, said so, no old one."""
    return (
        len(diffs) == 1
        and diffs[0].get("oldText") is None
        and isinstance(diffs[0].get("newText"), str)
    )


def written(diffs: Sequence[Fields]) -> WritePayload:
    """The file that the only diff writes."""
    return WritePayload(path(diffs[0]) or "", as_text(diffs[0].get("newText")))


def edited(diffs: Sequence[Fields]) -> EditPayload:
    """The edits of all diffs, those of one file together."""
    files: dict[str, FileEdit] = {}
    for diff in diffs:
        for each in _edits(diff):
            known = files.get(each.path)
            edits = (*known.edits, *each.edits) if known is not None else each.edits
            files[each.path] = replace(known or each, edits=edits)
    return EditPayload(tuple(files.values()))


def _edits(diff: Fields) -> tuple[FileEdit, ...]:
    patch = text(diff, "patch")
    if patch is not None:
        return parse_patch(patch)
    if "changes" in diff:
        return tuple(FileEdit(path(mapping(each)) or "") for each in items(diff.get("changes")))
    old, new = diff.get("oldText"), as_text(diff.get("newText")) or ""
    created = old is None
    operation = FileOperation.CREATE if created else FileOperation.UPDATE
    pair = TextEdit(as_text(old) or "", new)
    return (FileEdit(path(diff) or "", (pair,), operation=operation),)


def changes(diffs: Sequence[Fields]) -> tuple[FileChange, ...]:
    """What the diffs changed, file by file."""
    found: list[FileChange] = []
    for diff in diffs:
        patch = text(diff, "patch")
        if patch is not None:
            found += parse_changes(patch)
            continue
        if "changes" in diff:
            found += (FileChange(path(mapping(each)) or "") for each in items(diff.get("changes")))
            continue
        old = as_text(diff.get("oldText"))
        operation = FileOperation.CREATE if old is None else FileOperation.UPDATE
        new = as_text(diff.get("newText"))
        found.append(FileChange(path(diff) or "", operation, before=old, after=new))
    return tuple(found)
