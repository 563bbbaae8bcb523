# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Why a sample was late: from a second run of a board's session, or from the event trail that a live run recorded.

Importing this is fast: `rtstone --help` does so for the commands. The names are imported when one is first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rtstone.cli import Command, Example, names_of

if TYPE_CHECKING:
    from rtstone.explain._names import *  # noqa: F403
else:
    __getattr__ = names_of("rtstone.explain._names")


COMMANDS = (
    Command(
        name="explain",
        group="Judge",
        summary="Find out why a sample of an interrupt response, or a cycle of your own thread, was late.",
        module="rtstone.explain.command",
        examples=(
            Example("rtstone explain last", "the slowest sample of the last run, and its cause"),
            Example("rtstone explain last --load none --sample p99.9", "another sample"),
            Example("rtstone explain last --format html -o late.html", "a page with a timeline and a flame chart"),
        ),
    ),
    Command(
        name="bound",
        group="Judge",
        summary="Compute an upper bound of a Linux kernel's scheduling latency, from the waking of a task to the switch to it.",
        module="rtstone.explain.bound_command",
        examples=(
            Example("rtstone bound last", "how late the switch to a task can be, and why"),
            Example(
                "rtstone bound last --format html -o bound.html",
                "the bound as a page",
            ),
            Example("rtstone bound last --json", "terms, places and interrupts, for a program"),
        ),
    ),
)
"""Commands of this room: an entry point of the group `rtstone.commands`."""
