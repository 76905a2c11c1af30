"""The errors that a person may see: one sentence, a hint, and the exit code of the command."""

import errno
from collections.abc import Iterable, Sequence


class AgentViewError(Exception):
    """An error with a sentence for the person at the terminal.

    `message` is one sentence, `hint` says what to do about it or is None, `exit_code` is what the
    command ends with. Text that came from outside (a file name, a session id) may be in either:
    whatever a terminal would act on is written as an escape.
    """

    exit_code: int = 1

    def __init__(self, message: str, hint: str | None = None) -> None:
        self.message: str = inert(message)
        self.hint: str | None = None if hint is None else inert(hint)
        super().__init__(self.message)

    def __str__(self) -> str:
        return self.message


class NotFound(AgentViewError):  # noqa: N818  (reads as the sentence it stands for)
    """Nothing is there: no such file, session or data directory. Exit code 1."""


class Unreadable(AgentViewError):  # noqa: N818
    """Something is there but its bytes cannot be had. Exit code 1.

    `why` is the reason alone, for who names the place next to it; by default the sentence.
    """

    def __init__(self, message: str, hint: str | None = None, why: str | None = None) -> None:
        super().__init__(message, hint)
        self.why: str = self.message if why is None else inert(why)


class NotRegular(Unreadable):
    """A directory, a pipe or a device is there, in place of a file. Exit code 1."""


class Ambiguous(AgentViewError):  # noqa: N818
    """Several sessions match and none is guessed. Exit code 1.

    `candidates` holds one line of text for each match, in the order to be printed. The library
    shows them by a `query`, or as all sessions in `places`, which are paths by provider; else it
    cannot.
    """

    def __init__(
        self,
        message: str,
        candidates: tuple[str, ...] = (),
        hint: str | None = None,
        query: str | None = None,
        places: Sequence[tuple[str, str]] = (),
    ) -> None:
        super().__init__(message, hint)
        self.query, self.places = query, places
        self.candidates: tuple[str, ...] = tuple(inert(line) for line in candidates)


class UsageError(AgentViewError):
    """The command line does not make sense. Exit code 2."""

    exit_code = 2


_LONGEST_REASON = 200


def reason_of(error: Exception) -> str:
    """Why something could not be done, in a few words without a period at the end."""
    if isinstance(error, AgentViewError):
        return error.why if isinstance(error, Unreadable) else error.message.removesuffix(".")
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    if isinstance(error, MemoryError):
        return "it needs more memory than there is"
    said = error.strerror if isinstance(error, OSError) else None
    return inert(said or ": ".join(filter(None, (type(error).__name__, str(error)))))[
        :_LONGEST_REASON
    ]


def _lacks_memory(error: BaseException) -> bool:
    """True also where none was found for a compiled module or for the frame of a call.

    The words are those of the loader and of the interpreter.
    """
    if isinstance(error, OSError):
        return error.errno == errno.ENOMEM
    if isinstance(error, SystemError):
        return str(error).endswith(("without exception set", "without setting an exception"))
    said = str(error).lower() if isinstance(error, ImportError) else ""
    return (
        isinstance(error, MemoryError)
        or "failed to map segment" in said
        or "cannot allocate memory" in said
    )


def shortage(error: BaseException | None) -> AgentViewError | None:
    """Return the message for an error that memory or threads were refused; None for any other."""
    while error is not None:
        if _lacks_memory(error):
            return AgentViewError(
                "Not enough memory.", "The limit of this process may be too low: see 'ulimit -v'."
            )
        if isinstance(error, RuntimeError) and "can't start new thread" in str(error):
            return AgentViewError(
                "The system starts no more threads.",
                "The limit of this user may be reached: see 'ulimit -u'.",
            )
        error = error.__cause__ or error.__context__
    return None


def nearest(word: str, known: Iterable[str], cutoff: float = 0.5) -> str | None:
    """A sentence that asks whether the nearest of the known words is meant; None when none is."""
    # Slow to import, and wanted only once something is wrong.
    from difflib import get_close_matches

    found = get_close_matches(word, list(known), n=1, cutoff=cutoff)
    return f"Did you mean {found[0]}?" if found else None


def choices_hint(word: str, known: Iterable[str]) -> str:
    """The hint for a word that is none of the known ones: the nearest of them, and all of them."""
    names = list(known)
    asked = nearest(word, names, cutoff=0.6)
    listed = f"There are: {', '.join(names)}." if names else "There are none."
    return listed if asked is None else f"{asked} {listed}"


def inert(text: str) -> str:
    """The text with whatever a terminal would act on, and line ends, as escapes."""
    if text.isprintable():
        return text
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode("ascii")
        for char in text
    )
