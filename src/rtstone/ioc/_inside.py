# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""An IOC on this machine with the engine as a library: its start command, and the address for its clients."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from rtstone.ioc._build import build_inside, sources_root
from rtstone.ioc._running import served
from rtstone.ioc._settings import IocSettings


@dataclass(frozen=True)
class Inside:
    """A command that serves, measures the plan from its standard input, prints the record stream, and ends."""

    command: tuple[str, ...]
    environment: dict[str, str]
    """Variables added to the environment that it inherits."""
    folder: Path
    """Folder of the programs, which include the load's clients."""


@contextmanager
def engine_inside(settings: IocSettings, *, probe: str = "", network: str = "") -> Iterator[Inside]:
    """The start command of an IOC with these settings and the engine in its process.
    Its files are valid until the context ends.

    `probe`: the module's device, if it is to be used;
    `network`: the device through which clients come, as named in /proc/interrupts.
    Raises InfrastructureError when it cannot be built, UsageError for an invalid setting.
    """
    settings = replace(settings, pva_port=None, scan="Passive")
    settings.check()  # before anything is built
    settings.check_here()
    folder = build_inside()
    program = sources_root() / "ioc"
    with served(folder, settings, os.getpid()) as (environment, _):
        own = {
            "RTSTONE_IOC_OUTSIDE": "",
            "RTSTONE_IOC_RECORDS": "/proc/self/fd/1",
            "RTSTONE_IOC_PLAN": "-",
            "RTSTONE_IOC_PROBE_DEVICE": probe,
            "RTSTONE_IOC_NETWORK": network,
        }
        yield Inside(
            command=(
                str(folder / "rtstone-ioc"),
                "--with-parent",
                str(program / "program" / "st.cmd"),
                str(program / "inside" / "engine.cmd"),
            ),
            environment=environment | own,
            folder=folder,
        )
