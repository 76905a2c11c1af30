"""Lists of files as a tree: directories stand out from files, the part before the name is quiet."""

from collections.abc import Iterator, Sequence
from typing import TypeAlias

from agentview.domain.tool_results import PathsResult
from agentview.domain.value import Value
from agentview.timeline.view.sanitize import clean
from agentview.timeline.view.titles.text import shown_path
from agentview.ui.render.containers import Stack
from agentview.ui.render.lazy_lines import LazyLines, RenderContext
from agentview.ui.render.text_lines import LineRows, Piece, Rows, text_rows

_MAX_DEPTH = 40

_Tree: TypeAlias = dict[str, "_Tree"]


class Branch(Value):
    """One row of a tree: what is drawn before the name, and the name."""

    lead: str
    name: str


def paths_body(
    result: PathsResult, cwd: str | None, space: RenderContext, *, below: str | None = None
) -> LazyLines:
    """One row a path, or the tree as the tool drew it.

    With `below`, a directory, paths are shown as the tree of what is in it.
    """
    parts: list[LazyLines] = []
    palette = space.palette
    if result.tree is not None:
        parts.append(text_rows(result.tree, space, palette.text))
    elif result.paths and below is not None:
        parts.append(_tree(tree_of(result.paths, below), space))
    elif result.paths:
        parts.append(_list(result.paths, cwd, space))
    left = 0 if result.count is None else result.count - len(result.paths)
    if left > 0 and result.tree is None:
        dots = space.glyphs.ellipsis
        words = f"{dots} {left:,} more that the tool did not list"
        parts.append(Rows([[(words, palette.warning)]], space))
    elif result.truncated:
        parts.append(Rows([[("the tool truncated the list", palette.warning)]], space))
    return Stack(parts)


def path_pieces(path: str, cwd: str | None, space: RenderContext) -> list[Piece]:
    """A path with its directories quiet; a directory ends in a slash."""
    palette = space.palette
    shown = clean(shown_path(path, cwd))
    cut = max(shown.rstrip("/\\").rfind(sign) for sign in "/\\") + 1
    name = palette.accent if shown.endswith(("/", "\\")) else palette.path
    return [(shown[:cut], palette.dim), (shown[cut:], name)]


def tree_of(paths: Sequence[str], below: str) -> list[Branch]:
    """Rows of a tree of paths, children in the order they come in; `below` is left out of them.

    A directory that is only named by what is in it has a row as well.
    """
    root: _Tree = {}
    for path in paths:
        whole = shown_path(path, below.rstrip("/") or "/").replace("\\", "/")
        names = [name for name in whole.rstrip("/").split("/", _MAX_DEPTH) if name]
        at = root
        for number, name in enumerate(names):
            inner = number + 1 < len(names)
            key = name + "/" if inner or whole.endswith("/") else name
            at = at.setdefault(key, {})
    return list(_branches(root, ""))


def _branches(members: _Tree, lead: str) -> Iterator[Branch]:
    last = len(members) - 1
    for number, (name, inner) in enumerate(members.items()):
        yield Branch(lead + ("└ " if number == last else "├ "), name)
        below = lead + ("  " if number == last else "│ ")
        yield from _branches(inner, below)


def _tree(branches: Sequence[Branch], space: RenderContext) -> LazyLines:
    palette = space.palette
    flat = all(len(branch.lead) == 2 for branch in branches)
    ascii_only = space.glyphs.column.isascii()

    def paint(index: int) -> list[Piece]:
        branch = branches[index]
        lead = "" if flat else branch.lead
        if ascii_only:
            lead = lead.replace("└", "`").replace("├", "|").replace("│", "|")
        name = palette.accent if branch.name.endswith("/") else palette.path
        return [(lead, palette.border), (branch.name, name)]

    return LineRows(len(branches), lambda index: branches[index].name, paint, space, fold=False)


def _list(paths: tuple[str, ...], cwd: str | None, space: RenderContext) -> LazyLines:
    return LineRows(
        len(paths),
        lambda index: paths[index],
        lambda index: path_pieces(paths[index], cwd, space),
        space,
        fold=False,
    )
