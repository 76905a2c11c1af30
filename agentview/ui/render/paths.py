"""Lists of files: directories told from files, the part before the name quiet."""

from agentview.domain.results import PathsResult
from agentview.timeline.plain import clean
from agentview.timeline.wording import shown_path
from agentview.ui.render.body import Body, Space
from agentview.ui.render.lines import LineRows, Piece, Rows, text_rows
from agentview.ui.render.stack import Stack


def paths_body(result: PathsResult, cwd: str | None, space: Space) -> Body:
    """One row a path, or the tree as the tool drew it."""
    parts: list[Body] = []
    palette = space.palette
    if result.tree is not None:
        parts.append(text_rows(result.tree, space, palette.text))
    elif result.paths:
        parts.append(_list(result.paths, cwd, space))
    if result.truncated:
        parts.append(Rows([[("the tool cut the list off", palette.dim)]], space))
    return Stack(parts)


def _list(paths: tuple[str, ...], cwd: str | None, space: Space) -> Body:
    palette = space.palette

    def paint(index: int) -> list[Piece]:
        path = clean(shown_path(paths[index], cwd))
        cut = path.rstrip("/").rfind("/") + 1
        name = palette.accent if path.endswith("/") else palette.path
        return [(path[:cut], palette.dim), (path[cut:], name)]

    return LineRows(len(paths), lambda index: paths[index], paint, space, fold=False)
