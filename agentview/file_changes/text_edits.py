"""Old text to new text in lines that are known."""

from agentview.domain.tool_inputs import TextEdit
from agentview.file_changes.partial_file import Draft, Side, split_text


def replace_text(draft: Draft, edit: TextEdit) -> bool:
    """Replace a text in the known lines; False when it is not in them, or not only in them."""
    side = draft.new
    if not edit.old:
        return _fill_empty(side, edit.new)
    whole = side.lines() is not None
    if edit.replace_all and not whole:
        return False
    done = False
    # From the last run to the first: those before keep their place.
    for start, stop in reversed(list(side.runs())):
        old, new = edit.old, edit.new
        text = _text_of(side, start, stop)
        if "\r\n" in text and "\r" not in old:
            old, new = old.replace("\n", "\r\n"), new.replace("\n", "\r\n")
        if old not in text:
            continue
        if not whole and (done or text.count(old) > 1):
            return False
        text = text.replace(old, new, -1 if edit.replace_all else 1)
        if stop < len(side.items) and not text.endswith("\n"):
            # The last line would go on in what is not known.
            return False
        _put_text(side, start, stop, text)
        done = True
    return done


def _fill_empty(side: Side, text: str) -> bool:
    if side.items:
        return False
    _put_text(side, 0, 0, text)
    return True


def _text_of(side: Side, start: int, stop: int) -> str:
    """A run as text; its last line has its end, unless the file is known to end without."""
    text = "\n".join(side.known(start, stop))
    open_end = stop == len(side.items) and side.ended is False
    return text if open_end else text + "\n"


def _put_text(side: Side, start: int, stop: int, text: str) -> None:
    lines, ended = split_text(text)
    at_end = stop == len(side.items)
    side.items[start:stop] = lines
    if at_end and not (ended and side.ended is None):
        side.ended = ended
