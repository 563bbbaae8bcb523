# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Builds the application from the commands' own files, and turns domain errors into one line and an exit code."""

from __future__ import annotations

import errno
import os
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from importlib import import_module
from typing import Any, cast

import typer
import typer.core

from rtstone.cli import _streams
from rtstone.cli._examples import EXAMPLES
from rtstone.cli._output import printable
from rtstone.errors import RtstoneError, UsageError

GROUPS = {
    "Measure": {
        "run": "Measure, show what came out in one screen, and keep the run.",
        "measure-all": "Measure studies × loads × targets × repetitions, each as a run of its own, with any number of workers.",
        "worker": "Carry out what measure-all put into the archive's queue, one measurement at a time, until Ctrl-C.",
        "watch": "Measure and watch: percentiles, histogram, the largest sample and its stage, loads, interrupts.",
        "attach": "Measure the wake-up latency of threads of your own program, from their waking to their switch in.",
        "list": "List what may be written: studies, measurements, quantities, loads, targets, profiles, timers, windows.",
    },
    "Look": {
        "show": "Show the papers' tables with the columns of kept runs, several runs side by side.",
        "report": "Write a report: one self-contained HTML page, or the charts as images.",
        "serve": "Serve the archive as pages: machines, runs, studies across machines, comparisons, histories.",
        "reference": "Print the papers' published figures, exactly as printed there.",
        "traits": "Compare platforms by what cannot be timed: licence, POSIX options, priorities, protection, tools.",
    },
    "Judge": {
        "compare": "Compare runs: what improved, what regressed, what shows no difference, and what may not be compared.",
        "history": "Show a quantity from run to run: where it stepped up or down, and what changed in the environment there.",
        "check": "Check runs against the bounds and baselines of a file.",
        "fit": "Find which level of this platform meets a deadline: top half, bottom half, user-level ISR or thread.",
        "explain": "Say why a sample of an interrupt response was late.",
        "bound": "Bound the time from a task's waking to its switch in, by what a Linux kernel was seen to do.",
        "tune": "Find which of up to 16 settings changes the latency, and by how much.",
        "tails": "Estimate what is exceeded once in so many samples, with an interval, or say why the data bear no estimate.",
    },
    "Boards": {
        "boards": "List virtual boards and their kernels, what is missing to run them, and the command that gets it.",
        "verify-board": "Show that a virtual board gives the same bytes every time.",
        "engine": "Write the engine into a folder, to be built into a kernel or firmware of your own.",
    },
    "EPICS": {
        "ioc": "Serve this machine's interrupt latencies from an EPICS IOC, and load it if asked.",
        "ioc-load": "Load an IOC on another host: write to its records in bursts, and monitor them, until Ctrl-C.",
    },
    "Archive": {
        "archive": "List and delete the runs that were kept, and look after the archive.",
        "import": "Keep measurements that are in files: those of other tools, and runs of rtstone.",
        "export": "Write runs for other programs.",
    },
    "Machine": {
        "doctor": "Look a machine over: what was found, what it means for a measurement, and the command that mends it.",
        "priorities": "List every real-time thread and interrupt's thread in the order in which they outrank each other.",
        "clocks": "Characterise every clock: resolution, cost of a reading, whether it ever goes back, drift against the others.",
        "clean": "Remove the engines that rtstone keeps on a machine over ssh.",
        "peer": "Be the other host of another machine's network measurements, until Ctrl-C.",
        "stimulus": "Time another host's responses by this one's clock: send it datagrams, and await its answers.",
        "config": "Show each setting, its value, where it comes from and why.",
        "completion": "Print the completion script for a shell.",
        "manual": "Write a manual page for each command.",
    },
}
"""Each command with its summary, in the groups and the order of ``--help``; the module is ``rtstone.cli.<name>`` or as in ``_MODULE``."""

COMMANDS = {name: summary for group in GROUPS.values() for name, summary in group.items()}

COMPLETION = "_RTSTONE_COMPLETE"
"""What the printed scripts set when they ask the command for completions."""

