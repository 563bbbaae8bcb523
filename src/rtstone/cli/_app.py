# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Builds the application from the commands' own files, and turns domain errors into one line and an exit code."""

from __future__ import annotations

import errno
import os
import re
import sys
import textwrap
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import partial
from importlib import import_module
from typing import Any, cast

import typer
import typer.core

from rtstone.cli import _renamed, _streams
from rtstone.cli._examples import EXAMPLES
from rtstone.errors import QUOTED_MOST, RtstoneError, UsageError, quoted

GROUPS = {
    "Measure": {
        "run": "Measure, show the results in one screen, and save the run.",
        "measure-all": "Measure every combination of studies, loads, targets and repetitions, with any number of workers.",
        "measure-all worker": "Measure the queue of measure-all, one measurement at a time, until Ctrl-C.",
        "watch": "Measure, and show live percentiles, a histogram, loads, interrupts, and the largest sample with its stages.",
        "attach": "Measure the wake-up latency of threads of your own program: from the waking until the thread runs.",
        "list": "List the names that commands take: studies, measurements, quantities, loads, targets, profiles, timers, windows.",
    },
    "Look": {
        "show": "Show saved runs: the summary screen that `run` printed, or tables in the form of the published papers.",
        "report": "Write a report: one self-contained HTML page, or the charts as images.",
        "serve": "Serve the archive as pages: machines, runs, studies across machines, comparisons, histories.",
        "reference": "Print the results of the papers that the studies follow, exactly as published.",
        "traits": "Compare properties of platforms that no clock can measure: licence, POSIX options, priorities, protection, tools.",
    },
    "Judge": {
        "compare": "Compare runs: improved, regressed, no difference shown, or not comparable.",
        "history": "Show a quantity from run to run: its steps up or down, and the facts (machine, kernel, settings) that changed there.",
        "check": "Check runs against the bounds and baselines of a file.",
        "fit": "Find which level of this platform meets a deadline: top half, bottom half, user-level ISR or thread.",
        "explain": "Find out why a sample of an interrupt response, or a cycle of your own thread, was late.",
        "bound": "Compute an upper bound of a Linux kernel's scheduling latency, from the waking of a task to the switch to it.",
        "tune": "Find which of up to 16 settings changes the latency, and by how much.",
        "fit --tail": "Estimate the latency exceeded once in N samples, with an interval, or report why the data allow no estimate.",
    },
    "Boards and IOC": {
        "boards": "List virtual boards and their kernels, the packages that are missing, and the command that installs them.",
        "boards accept": "Test whether a kernel and its port do what the engine needs, before you measure them.",
        "boards verify": "Show that a virtual board gives the same bytes every time.",
        "boards export": "Write the engine's sources into a folder, to build the engine into your own kernel or firmware.",
        "ioc": "Serve this machine's interrupt latencies from an EPICS IOC, and load it if asked.",
        "ioc load": "Load an IOC on another host: write to its records in bursts, and monitor them, until Ctrl-C.",
    },
    "Archive": {
        "archive": "List and delete saved runs, and maintain the archive.",
        "import": "Save measurements from files: results of other tools, and exported runs.",
        "export": "Write runs for other programs.",
    },
    "Machine": {
        "doctor": "Check a machine: the settings that disturb a measurement, and the command that fixes each.",
        "doctor priorities": "List every real-time thread and every interrupt thread by precedence, the highest first.",
        "doctor clocks": "Characterise every clock: resolution, cost of a reading, whether it ever goes back, drift against the others.",
        "doctor --clean": "Remove the engines (measuring programs) that rtstone copied to a machine over ssh.",
        "peer": "Serve as the remote host for network measurements of another machine, until Ctrl-C.",
        "stimulus": "Measure response times of another host by this host's clock: send datagrams and wait for the answers.",
        "config": "Show each setting, its value, where it comes from and why.",
        "config completion": "Print the completion script for a shell.",
        "config manual": "Write a manual page for each command.",
    },
}
"""Each command with its summary, in the groups and the order of ``--help``. A command of two words is listed by the help of its first.
The module is ``rtstone.cli.<name>`` or as in ``_MODULE``."""

COMMANDS = {name: summary for group in GROUPS.values() for name, summary in group.items()}

COMPLETION = "_RTSTONE_COMPLETE"
"""Variable that the printed scripts set when they request completions from the command."""

