"""Words for the error that ended the reading of a log."""

from typing import cast


def words_of(error: BaseException) -> str:
    """What the first error of a group of tasks says, which is more than the group does."""
    while isinstance(error, BaseExceptionGroup):
        error = cast("BaseExceptionGroup[BaseException]", error).exceptions[0]
    return str(error) or type(error).__name__
