# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Builds the application from the commands' own files, and turns domain errors into one line and an exit code."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from io import TextIOWrapper
from typing import Any

import typer
import typer.core

from rtstone.cli._output import printable
from rtstone.errors import RtstoneError

COMMANDS = (
    "run",
    "watch",
    "list",
    "show",
    "compare",
    "check",
    "fit",
    "tails",
    "report",
    "ioc",
    "boards",
    "verify-board",
    "reference",
    "archive",
    "import",
    "export",
    "config",
    "doctor",
    "clocks",
    "peer",
    "traits",
    "completion",
    "manual",
)
"""One line a command, in the order of ``--help``; the module is ``rtstone.cli.<name>`` (``list`` and its like end in ``_``)."""

_UNWRITABLE = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF}

_MODULE = {"list": "list_", "import": "import_", "verify-board": "verify_board"}


class _Group(typer.core.TyperGroup):
    """Lists the commands with their whole first sentence, wrapped, not cut to one line."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the list; the types are those of whichever click typer carries."""
        commands = ((name, self.get_command(ctx, name)) for name in self.list_commands(ctx))
        rows = [(name, command.get_short_help_str(limit=500)) for name, command in commands if command is not None]
        with formatter.section("Commands"):
            formatter.write_dl(rows)


def build() -> typer.Typer:
    """The application with every command registered."""
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
    for name in COMMANDS:
        import_module(f"rtstone.cli.{_MODULE.get(name, name)}").register(app)
    return app


def _version(wanted: bool) -> None:
    if wanted:
        from rtstone import __version__

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


def _stand_in_for_closed_streams() -> None:
    """A standard stream that was closed (``2>&-``) leads nowhere: no file that is opened later may take its number."""
    while (number := os.open(os.devnull, os.O_RDWR)) <= 2:
        os.set_inheritable(number, True)
    os.close(number)
    for name, number, mode in (("stdin", 0, "r"), ("stdout", 1, "w"), ("stderr", 2, "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(number, mode, encoding="utf-8", closefd=False))


def _let_go_of_output() -> None:
    """What could not be written is not tried once more when Python ends."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def main(arguments: Sequence[str] | None = None) -> None:
    """Entry point. Exit codes: 0 pass, 1 bound exceeded, 2 usage, 3 infrastructure, 4 incomplete, 130 interrupted."""
    _stand_in_for_closed_streams()
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a locale without a character is no reason to end
    try:
        code = build()(args=list(arguments) if arguments is not None else None, standalone_mode=False)
        sys.stdout.flush()
        sys.exit(code or 0)
    except RtstoneError as error:
        _tell(str(error))
        sys.exit(error.exit_code)
    except KeyboardInterrupt:
        _tell("interrupted")
        sys.exit(130)
    except BrokenPipeError:
        # The reader of a pipe (head, less) has seen enough; that is no error of ours.
        _let_go_of_output()
        sys.exit(0)
    except Exception as error:
        if hasattr(error, "format_message"):
            sys.exit(_complain(error))
        if isinstance(error, OSError) and error.filename is None and error.errno in _UNWRITABLE:
            _let_go_of_output()
            _tell(f"the output cannot be written: {error.strerror}")
            sys.exit(3)
        if os.environ.get("RTSTONE_TRACEBACK"):
            raise
        _tell(f"unexpected {type(error).__name__}: {error} (RTSTONE_TRACEBACK=1 shows where)")
        sys.exit(3)