HELP_WIDTH = 78
"""Characters of a line of --help: click's own limit, and the indentation of its last part."""

_NO_VERDICT = 128
"""From here on `git bisect run` stops."""

_UNWRITABLE = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF}

_NO_VALUE = re.compile(r"--[a-z-]+=\s*")

_MODULE = {
    "list": "list_",
    "import": "import_",
    "ioc-load": "ioc_load",
    "measure-all": "measure_all",
    "verify-board": "verify_board",
}


class _Commands(dict[str, Any]):
    """The commands by name. One is imported when it is asked for: that of the others takes longer than most commands do."""

    def __missing__(self, name: str) -> Any:
        if name not in COMMANDS:
            raise KeyError(name)
        app = typer.Typer(add_completion=False, rich_markup_mode=None)
        app.callback()(_options)
        import_module(f"rtstone.cli.{_MODULE.get(name, name)}").register(app)
        made = self[name] = cast("Any", typer.main.get_command(app)).commands[name]
        _end_with_examples(made, name)
        return made

    def get(self, name: str, default: Any = None) -> Any:
        """The command, or the default where there is none of that name."""
        return self[name] if name in COMMANDS else default

    def __iter__(self) -> Iterator[str]:
        return iter(COMMANDS)

    def keys(self) -> Any:
        """All names, loaded or not."""
        return COMMANDS.keys()

    def items(self) -> Any:
        """All commands by name; loads them all."""
        return [(name, self[name]) for name in COMMANDS]


def _end_with_examples(command: Any, words: str) -> None:
    """The end of a command's help, and of those below it."""
    for name, under in getattr(command, "commands", {}).items():
        _end_with_examples(under, f"{words} {name}")
    if words in EXAMPLES:
        width = max(len(one.line) for one in EXAMPLES[words])
        lines = [f"  {one.line:<{width}}  {one.what}" for one in EXAMPLES[words]]
        if max(map(len, lines)) > HELP_WIDTH:
            lines = [line for one in EXAMPLES[words] for line in (f"  # {one.what}", f"  {one.line}")]
        command.epilog = "\n".join(("\b", "Examples:", *lines))


class _Group(typer.core.TyperGroup):
    """Loads a command when it is asked for; lists them all, with their whole first sentence, without loading any."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.commands = _Commands()

    def list_commands(self, ctx: Any) -> list[str]:
        """All names, in the order of the list."""
        return list(COMMANDS)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the list; the types are those of whichever click typer carries."""
        widest = max(map(len, COMMANDS))
        for group, commands in GROUPS.items():
            with formatter.section(group):
                formatter.write_dl([(name.ljust(widest), summary) for name, summary in commands.items()])

    def shell_complete(self, ctx: Any, incomplete: str) -> list[Any]:
        """What a word may become: names of commands, or options of the program itself."""
        from typer._completion_classes import CompletionItem  # type: ignore[attr-defined]

        names = [CompletionItem(name, help=said) for name, said in COMMANDS.items() if name.startswith(incomplete)]
        return [*names, *super(typer.core.TyperGroup, self).shell_complete(ctx, incomplete)]


def build() -> typer.Typer:
    """The application; each command is loaded when it is asked for."""
    app = typer.Typer(
        name="rtstone",
        help="Measure how fast and how surely a kernel responds.",
        no_args_is_help=True,
        add_completion=False,
        cls=_Group,
        rich_markup_mode=None,  # importing rich for its boxes takes longer than all else that --help does
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_options)
    if COMPLETION in os.environ:
        from typer._completion_classes import completion_init

        completion_init()
    return app


def _version(wanted: bool) -> None:
    if wanted:
        from rtstone.version import __version__

        typer.echo(f"rtstone {__version__}")
        raise typer.Exit


def _options(
    version: bool = typer.Option(
        False, "--version", callback=_version, is_eager=True, help="Print the version and exit."
    ),
) -> None:
    """Measure how fast and how surely a kernel responds: this machine, a board on a wire, or a virtual board."""


