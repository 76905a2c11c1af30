"""The smallest Textual application: one Static, and a key that changes it. A floor."""

from textual import events
from textual.app import App, ComposeResult
from textual.widgets import Static


class Hello(App[None]):
    """Says hello."""

    count = 0

    def compose(self) -> ComposeResult:
        """One widget."""
        yield Static("Hello")

    def on_key(self, event: events.Key) -> None:
        """Change the text."""
        event.stop()
        self.count += 1
        self.query_one(Static).update(f"Hello {self.count} {event.key}")


if __name__ == "__main__":
    Hello().run()
