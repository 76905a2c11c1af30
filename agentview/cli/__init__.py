"""The command line: one module a command, each imported only when it is asked for.

`--version` and `--help` are what a person waits for most often, so nothing heavy is imported here.
"""

import gc
import os
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module

import agentview
from agentview.errors import AgentViewError, Ambiguous, reason_of, shortage

INTERRUPTED = 130
"""Exit code after Ctrl-C, as shells have it: 128 and the number of the signal."""

_GARBAGE = 10_000
"""Objects more than before after which Python looks for garbage, of which commands make little."""

_RESERVE = [bytes(2_000_000)]
"""Memory that is given up once there is no more, for the sentence that says so. It is never used,
so the system holds no page for it."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command that `arguments` (else those of the process) ask for; gives the exit code."""
    given = sys.argv[1:] if arguments is None else list(arguments)
    if _answered(given):
        return 0
    # Imported here: a prompt does not wait for it.
    from agentview.cli.output.terminal import guarded_streams

    # A stream that was closed before the start is None.
    if None in (sys.stdin, sys.stdout, sys.stderr):
        from agentview.cli.closed_streams import reopen_closed

        closed = reopen_closed()
    else:
        closed = []
    if sys.stdout in closed:
        return _report(AgentViewError("Standard output is closed.", "Give it a file or a pipe."))
    with guarded_streams():
        code = _run(given)
        _name_faulty_plugins()
        _name_damaged_databases()
    return code


def _name_faulty_plugins() -> None:
    providers = sys.modules.get("agentview.providers")
    faults: Mapping[str, str] = {} if providers is None else providers.plugin_faults()
    for name, fault in faults.items():
        print(f"agentview: the plug-in {name} {fault}.", file=sys.stderr)


def _name_damaged_databases() -> None:
    contained = sys.modules.get("agentview.providers.contained")
    notes: Sequence[str] = () if contained is None else contained.damage_notes()
    for note in notes:
        from agentview.timeline.view.sanitize import one_line

        print(f"agentview: {one_line(note)}.", file=sys.stderr)


def _run(given: Sequence[str]) -> int:
    try:
        if given == ["--version"]:
            print(f"agentview {agentview.__version__}", flush=True)
            return 0
        from agentview.cli.sigint import held

        # Some of what is raised while modules are imported is dropped by the interpreter.
        with held():
            grammar = import_module("agentview.cli.grammar")
            if "_ARGCOMPLETE" in os.environ:
                import_module("agentview.cli.commands.completion").complete(grammar.build_parser())
            parser = grammar.build_parser(given)
            options = parser.parse_args(given)
            if options.settings:
                import_module("agentview.settings.reading").read_settings(
                    os.environ, options.settings
                )
            if options.theme:
                import_module("agentview.ui.themes").check_theme(options.theme)
            module = import_module(f"agentview.cli.commands.{options.command}")
        gc.set_threshold(_GARBAGE)
        code: int = module.run(options)
        sys.stdout.flush()
    except AgentViewError as error:
        return _report(error)
    except BrokenPipeError:
        _abandon_stdout()
        return 0
    except KeyboardInterrupt:
        _abandon_stdout()
        return INTERRUPTED
    except (OSError, MemoryError, ImportError, RuntimeError, SystemError) as error:
        _RESERVE.clear()
        _abandon_stdout()
        return _report(_refused(error) or _failure(error))
    except Exception as error:
        return _report(_failure(error))
    return code


def _failure(error: Exception) -> AgentViewError:
    """Return the message for an error that is one of agentview. Raises it in development mode."""
    if sys.flags.dev_mode:
        raise error
    return AgentViewError(
        f"Internal error: {reason_of(error)}.", "PYTHONDEVMODE=1 shows where it happened."
    )


def _refused(error: Exception) -> AgentViewError | None:
    """The resource that the system refused: memory, threads, or disk space for standard output."""
    lacking = shortage(error)
    if lacking is None and isinstance(error, OSError):
        return AgentViewError(f"{error.strerror or error}.")
    return lacking


def _answered(given: Sequence[str]) -> bool:
    """Print the states that are kept; False where that fails for whatever reason.

    A prompt waits for them while all else is imported.
    """
    if given[:1] != ["status"] or None in (sys.stdin, sys.stdout, sys.stderr):
        return False
    try:
        answered: bool = import_module("agentview.cli.kept_status").answer(given[1:])
        sys.stdout.flush()
    except (AgentViewError, OSError):
        return False
    except KeyboardInterrupt:
        _abandon_stdout()
        raise SystemExit(INTERRUPTED) from None
    return answered


def _report(error: AgentViewError) -> int:
    lines = [f"agentview: {error.message}"]
    if isinstance(error, Ambiguous):
        lines += [f"  {candidate}" for candidate in error.candidates]
    if error.hint:
        lines.append(error.hint)
    print("\n".join(lines), file=sys.stderr)
    return error.exit_code


def _abandon_stdout() -> None:
    import_module("agentview.cli.closed_streams").abandon(sys.stdout)