HELP_WIDTH = 78
"""Characters of a line of --help: click's own limit, and the indentation of its last part."""

_NO_VERDICT = 128
"""From this exit code on `git bisect run` stops."""

_PATH_MOST = 4096
"""Most bytes of a path: an error quotes a word completely if it can be a path."""

_UNWRITABLE = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF}

_NO_VALUE = re.compile(r"--[a-z-]+=\s*")

_MODULE = {
    "list": "list_",
    "import": "import_",
    "boards accept": "accept",
    "measure-all": "measure_all",
    **{new: old.replace("-", "_") for old, new in _renamed.COMMANDS.items()},
}


class _Commands(dict[str, Any]):
    """The commands by name. A command is imported when it is used:
    importing the others takes longer than most commands run."""

    def __missing__(self, name: str) -> Any:
        if name not in COMMANDS:
            raise KeyError(name)
        app = typer.Typer(add_completion=False, rich_markup_mode=None)
        app.callback()(_options)
        import_module(f"rtstone.cli.{_MODULE.get(name, name)}").register(app)
        (made,) = cast("Any", typer.main.get_command(app)).commands.values()
        self[name] = made
        made.name = name
        _end_with_examples(made, name)
        _list_under(made, name)
        return made

    def get(self, name: str, default: Any = None) -> Any:
        """The command, or the default if there is no command of that name."""
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
    """Adds the examples to the end of a command's help, and of its subcommands'."""
    for name, under in getattr(command, "commands", {}).items():
        _end_with_examples(under, f"{words} {name}")
    if words in EXAMPLES:
        width = max(len(one.line) for one in EXAMPLES[words])
        lines = [f"  {one.line:<{width}}  {one.what}" for one in EXAMPLES[words]]
        if max(map(len, lines)) > HELP_WIDTH:
            lines = [line for one in EXAMPLES[words] for line in (f"  # {one.what}", f"  {one.line}")]
        command.epilog = "\n".join(("\b", "Examples:", *lines))


def _list_under(command: Any, name: str) -> None:
    """Lists the subcommands above the examples of a command's help, and puts its options into their groups."""
    under = {word.removeprefix(f"{name} "): text for word, text in COMMANDS.items() if word.startswith(f"{name} ")}
    if under:
        widest = max(map(len, under))
        lines: list[str] = []
        for word, text in under.items():
            indent = " " * (widest + 4)
            lines += textwrap.wrap(text, HELP_WIDTH, initial_indent=f"  {word:<{widest}}  ", subsequent_indent=indent)
        examples = f"\n\n{command.epilog}" if command.epilog else ""
        command.epilog = "\n".join(("\b", "Commands:", *lines)) + examples
    if any(getattr(one, "rich_help_panel", None) for one in command.params):
        command.format_options = partial(_format_options, command)


def _format_options(command: Any, ctx: Any, formatter: Any) -> None:
    """Write arguments, then the options by their groups; the last group has the options without a group."""
    groups: dict[str, list[tuple[str, str]]] = {}
    for one in command.get_params(ctx):
        record = one.get_help_record(ctx)
        if record is not None:
            kind = "Arguments" if one.param_type_name == "argument" else getattr(one, "rich_help_panel", None) or ""
            groups.setdefault(kind, []).append(record)
    for title in sorted(groups, key=lambda title: not title):
        with formatter.section(title or "Other options"):
            formatter.write_dl(groups[title])


