# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Measures the wake-ups of threads of a program of the user's own."""

from __future__ import annotations

from rtstone.cli import Command, Example

COMMANDS = (
    Command(
        name="attach",
        group="Measure",
        summary="Measure the wake-up latency of threads of your own program: from the waking until the thread runs.",
        module="rtstone.attach.command",
        examples=(
            Example("rtstone attach --comm scan-1 --duration 1min", "threads of this name"),
            Example(
                "rtstone attach --comm myloop --trace-over 300us --deadline 1ms",
                "trails of late cycles, for rtstone explain last",
            ),
            Example("rtstone attach --unit ioc7.service --cost", "the threads of a service, and the cost of watching"),
        ),
    ),
)
"""Commands of this room: an entry point of the group `rtstone.commands`."""
