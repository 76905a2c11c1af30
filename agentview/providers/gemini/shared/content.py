"""Contents of messages: a text, or a list of parts as the vendor's interface has them."""

import re
from dataclasses import dataclass, field

from agentview.domain.content import Block, ImageBlock, JsonBlock, ResourceBlock, TextBlock
from agentview.domain.events import SlashCommand
from agentview.domain.value import Value
from agentview.normalize.error_text import unwrap
from agentview.normalize.json_values import fields_of, items_of
from agentview.providers._kit.prompt_context import split_context
from agentview.providers._kit.typed_records import read_as
from agentview.providers.gemini.shared.schema import (
    ContentPart,
    FunctionCall,
    FunctionResponse,
    Media,
)

_RAN = re.compile(
    r"I ran the following shell command:\n```sh\n(.*?)\n```\n\n"
    r"This produced the following result:\n```\n(.*)\n```\s*",
    re.DOTALL,
)
_ESCAPED = re.compile(r"\\([\\`])")


def shell_command(text: str) -> SlashCommand | None:
    """The shell command that a person ran through the client (`!`), with its output."""
    match = _RAN.fullmatch(text)
    if match is None:
        return None
    command, output = (_ESCAPED.sub(r"\1", part) for part in match.groups())
    is_shell = True
    return SlashCommand(command, output=output, shell=is_shell)


_WRAPPED = re.compile(r"<([A-Za-z]\w*[_:-][\w:.-]*)(?:\s[^<>]*)?>.*</\1>", re.DOTALL)
_SETTING_UP = re.compile(
    r"<session_context>\s|This is (?:the )?[\w ]{1,40}\. We are setting up the context for our"
    r"|--- Full File Context ---\n"
)
_SNAPSHOT = re.compile(r"\s*+(?:<scratchpad>.*</scratchpad>\s*+)?<state_snapshot>(.+)", re.DOTALL)
_ANSWERED = re.compile(r"(?:\[Function Response: [^\]\n]*\]|<\w+/[\w.+-]+>)+")
_REFERENCED = re.compile(r"\n?--- Content from referenced files ---\n?")
_REFERENCED_END = re.compile(r"\n?--- End of content ---\n?")
_CONTENT_OF = re.compile(r"\n?Content from (?:@)?(.+?):\n?")
_STEERED = re.compile(
    r"\s*User (?:steering update|hints):\s*<user_input>\s*(.+?)\s*</user_input>\s*"
    r"Internal instruction: .*",
    re.DOTALL,
)
"""Words of a person while tools ran, as the model gets them after or before the answers."""
_LOOP = "System: Potential loop detected. Details: "
_BACKGROUND = "Background execution update:\n<background_output>"
_CLOSING = "</untrusted_context>"
"""Mark between an output and what hooks add to it."""


_NO_CALL, _NO_ANSWER, _NO_MEDIA = FunctionCall(), FunctionResponse(), Media()


class Part(Value):
    """One part of a content, in one of its senses; `index` is its place in the list."""

    index: int
    text: str | None = None
    thought: bool = False
    call: FunctionCall | None = None
    response: FunctionResponse | None = None
    block: Block | None = None


class Prompt(Value):
    """Parts of a user message: the person's words, or why there are none of them."""

    text: str
    blocks: tuple[Block, ...] = ()
    files: tuple[tuple[str, str], ...] = ()
    """Names and contents of the files that the client put behind the prompt."""
    injected: str | None = None
    """Text that the client put there in the person's place; None for a prompt."""


@dataclass(slots=True)
class _Split:
    texts: list[str] = field(default_factory=list[str])
    blocks: list[Block] = field(default_factory=list[Block])
    files: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    behind: bool = False
    """The parts are behind the mark that begins the contents of files."""


def parts_of(content: object) -> list[Part]:
    """The parts of a content, in order; signatures of thoughts alone are none."""
    if isinstance(content, str):
        return [Part(0, text=content)] if content else []
    listed = items_of(content) or ([content] if isinstance(content, dict) else [])
    found = (_part(index, value) for index, value in enumerate(listed))
    return [part for part in found if part is not None]


def _part(index: int, value: object) -> Part | None:
    if isinstance(value, str):
        return Part(index, text=value)
    part = read_as(value, ContentPart)
    if part.function_call not in (None, _NO_CALL):
        return Part(index, call=part.function_call)
    if part.function_response not in (None, _NO_ANSWER):
        return Part(index, response=part.function_response)
    if part.text is not None:
        return Part(index, text=part.text, thought=part.thought is True) if part.text else None
    if not set(fields_of(value)) - {"thoughtSignature", "thought"}:
        return None if fields_of(value) or value is None else Part(index, block=JsonBlock(value))
    return Part(index, block=media_block(part) or JsonBlock(value))