def _complain(error: Any) -> int:
    """Say what click finds wrong with the words of a command in one line, and return its exit code."""
    if type(error).__name__ == "NoArgsIsHelpError":
        error.show()
    else:
        asked = error.ctx.command_path if getattr(error, "ctx", None) else "rtstone"
        said = " ".join(error.format_message().split()).rstrip(".")
        joint = " " if said.endswith("?") else "; "
        _tell(f"{said}{joint}'{asked} -h' explains")
    return int(error.exit_code)


def _tell(text: str) -> None:
    """One line on standard error whatever the text holds: some of it comes from targets and files. Where nobody can be told, nothing."""
    with suppress(OSError, ValueError):
        sys.stderr.write(f"rtstone: {printable(text)}\n")
        sys.stderr.flush()


def main(arguments: Sequence[str] | None = None) -> None:
    """Entry point. Exit codes: 0 pass, 1 bound exceeded, 2 usage, 3 infrastructure, 4 incomplete, 130 interrupted.

    A command's code is its own whatever becomes of its output. Only a success whose output could not be written, other than since its
    reader has seen enough, is a failure (3).
    """
    _streams.stand_in()
    code = _code(arguments)
    unwritten = _streams.unwritten()
    if unwritten and not code:
        _tell(f"the output cannot be written: {unwritten}")
        code = 3
    words = sys.argv[1:] if arguments is None else arguments
    sys.exit(_bisected(code) if "--bisect" in words else code)


def _bisected(code: int) -> int:
    """The code for `git bisect run`: it takes whatever is below 128 for a verdict on a commit, and only 0, 1 and 125 are one."""
    return code if code in (0, 1, 125) or code >= _NO_VERDICT else _NO_VERDICT


def _empty(words: Sequence[str]) -> str:
    """Of the first empty word the one before it, or itself: a variable that is not set would otherwise mean all there is."""
    for position, word in enumerate(words):
        if not word.strip() or _NO_VALUE.fullmatch(word):
            return word.strip().rstrip("=") or (words[position - 1] if position else "the command's name")
    return ""


def _refused(words: Sequence[str]) -> str:
    """What is wrong with the words before any command looks at them; empty: nothing."""
    empty = _empty(words)
    if empty:
        return (
            f"an empty word after '{empty}': a variable that is not set? Leave the option out for what it means without"
        )
    wrong = next((word for word in words if not _is_text(word)), "")
    return f"'{wrong[:40]}' is no text: its bytes are not UTF-8" if wrong else ""


def _is_text(word: str) -> bool:
    try:
        word.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _undo_left(command: Sequence[str]) -> None:
    """What a killed command has left changed on this machine is set back before any other begins; `tune` does so itself."""
    if COMPLETION in os.environ or not command or command[0].startswith("-") or command[0] == "tune":
        return
    from rtstone.machine.settings import journal_path

    with suppress(OSError):
        if journal_path().stat().st_size:
            from rtstone.cli._quiesce import undo_left

            undo_left()


def _code(arguments: Sequence[str] | None) -> int:
    refused = _refused(sys.argv[1:] if arguments is None else arguments)
    if refused:
        _tell(refused)
        return UsageError.exit_code
    _undo_left((sys.argv[1:] if arguments is None else arguments)[:1])
    try:
        return build()(args=list(arguments) if arguments is not None else None, standalone_mode=False) or 0
    except RtstoneError as error:
        _tell(str(error))
        return error.exit_code
    except KeyboardInterrupt:
        _tell("interrupted")
        return 130
    except Exception as error:
        if hasattr(error, "format_message"):
            return _complain(error)
        if isinstance(error, OSError) and error.filename is None and error.errno in _UNWRITABLE:
            _tell(f"the output cannot be written: {error.strerror}")
            return 3
        if os.environ.get("RTSTONE_TRACEBACK"):
            raise
        _tell(f"unexpected {type(error).__name__}: {error} (RTSTONE_TRACEBACK=1 shows where)")
        return 3
