# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""`rtstone boards`: the virtual boards, their kernels, and the commands that install missing requirements."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rtstone.cli._options import AsJson
from rtstone.errors import this_program

if TYPE_CHECKING:
    from rtstone.cli._boards import BoardEntry, Document, KernelEntry


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("boards")(boards)


def boards(
    patterns: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="BOARD...",
            help="Required with --build and --refresh: BOARD, BOARD/KERNEL, a pattern of these, or emulator.",
        ),
    ] = None,
    build: Annotated[bool, typer.Option("--build", help="Fetch and build now instead of in the first run.")] = False,
    refresh: Annotated[
        bool, typer.Option("--refresh", help="Fetch the newest version of packaged kernels, then build.")
    ] = False,
    folder: Annotated[
        Path | None,
        typer.Option("--boards", help="A folder of boards of your own (docs/how-to/bring-your-own.md).", metavar="DIR"),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List virtual boards and their kernels, the packages that are missing, and the command that installs them.

    --build and --refresh make the named kernels ready to run, so that a run needs no network. BOARD/KERNEL is always built. For BOARD
    or a pattern, --build builds all kernels; --refresh leaves out kernels that take long to build and were never built. A refresh
    may change a board's identity (its emulator, its image). Earlier and later runs may then not be comparable. A refresh that fails
    changes nothing.

    `--build emulator` builds the emulator from Debian's source with a fix from rtstone. Deterministic boards give the same bytes in
    every run. With Debian's build, there is an exception: a guest whose CPU sleeps when idle (HLT, WFI), such as Linux, on a very busy
    host. After the build, deterministic boards use this emulator, except arm64-bound, arm64-gicv3, vexpress-a9 and zynq-a9. This
    changes their identity.

    Exit codes: 0 done; 2 usage; 3 something is missing or cannot be reached; 130 interrupted.
    """
    from rtstone.cli import _own_kernel
    from rtstone.cli._boards import document
    from rtstone.cli._output import print_json, print_table
    from rtstone.errors import UsageError

    _own_kernel.boards(folder)
    if build or refresh:
        if not patterns or as_json:
            raise UsageError("--build and --refresh need the names of boards or kernels, and have no --json")
        _make_ready(patterns, refresh=refresh, on_demand=build)
        return
    if patterns:
        raise UsageError(f"{', '.join(patterns)}: add --build or --refresh")
    found = document()
    if as_json:
        print_json(found)
        return
    if sys.stdout.isatty():
        _show(found)
        return
    rows = [
        (kernel.target, kernel.title, f"{board.title}; {_rate(board)}", _state(kernel))
        for board in found.boards
        for kernel in board.kernels
    ]
    print_table(("target", "kernel", "board", "state"), rows)
    typer.echo(f"\nemulator: {_emulator(found)}")
    if found.install:
        typer.echo(f"to run all of them: {found.install}")


def _show(found: Document) -> None:
    """For a terminal: a table for each board, states as single words, then the commands that change them."""
    from rtstone.cli._output import print_table

    for board in found.boards:
        typer.echo(f"{board.title}; {_rate(board)}")
        rows = [(kernel.target, kernel.title, _word(kernel)) for kernel in board.kernels]
        print_table(("target", "kernel", "state"), rows)
    typer.echo(f"emulator: {_emulator(found)}")
    kernels = [kernel for board in found.boards for kernel in board.kernels]
    if any(_word(kernel) == "first run" for kernel in kernels):
        typer.echo("first run: fetched or built by the first run that needs it")
    if found.install:
        typer.echo(f"missing: {found.install}")
    for kernel in (one for one in kernels if one.needs):
        typer.echo(f"missing for {kernel.target}: {kernel.needs}")
    slow = [kernel for kernel in kernels if kernel.on_demand and not kernel.cached]
    if slow:
        names = " ".join(kernel.target.removeprefix("board:") for kernel in slow)
        minutes = max(kernel.build_minutes for kernel in slow)
        typer.echo(f"not built: {this_program()} boards --build {names} (about {minutes} min on one CPU)")


def _emulator(found: Document) -> str:
    """The emulator in which boards that count instructions run."""
    mended = found.mended_emulator
    if mended.version:
        return f"built here from Debian's {mended.version}, with the fix; boards that count instructions use it"
    commands = ", then ".join(mended.commands)
    return (
        "Debian's own. A busy host may change the figures of guests that halt. To build the fixed emulator: "
        f"{commands} (about {mended.build_minutes} min on one CPU)"
    )


def _word(kernel: KernelEntry) -> str:
    if kernel.missing or kernel.needs:
        return "missing"
    if kernel.cached:
        return "ready"
    return "not built" if kernel.on_demand else "first run"


def _make_ready(patterns: list[str], *, refresh: bool, on_demand: bool) -> None:
    """Prints a line for each kernel when it is ready; a package that several kernels share is refreshed once."""
    from rtstone.cli._boards import missing
    from rtstone.cli._output import say
    from rtstone.cli._progress import Steps
    from rtstone.errors import InfrastructureError
    from rtstone.targets import matching, not_installed
    from rtstone.targets.boards import emulator, firmware, guest, load

    if emulator.NAME in patterns:
        _make_emulator(refresh=refresh)
        patterns = [pattern for pattern in patterns if pattern != emulator.NAME]
    pairs = dict.fromkeys(pair for pattern in patterns for pair in matching(pattern, on_demand=on_demand))
    kernels = [
        (board, board.kernel_of(pair.partition("/")[2])) for pair in pairs for board in [load(pair.partition("/")[0])]
    ]
    packages = sorted({package for board, kernel in kernels for package in missing(board, kernel)})
    for line in not_installed(patterns):
        say(line)
    if packages:
        raise InfrastructureError(f"packages are missing on this machine: apt-get install {' '.join(packages)}")
    refreshed: set[tuple[str, str]] = set()
    for board, kernel in kernels:
        target = f"board:{board.id}/{kernel.id}"
        if kernel.image:
            continue
        if kernel.kind == "firmware":
            firmware.build(board.id, kernel.id)
            typer.echo(f"{target}: ready")
            continue
        built = []
        for one in filter(None, (kernel, kernel.peer)):
            package = (one.package, one.architecture)
            with Steps(target, minutes=one.source.minutes if one.source is not None else 0) as steps:
                if refresh and package not in refreshed:
                    guest.require(one, built=False)
                    guest.refresh(one, steps)
                    refreshed.add(package)
                built.append(guest.build(one, steps))
        typer.echo(f"{target}: ready, {' and '.join(built)}")


def _make_emulator(*, refresh: bool) -> None:
    from rtstone.cli._progress import Steps
    from rtstone.targets.boards import emulator

    with Steps(emulator.NAME, minutes=emulator.recipe().minutes) as steps:
        made = emulator.build(steps, newest=refresh)
    typer.echo(f"{emulator.NAME}: ready, {emulator.recipe().package} {made.version}, with the fix")


def _rate(board: BoardEntry) -> str:
    """The unit of the board's figures."""
    from rtstone.model.units import instruction_rate

    if not board.instructions_per_second:
        return "emulated in real time, not deterministic: no speed of hardware"
    unit = f"instruction-time, {instruction_rate(board.instructions_per_second)}"
    return unit if board.deterministic else f"{unit}, not deterministic: clients on the host"


def _state(kernel: KernelEntry) -> str:
    if kernel.needs:
        return f"missing: {', then '.join([*kernel.commands, kernel.needs])}"
    if kernel.commands:
        takes = f" (about {kernel.build_minutes} min on one CPU)" if kernel.on_demand and not kernel.cached else ""
        return f"{'missing' if kernel.missing else 'not built'}: {', then '.join(kernel.commands)}{takes}"
    if kernel.cached:
        return "ready"
    return "built by the first run" if kernel.kind == "firmware" else "fetched by the first run"
