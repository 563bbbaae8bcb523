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
from functools import cache, partial
from importlib import import_module
from typing import Any, cast

import typer
import typer.core

from rtstone.cli import _renamed, _streams
from rtstone.cli._commands import GROUP, GROUPS, Command, Example
from rtstone.cli._examples import EXAMPLES
from rtstone.errors import QUOTED_MOST, InfrastructureError, RtstoneError, UsageError, quoted
from rtstone.plugins import registered

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


@cache
def _listed(_path: tuple[str, ...]) -> tuple[dict[str, Command], tuple[str, ...]]:
    found: dict[str, Command] = {}
    problems: list[str] = []
    points = registered(GROUP)
    for room in sorted(points, key=lambda name: (name != "cli", name)):
        try:
            some = tuple(points[room].load())
        except Exception as error:  # noqa: BLE001 - a plug-in may raise anything, and other commands must still work
            problems.append(f"the commands of '{room}' cannot be loaded: {error}")
            continue
        if wrong := [one for one in some if not isinstance(one, Command)]:
            problems.append(f"the commands of '{room}' cannot be loaded: no command: {wrong[0]}")
            continue
        for one in some:
            if one.name in found:
                problems.append(f"the command '{one.name}' of '{room}' is left out: another command has this name")
            found.setdefault(one.name, one)
    order = {
        group: place for place, group in enumerate(dict.fromkeys((*GROUPS, *(one.group for one in found.values()))))
    }
    return dict(sorted(found.items(), key=lambda item: order[item[1].group])), tuple(problems)


def commands() -> dict[str, Command]:
    """Every command by name, in the order of ``--help``: by group, this room's first, then other rooms' by their names."""
    return _listed(tuple(sys.path))[0]


def examples(words: str) -> tuple[Example, ...]:
    """The examples of a command, by its words."""
    return EXAMPLES.get(words) or (commands()[words].examples if words in commands() else ())


def groups() -> dict[str, list[Command]]:
    """The commands of each group."""
    found: dict[str, list[Command]] = {}
    for one in commands().values():
        found.setdefault(one.group, []).append(one)
    return found


def _tell_problems() -> None:
    """Prints a line for each plug-in whose commands are missing."""
    for line in _listed(tuple(sys.path))[1]:
        _tell(line)


class _Commands(dict[str, Any]):
    """The commands by name. A command is imported when it is used:
    importing the others takes longer than most commands run."""

    def __missing__(self, name: str) -> Any:
        if name not in commands():
            raise KeyError(name)
        app = typer.Typer(add_completion=False, rich_markup_mode=None)
        app.callback()(_options)
        try:
            import_module(commands()[name].module).register(app)
        except (ImportError, AttributeError) as error:
            raise InfrastructureError(f"the command '{name}' cannot be loaded: {error}") from error
        (made,) = cast("Any", typer.main.get_command(app)).commands.values()
        self[name] = made
        made.name = name
        _end_with_examples(made, name)
        _list_under(made, name)
        return made

    def get(self, name: str, default: Any = None) -> Any:
        """The command, or the default if there is no command of that name."""
        return self[name] if name in commands() else default

    def __iter__(self) -> Iterator[str]:
        return iter(commands())

    def keys(self) -> Any:
        """All names, loaded or not."""
        return commands().keys()

    def items(self) -> Any:
        """All commands by name; loads them all."""
        return [(name, self[name]) for name in commands()]


def _end_with_examples(command: Any, words: str) -> None:
    """Adds the examples to the end of a command's help, and of its subcommands'."""
    for name, under in getattr(command, "commands", {}).items():
        _end_with_examples(under, f"{words} {name}")
    if some := examples(words):
        width = max(len(one.line) for one in some)
        lines = [f"  {one.line:<{width}}  {one.what}" for one in some]
        if max(map(len, lines)) > HELP_WIDTH:
            lines = [line for one in some for line in (f"  # {one.what}", f"  {one.line}")]
        command.epilog = "\n".join(("\b", "Examples:", *lines))


def _list_under(command: Any, name: str) -> None:
    """Lists the subcommands above the examples of a command's help, and puts its options into their groups."""
    under = {
        word if " --" in word else word.removeprefix(f"{name} "): one.summary
        for word, one in commands().items()
        if word.startswith(f"{name} ")
    }
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
        return list(commands())

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command of the first two words, else of the first."""
        pair = " ".join(args[:2])
        if pair in commands() and len(args) > 1:
            return pair, self.commands[pair], args[2:]
        if args[:1] and args[0] not in commands():
            _tell_problems()
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the list. The types are those of the click that typer includes."""
        widest = max(len(name) for name in commands() if " " not in name)
        for group, some in groups().items():
            with formatter.section(group):
                formatter.write_dl([(one.name.ljust(widest), one.summary) for one in some if " " not in one.name])
        _tell_problems()

    def shell_complete(self, ctx: Any, incomplete: str) -> list[Any]:
        """Completions of a word: names of commands, or options of the program itself."""
        from typer._completion_classes import CompletionItem  # type: ignore[attr-defined]

        names = [
            CompletionItem(name, help=one.summary)
            for name, one in commands().items()
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
    """Restores settings of this machine that a killed command left changed, before another command begins, unless it does
    so itself."""
    if COMPLETION in os.environ or not command or command[0].startswith("-"):
        return
    from rtstone.machine.settings import journal_path

    with suppress(OSError):
        if journal_path().stat().st_size and not (command[0] in commands() and commands()[command[0]].restores):
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
