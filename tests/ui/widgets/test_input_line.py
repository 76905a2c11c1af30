"""The line to type into: what stands at its end, and where."""

from textual.app import App, ComposeResult
from textual.widget import Widget

from agentview.ui.widgets.prompt_line import InputLine


class LineApp(App[None]):
    """A line, and nothing else."""

    def compose(self) -> ComposeResult:
        """Only the line."""
        yield InputLine("/", id="search")


async def test_report_has_its_place_when_a_layout_came_between_two_reports() -> None:
    app = LineApp()
    async with app.run_test(size=(60, 10)) as pilot:
        line = app.query_one(InputLine)
        report = line.query_one("#report", Widget)
        for first, second in (("1 of 4", "1 of 14, half searched"), ("12 of 14", "2 of 3")):
            line.report(first)
            # What any other widget may ask for before the report itself comes to it.
            line._clear_arrangement_cache()  # pyright: ignore[reportPrivateUsage]
            app.screen._refresh_layout()  # pyright: ignore[reportPrivateUsage]
            line.report(second)
            await pilot.pause()
            assert report.region.width == len(second)
            assert report.region.right == line.region.right - 1


async def test_a_report_that_comes_late_is_taken_while_the_line_is_closed() -> None:
    app = LineApp()
    async with app.run_test(size=(60, 10)) as pilot:
        line = app.query_one(InputLine)
        await line.query("*").remove()
        line.report("3 of 9")
        await pilot.pause()
        assert line.is_mounted
