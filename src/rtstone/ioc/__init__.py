# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The EPICS IOC: built, started, loaded, ended.

Importing this is fast: `rtstone --help` does so for the commands. The names are imported when one is first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rtstone.cli import Command, Example, names_of

if TYPE_CHECKING:
    from rtstone.ioc._names import *  # noqa: F403
else:
    __getattr__ = names_of("rtstone.ioc._names")


COMMANDS = (
    Command(
        name="ioc",
        group="Boards and IOC",
        summary="Serve this machine's interrupt latencies from an IOC, a server of the control system EPICS.",
        module="rtstone.ioc.command",
        examples=(
            Example("rtstone ioc --period 1ms", "serve on the loopback interface until Ctrl-C"),
            Example("rtstone ioc --load 1000 --pause 0 --duration 30s", "load it back to back for half a minute"),
            Example("rtstone ioc --build", "only build it"),
        ),
    ),
    Command(
        name="ioc load",
        group="Boards and IOC",
        summary="Put load on an IOC of another host: write to its records in bursts, and monitor them, until Ctrl-C.",
        module="rtstone.ioc.load_command",
        examples=(
            Example("rtstone ioc load --address 192.0.2.1", "the paper's load, until Ctrl-C"),
            Example(
                "rtstone ioc load --address 192.0.2.1 --records 500 --pause 500ms --for-run",
                "for `run -t ioc:… -p quick` on that host",
            ),
        ),
    ),
)
"""Commands of this room: an entry point of the group `rtstone.commands`."""
