# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Finds which of a machine's settings changes a latency: an experiment with two levels of each."""

from __future__ import annotations

from rtstone.cli import Command, Example

COMMANDS = (
    Command(
        name="tune",
        group="Judge",
        summary="Find which of up to 16 settings changes the latency, and by how much.",
        module="rtstone.tune.command",
        examples=(
            Example("rtstone tune settings.toml -o keep.conf", "the settings of a file, on this machine"),
            Example("rtstone tune --resume last", "the rest of an interrupted experiment"),
            Example("rtstone tune --restore", "after a killed experiment"),
        ),
        restores=True,
    ),
)
"""Commands of this room: an entry point of the group `rtstone.commands`."""
