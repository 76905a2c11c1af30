"""What each key does in the library: one table for keys, help, hints and palette."""

from textual.binding import Binding

_FIND = Binding.Group("Find")
_SHOW = Binding.Group("Show")
_COPY = Binding.Group("Copy")
_SCREEN = Binding.Group("Screen")

LIBRARY_BINDINGS: list[Binding] = [
    Binding("slash,f", "filter", "filter", key_display="/", id="library.filter", group=_FIND,
            tooltip="Filter as you type: words, project: model: tool: file: state: after: cost:>1"),
    Binding("ctrl+f", "search", "search", id="library.search", group=_FIND,
            tooltip="Search inside all sessions"),
    Binding("w", "board", "board", id="library.board", group=_SHOW,
            tooltip="Show what all live sessions do right now"),
    Binding("s", "sort", "sort", id="library.sort", group=_SHOW,
            tooltip="Sort by the next column; a click on its name does too"),
    Binding("S", "reverse", "reverse", show=False, id="library.reverse", group=_SHOW,
            tooltip="Sort the other way round"),
    Binding("b", "group", "group", id="library.group", group=_SHOW,
            tooltip="Put sessions together by project, by day, or not at all"),
    Binding("a", "agents", "sub-agents", id="library.agents", group=_SHOW,
            tooltip="Show sub-agents below their sessions, or hide them"),
    Binding("p", "preview", "preview", id="library.preview", group=_SHOW,
            tooltip="Show the last turn of the session, or hide it"),
    Binding("J", "scroll_preview(1)", "preview down", show=False, id="library.preview_down",
            group=_SHOW, tooltip="Scroll the preview down"),
    Binding("K", "scroll_preview(-1)", "preview up", show=False, id="library.preview_up",
            group=_SHOW, tooltip="Scroll the preview up"),
    Binding("m", "keep_filter", "save filter", show=False, id="library.keep_filter", group=_FIND,
            tooltip="Save the filter under a name"),
    Binding("apostrophe", "saved_filters", "saved filters", show=False, id="library.saved_filters",
            group=_FIND, tooltip="Choose one of the saved filters"),
    Binding("c", "resume", "resume", show=False, id="library.resume", group=_COPY,
            tooltip="Copy the command that resumes the session"),
    Binding("y", "copy_id", "copy id", show=False, id="library.copy_id", group=_COPY,
            tooltip="Copy the id of the session"),
    Binding("Y", "copy_path", "copy path", show=False, id="library.copy_path", group=_COPY,
            tooltip="Copy the path of the log"),
    Binding("r,f5", "rescan", "rescan", show=False, id="library.rescan", group=_FIND,
            tooltip="Look for sessions again"),
    Binding("escape", "dismiss_filter", "all", show=False, id="library.dismiss",
            group=_SCREEN, tooltip="End the filter"),
    Binding("q", "leave", "quit", id="library.quit", group=_SCREEN, tooltip="Quit"),
]  # fmt: skip
