# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Measures many machines from a queue, by any number of workers; and the places that labgrid shares."""

from __future__ import annotations

from rtstone.cli import Command, Example

COMMANDS = (
    Command(
        name="measure-all",
        group="Measure",
        summary="Measure every combination of studies, loads, targets and repetitions, with any number of workers.",
        module="rtstone.lab.command",
        examples=(
            Example(
                "rtstone measure-all lab.toml --workers 4", "everything in the file, by four workers of this machine"
            ),
            Example("rtstone measure-all lab.toml --workers 0", "by workers on other machines"),
            Example("rtstone measure-all lab.toml --again", "once more"),
        ),
    ),
    Command(
        name="measure-all worker",
        group="Measure",
        summary="Carry out the queued measurements of measure-all, one at a time, until Ctrl-C.",
        module="rtstone.lab.worker_command",
        examples=(
            Example("rtstone measure-all worker", "the queue of the usual archive"),
            Example(
                "rtstone measure-all worker --archive postgresql://bench@db.example/lab",
                "the queue of an archive on a server",
            ),
        ),
    ),
)
"""Commands of this room: an entry point of the group `rtstone.commands`."""
