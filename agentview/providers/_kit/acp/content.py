"""Content of the protocol as blocks, and its diffs as edits and changes."""

from collections.abc import Iterable, Iterator, Sequence
from typing import cast

from msgspec.structs import replace

from agentview.domain.content import Block, ImageBlock, JsonBlock, ResourceBlock, TextBlock
from agentview.domain.tool_inputs import (
    EditPayload,
    FileEdit,
    FileOperation,
    TextEdit,
    WritePayload,
)
from agentview.domain.tool_results import FileChange
from agentview.normalize.json_fields import Fields, as_text, items, mapping, number, path, text
from agentview.normalize.tools.edit import edit
from agentview.normalize.tools.patch import parse_changes, parse_patch

APPENDED = "appended"
"""Key of a block that adds to the content of a call instead of taking its place."""
_OUTCOME = "outcome"
"""Key of a block that holds the outcome of a call in a form of its agent's own."""
_CHANGED = ("update", "modify")
"""Kinds that agents give to diffs of files that were there before."""
_EARLIER = "earlier"
"""Key of a block that holds diffs which other content has taken the place of."""


def blocks_of(value: object) -> tuple[Block, ...]:
    """Blocks of a content block, of a list of them, or of a list of tool call contents.

    A diff or a terminal, for which no block exists, stays the object it was recorded as.
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
    """All text of a message: what is not a text is left out."""
    return "".join(block.text for block in blocks if isinstance(block, TextBlock))


def added(blocks: Sequence[Block]) -> tuple[Block, ...]:
    """The blocks, marked as adding to the content that a call has."""
    return tuple(JsonBlock({APPENDED: block}) for block in blocks)


def joined(known: tuple[Block, ...], later: tuple[Block, ...]) -> tuple[Block, ...]:
    """Content after a later record: replaced by what it has, unless that is marked as added."""
    marks = {key: mark for block in (*known, *later) for key, mark in _marks(block)}
    known, later = _unmarked(known), _unmarked(later)
    found = [_fields(each) for each in later]
    if not later:
        content = known
    elif all(APPENDED in each for each in found):
        content = _with_added(known, found)
    elif is_terminal(later) and shown(known):
        # What it puts out is reported by itself.
        content = known
    else:
        content = later
        diffs = diffs_in(known)
        if diffs and not diffs_in(later):
            # What was shown before a call ran is not always repeated with its outcome.
            marks[_EARLIER] = diffs
    return (*content, *(JsonBlock({key: mark}) for key, mark in marks.items()))


def _with_added(known: tuple[Block, ...], found: Sequence[Fields]) -> tuple[Block, ...]:
    pieces: list[Block] = list(shown(known))
    for each in found:
        piece = each[APPENDED]
        last = pieces[-1] if pieces else None
        if isinstance(piece, TextBlock) and isinstance(last, TextBlock):
            pieces[-1] = TextBlock(last.text + piece.text)
        elif isinstance(piece, TextBlock | ImageBlock | ResourceBlock | JsonBlock):
            pieces.append(piece)
    return tuple(pieces)


def marked_outcome(outcome: object) -> Block:
    """A block that nobody is shown, with the outcome of a call as the agent records it."""
    return JsonBlock({_OUTCOME: (outcome,)})


def outcome_in(blocks: Iterable[Block]) -> object:
    """The outcome that a block among the content of a call holds; None where none does."""
    return next(
        (mark[0] for block in blocks for key, mark in _marks(block) if key == _OUTCOME), None
    )


def diffs_so_far(blocks: Sequence[Block]) -> tuple[Fields, ...]:
    """The diffs among the content of a call, else those that it had before."""
    earlier = (mark for block in blocks for key, mark in _marks(block) if key == _EARLIER)
    return diffs_in(blocks) or cast("tuple[Fields, ...]", next(earlier, ()))


def _marks(block: Block) -> Iterator[tuple[str, tuple[object, ...]]]:
    """The keys of a mark with what they hold. No value of a log is a tuple."""
    for key, value in _fields(block).items():
        if isinstance(value, tuple):
            yield key, cast("tuple[object, ...]", value)


def _unmarked(blocks: Sequence[Block]) -> tuple[Block, ...]:
    return tuple(block for block in blocks if not any(_marks(block)))


def shown(blocks: Sequence[Block]) -> tuple[Block, ...]:
    """The blocks that are for a reader: neither terminals nor marks, nor diffs of known form."""
    found: list[Block] = []
    for block in _unmarked(blocks):
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


def is_terminal(blocks: Iterable[Block]) -> bool:
    """Return True if content does no more than name the terminal of a call."""
    found = (_fields(block) for block in blocks)
    return all(text(fields, "type") == "terminal" for fields in found)


def terminal_in(blocks: Iterable[Block]) -> bool:
    """Return True if the content of a call is what a terminal shows."""
    found = (mapping(block.value) for block in blocks if isinstance(block, JsonBlock))
    return any(fields.get("type") == "terminal" for fields in found)


def is_creation(diffs: Sequence[Fields]) -> bool:
    """Return True if a diff writes one new file: it has a new text and, said so, no old one."""
    return (
        len(diffs) == 1
        and "patch" not in diffs[0]
        and _operation(diffs[0]) is FileOperation.CREATE
        and isinstance(diffs[0].get("newText"), str)
    )


def written(diffs: Sequence[Fields]) -> WritePayload:
    return WritePayload(path(diffs[0]) or "", as_text(diffs[0].get("newText")))


def edited(diffs: Sequence[Fields], args: Fields) -> EditPayload:
    """The edits of all diffs, those of one file together.

    A diff that shows nothing but the text that was asked for stands for all its places, where the
    arguments say so.
    """
    files: dict[str, FileEdit] = {}
    for diff in diffs:
        for each in _edits(diff):
            known = files.get(each.path)
            edits = (*known.edits, *each.edits) if known is not None else each.edits
            files[each.path] = replace(known or each, edits=edits)
    return EditPayload(_everywhere(tuple(files.values()), args))


def _everywhere(files: tuple[FileEdit, ...], args: Fields) -> tuple[FileEdit, ...]:
    asked = edit(args).files[0].edits
    if len(files) != 1 or len(asked) != 1 or not asked[0].replace_all:
        return files
    alone = files[0].edits == (replace(asked[0], replace_all=False),)
    return (replace(files[0], edits=asked),) if alone else files


def _edits(diff: Fields) -> tuple[FileEdit, ...]:
    patch = text(diff, "patch")
    if patch is not None:
        return parse_patch(patch)
    if "changes" in diff:
        return tuple(FileEdit(path(mapping(each)) or "") for each in items(diff.get("changes")))
    pair = TextEdit(as_text(diff.get("oldText")) or "", as_text(diff.get("newText")) or "")
    return (FileEdit(path(diff) or "", (pair,), operation=_operation(diff)),)


def _operation(diff: Fields) -> FileOperation:
    """Operation of a diff on its file, as the agent says, else by its old text; none if new."""
    kind = text(mapping(diff.get("_meta")), "kind")
    if kind == "delete":
        return FileOperation.DELETE
    created = (diff.get("oldText") is None and kind not in _CHANGED) or kind == "add"
    return FileOperation.CREATE if created else FileOperation.UPDATE


def changes(diffs: Sequence[Fields]) -> tuple[FileChange, ...]:
    """Return the changes of the diffs, file by file."""
    found: list[FileChange] = []
    for diff in diffs:
        patch = text(diff, "patch")
        if patch is not None:
            found += parse_changes(patch)
            continue
        if "changes" in diff:
            found += (FileChange(path(mapping(each)) or "") for each in items(diff.get("changes")))
            continue
        old, new = as_text(diff.get("oldText")), as_text(diff.get("newText"))
        operation = _operation(diff)
        if operation is FileOperation.DELETE:
            new = None
        if not old and text(mapping(diff.get("_meta")), "kind") in _CHANGED:
            # Lines were put between others that are not shown.
            old = None
        found.append(FileChange(path(diff) or "", operation, before=old, after=new))
    return tuple(found)
