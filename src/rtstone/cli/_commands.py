# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""A command as data, and the commands of this room. A command's module is imported when the command is used."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import NamedTuple

GROUP = "rtstone.commands"
"""Each entry point names a tuple of commands. Importing its module must be fast: `rtstone --help` does so."""

GROUPS = ("Measure", "Look", "Judge", "Boards and IOC", "Archive", "Machine")
"""The groups of ``--help`` in their order. Groups of plug-ins come after them."""


class Example(NamedTuple):
    """A command as a user types it, and its effect."""

    line: str
    what: str


class Command(NamedTuple):
    """A command. One of two words is listed by the help of its first."""

    name: str
    group: str
    """Its group in ``--help``, one of `GROUPS` or another."""
    summary: str
    """One sentence."""
    module: str
    """The module that has `register(app)`, which adds the command to a typer application."""
    examples: tuple[Example, ...] = ()
    """Two or three, for the end of its help."""
    restores: bool = False
    """Whether it restores settings itself that a killed command left changed."""


def names_of(module: str) -> Callable[[str], object]:
    """The `__getattr__` of a room that gives the names of one of its modules, and imports that module at the first use.
    `rtstone --help` imports each room that registers commands."""

    def name_of(name: str) -> object:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(import_module(module), name)

    return name_of


COMMANDS = (
    Command(
        name="run",
        group="Measure",
        summary="Measure, show the results in one screen, and save the run.",
        module="rtstone.cli.run",
    ),
    Command(
        name="watch",
        group="Measure",
        summary="Measure, and show live percentiles, a histogram, loads, interrupts, and where the time of the largest sample went.",
        module="rtstone.cli.watch",
    ),
    Command(
        name="list",
        group="Measure",
        summary="List the names that commands take: studies, measurements, quantities, loads, targets, "
        "profiles, timers, clocks, memory windows.",
        module="rtstone.cli.list_",
    ),
    Command(
        name="show",
        group="Look",
        summary="Show saved runs: the summary screen that `run` printed, or tables in the form of the published papers.",
        module="rtstone.cli.show",
    ),
    Command(
        name="report",
        group="Look",
        summary="Write a report: one self-contained HTML page, or the charts as images.",
        module="rtstone.cli.report",
    ),
    Command(
        name="reference",
        group="Look",
        summary="Print the results of the papers that the studies follow, exactly as published.",
        module="rtstone.cli.reference",
    ),
    Command(
        name="traits",
        group="Look",
        summary="Compare properties of platforms that no clock can measure: licence, POSIX options, priorities, protection, tools.",
        module="rtstone.cli.traits",
    ),
    Command(
        name="compare",
        group="Judge",
        summary="Compare runs: improved, regressed, no difference shown, or not comparable.",
        module="rtstone.cli.compare",
    ),
    Command(
        name="history",
        group="Judge",
        summary="Show a quantity from run to run: its steps up or down, and the facts (machine, kernel, settings) that changed there.",
        module="rtstone.cli.history",
    ),
    Command(
        name="check",
        group="Judge",
        summary="Check runs against the bounds and baselines of a file.",
        module="rtstone.cli.check",
    ),
    Command(
        name="fit",
        group="Judge",
        summary="Find which level of interrupt handling meets a deadline: top half, bottom half, user-level ISR or thread.",
        module="rtstone.cli.fit",
    ),
    Command(
        name="fit --tail",
        group="Judge",
        summary="Estimate the latency exceeded once in N samples, with a confidence interval, or report why the data allow no estimate.",
        module="rtstone.cli.tails",
    ),
    Command(
        name="boards",
        group="Boards and IOC",
        summary="List virtual boards and their kernels, the packages that are missing, and the command that installs them.",
        module="rtstone.cli.boards",
    ),
    Command(
        name="boards accept",
        group="Boards and IOC",
        summary="Test whether a kernel and its port (the engine's code for this kernel) do what measurements need.",
        module="rtstone.cli.accept",
    ),
    Command(
        name="boards verify",
        group="Boards and IOC",
        summary="Show that a virtual board's runs are the same to the byte.",
        module="rtstone.cli.verify_board",
    ),
    Command(
        name="boards export",
        group="Boards and IOC",
        summary="Write the engine's sources into a folder, to build the engine into your own kernel or firmware.",
        module="rtstone.cli.engine",
    ),
    Command(
        name="archive",
        group="Archive",
        summary="List and delete saved runs, and maintain the archive.",
        module="rtstone.cli.archive",
    ),
    Command(
        name="import",
        group="Archive",
        summary="Save measurements from files: results of other tools, and exported runs.",
        module="rtstone.cli.import_",
    ),
    Command(
        name="export",
        group="Archive",
        summary="Write runs for other programs.",
        module="rtstone.cli.export",
    ),
    Command(
        name="doctor",
        group="Machine",
        summary="Check a machine: the settings that disturb a measurement, and the command that fixes each.",
        module="rtstone.cli.doctor",
    ),
    Command(
        name="doctor priorities",
        group="Machine",
        summary="List every real-time thread and every interrupt thread by precedence, the highest first.",
        module="rtstone.cli.priorities",
    ),
    Command(
        name="doctor clocks",
        group="Machine",
        summary="Characterise every clock: resolution, cost of a reading, whether it ever goes back, drift against the others.",
        module="rtstone.cli.clocks",
    ),
    Command(
        name="doctor --clean",
        group="Machine",
        summary="Remove the engines (measuring programs) that rtstone copied to a machine over ssh.",
        module="rtstone.cli.clean",
    ),
    Command(
        name="peer",
        group="Machine",
        summary="Serve as the remote host for network measurements of another machine, until Ctrl-C.",
        module="rtstone.cli.peer",
    ),
    Command(
        name="stimulus",
        group="Machine",
        summary="Measure response times of another host by this host's clock: send datagrams and wait for the answers.",
        module="rtstone.cli.stimulus",
    ),
    Command(
        name="config",
        group="Machine",
        summary="Show each setting, its value, and the file, variable or default that set it.",
        module="rtstone.cli.config",
    ),
    Command(
        name="config completion",
        group="Machine",
        summary="Print the completion script for a shell.",
        module="rtstone.cli.completion",
    ),
    Command(
        name="config manual",
        group="Machine",
        summary="Write a manual page for each command.",
        module="rtstone.cli.manual",
    ),
)
"""Commands of this room, in the order of ``--help``. `_examples.py` has the examples of those that have none here."""