def media_block(part: ContentPart) -> Block | None:
    """The image or document of a part `{inlineData}` or `{fileData}`; None for another part."""
    inline, file = part.inline_data or _NO_MEDIA, part.file_data or _NO_MEDIA
    named = file if inline == _NO_MEDIA else inline
    if named == _NO_MEDIA:
        return None
    uri = file.file_uri or None
    data, media_type = inline.data or None, named.mime_type or None
    size = len(data) * 3 // 4 - data[-2:].count("=") if data is not None else None
    if (media_type or "").startswith("image/"):
        return ImageBlock(media_type=media_type, data=data, uri=uri, byte_size=size)
    return ResourceBlock(
        uri=uri, name=named.display_name or None, media_type=media_type, byte_size=size
    )


def blocks_of(content: object) -> tuple[Block, ...]:
    """A content as blocks, its texts joined where they follow each other."""
    found: list[Block] = []
    for part in parts_of(content):
        if part.text is not None and found and isinstance(found[-1], TextBlock):
            found[-1] = TextBlock(found[-1].text + part.text)
        elif part.text is not None:
            found.append(TextBlock(part.text))
        elif part.block is not None:
            found.append(part.block)
    return tuple(found)


def prompt_of(content: object, shown: object = None) -> Prompt:
    """The prompt in a user message; `shown` is what the person typed, where that is recorded."""
    split = _Split()
    for part in parts_of(content):
        _take(split, part)
    said = "".join(split.texts)
    own = "".join(part.text for part in parts_of(shown) if part.text is not None)
    # Turns that followed each other may have been made one.
    words = own if own.strip() else _without_context(split.texts)
    reason = None if own.strip() or (words.strip() and words != said) else injected(said)
    if reason is not None:
        return Prompt(said, injected=reason)
    steered = _STEERED.fullmatch(words)
    said = steered[1] if steered is not None else words
    return Prompt(said, tuple(split.blocks), tuple(split.files))


def _take(split: _Split, part: Part) -> None:
    text = part.text
    if text is None:
        if part.block is not None:
            split.blocks.append(part.block)
        return
    if _REFERENCED.fullmatch(text) is not None:
        split.behind = True
    elif not split.behind:
        split.texts.append(text)
    elif _REFERENCED_END.fullmatch(text) is not None:
        split.behind = False
    elif (named := _CONTENT_OF.fullmatch(text)) is not None:
        split.files.append((named[1], ""))
    elif split.files:
        name, before = split.files[-1]
        split.files[-1] = (name, before + text)
    else:
        split.files.append(("", text))


def _without_context(texts: list[str]) -> str:
    """The texts with the context in front of them, without what the client put in between."""
    if len(texts) < 2:
        return "".join(texts)
    own = [injected(text) is None for text in texts]
    first = own.index(True) if True in own else 0
    context = "\n".join(texts[:first])
    words = "".join(text for text, mine in zip(texts, own, strict=True) if mine)
    whole = f"{context}\n{words}"
    return whole if context and split_context(whole)[1].strip() == words.strip() else words


def injected(text: str) -> str | None:
    """Return the form of a text of the client in the person's place; None for the person's own.

    The client wraps such a text whole in a tag with two words in its name, begins it by saying that
    it sets up the context, or names what tools answered (JSON documents up to 0.38). Behind a tag
    may be the person's words.
    """
    bare = text.strip()
    match = _WRAPPED.fullmatch(bare)
    if match is not None:
        return match[1]
    if _SETTING_UP.match(bare) is not None and not split_context(bare)[0]:
        return "context"
    if bare.startswith(_LOOP):
        return "a warning of the client that the model repeats itself"
    if bare.startswith(_BACKGROUND):
        return "what a command in the background came to"
    return "answers of tools" if bare and _ANSWERED.fullmatch(bare) is not None else None


def snapshot_in(content: object) -> str | None:
    """Return the summary that replaced a history; None when the content is not such a summary."""
    parts = parts_of(content)
    texts = [part.text for part in parts if part.text is not None]
    match = _SNAPSHOT.match("".join(texts)) if len(texts) == len(parts) else None
    if match is None:
        return None
    return match[1].strip().removesuffix("</state_snapshot>").rstrip() or None


def bare_output(text: str) -> str:
    """The output of a tool without the tag that says that it comes from outside."""
    inner = unwrap(text, "untrusted_context")
    if inner is None:
        return text
    said, closing, behind = inner.partition(_CLOSING)
    return said.strip("\n") + behind.rstrip() if closing else inner.strip("\n")