class _Group(typer.core.TyperGroup):
    """Loads a command when it is used. Lists all commands, with their whole first sentence, without loading any."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.commands = _Commands()

    def list_commands(self, ctx: Any) -> list[str]:
        """All names, in the order of the list."""
        return list(COMMANDS)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command of the first two words, else of the first."""
        pair = " ".join(args[:2])
        if pair in COMMANDS and len(args) > 1:
            return pair, self.commands[pair], args[2:]
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the list. The types are those of the click that typer includes."""
        widest = max(len(name) for name in COMMANDS if " " not in name)
        for group, commands in GROUPS.items():
            with formatter.section(group):
                first = [(name.ljust(widest), summary) for name, summary in commands.items() if " " not in name]
                formatter.write_dl(first)

    def shell_complete(self, ctx: Any, incomplete: str) -> list[Any]:
        """Completions of a word: names of commands, or options of the program itself."""
        from typer._completion_classes import CompletionItem  # type: ignore[attr-defined]

        names = [
            CompletionItem(name, help=text)
            for name, text in COMMANDS.items()
            if " " not in name and name.startswith(incomplete)
        ]
        return [*names, *super(typer.core.TyperGroup, self).shell_complete(ctx, incomplete)]


def build() -> typer.Typer:
    """The application; each command is loaded when it is asked for."""
    app = typer.Typer(
        name="rtstone",
        help="Measure how fast and how reliably a kernel responds.",
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
    """Measure how fast and how reliably a kernel responds: this machine, a board on a wire, or a virtual board."""


def _shortened(text: str, words: Sequence[str], longest: int) -> str:
    """An error's text. Words of the command, or values after `=`,
    are cut where they are longer than `longest` characters."""
    for word in words:
        for part in (word, word.partition("=")[2]):
            if len(part) > longest:
                text = text.replace(part, quoted(part))
    return text


def _complain(error: Any, words: Sequence[str]) -> int:
    """Print click's complaint about the words of a command in one line, and return its exit code."""
    if type(error).__name__ == "NoArgsIsHelpError":
        error.show()
    else:
        asked = error.ctx.command_path if getattr(error, "ctx", None) else "rtstone"
        said = " ".join(_shortened(error.format_message(), words, QUOTED_MOST).split()).rstrip(".")
        joint = " " if said.endswith("?") else "; "
        _tell(f"{said}{joint}'{asked} -h' explains")
    return int(error.exit_code)


def _tell(text: str) -> None:
    """Prints one line on standard error, even if the text is unprintable: parts of it come from targets and files.
    If standard error is closed, prints nothing."""
    from rtstone.model.text import printable

    with suppress(OSError, ValueError):
        sys.stderr.write(f"rtstone: {printable(text)}\n")
        sys.stderr.flush()


def main(arguments: Sequence[str] | None = None) -> None:
    """Entry point. Exit codes: 0 pass, 1 bound exceeded, 2 usage, 3 infrastructure, 4 incomplete, 130 interrupted.

    Failed output does not change a command's own exit code. Only a success turns into a failure (3)
    if its output could not be written. A reader that closed the pipe early is not a failure.
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
    """The code for `git bisect run`, which takes every code below 128 for a verdict on a commit.
    Only 0, 1 and 125 are verdicts."""
    return code if code in (0, 1, 125) or code >= _NO_VERDICT else _NO_VERDICT


def _empty(words: Sequence[str]) -> str:
    """The word before the first empty word, or the option itself.
    An unset variable would otherwise select everything."""
    for position, word in enumerate(words):
        if not word.strip() or _NO_VALUE.fullmatch(word):
            return word.strip().rstrip("=") or (words[position - 1] if position else "the command's name")
    return ""


def _refused(words: Sequence[str]) -> str:
    """The fault of the words, checked before any command reads them; empty: no fault."""
    empty = _empty(words)
    if empty:
        return f"an empty word after '{empty}': a variable that is not set? Without the option its default applies"
    wrong = next((word for word in words if not _is_text(word)), "")
    return f"'{wrong[:40]}' is no text: its bytes are not UTF-8" if wrong else ""


def _is_text(word: str) -> bool:
    try:
        word.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _undo_left(command: Sequence[str]) -> None:
    """Restores settings of this machine that a killed command left changed, before another command begins;
    `tune` does so itself."""
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
    words, renamed = _renamed.of_today(sys.argv[1:] if arguments is None else arguments)
    for line in renamed:
        _tell(line)
    _undo_left(words[:1])
    try:
        return build()(args=words, standalone_mode=False) or 0
    except RtstoneError as error:
        _tell(_shortened(str(error), words, _PATH_MOST))
        return error.exit_code
    except KeyboardInterrupt:
        _tell("interrupted")
        return 130
    except Exception as error:
        if hasattr(error, "format_message"):
            return _complain(error, words)
        if isinstance(error, OSError) and error.filename is None and error.errno in _UNWRITABLE:
            _tell(f"the output cannot be written: {error.strerror}")
            return 3
        if os.environ.get("RTSTONE_TRACEBACK"):
            raise
        _tell(f"unexpected {type(error).__name__}: {error} (RTSTONE_TRACEBACK=1 shows where)")
        return 3
