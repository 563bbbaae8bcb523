# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""An IOC on this machine that the engine is a library of: what starts it, and where its clients find it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from rtstone.ioc._build import build_inside, sources_root
from rtstone.ioc._running import served
from rtstone.ioc._settings import Settings


@dataclass(frozen=True)
class Inside:
    """A command that serves, measures what the plan on its standard input asks for, prints the record stream, and ends."""

    command: tuple[str, ...]
    environment: dict[str, str]
    """What comes to the one that it inherits."""
    folder: Path
    """Of the programs, the load's clients among them."""


@contextmanager
def engine_inside(settings: Settings, *, probe: str = "", network: str = "") -> Iterator[Inside]:
    """What starts an IOC with these settings and the engine in its process, good until the context ends.

    `probe`: the module's device, if it is to be used; `network`: the device that clients come through, as /proc/interrupts names it.
    Raises InfrastructureError when it cannot be built, UsageError for a setting that cannot be.
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
