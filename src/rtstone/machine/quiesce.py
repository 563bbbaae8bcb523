# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Stops, for a while, what a machine with systemd can live without: all timers, and services known to work when nobody asked them to."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from fnmatch import fnmatch

from rtstone.errors import InfrastructureError, UsageError
from rtstone.machine.settings import UNIT, Settings, left
from rtstone.machine.system import System

SPARE = (
    "*.timer",
    *(f"{name}.service" for name in ("anacron", "apt-daily*", "atd", "bluetooth", "colord", "cron", "cups*", "exim4")),
    *(
        f"{name}.service"
        for name in ("fstrim", "fwupd*", "geoclue", "irqbalance", "logrotate", "man-db", "ModemManager")
    ),
    *(f"{name}.service" for name in ("packagekit", "plocate-updatedb", "smartd", "smartmontools", "snapd")),
    *(f"{name}.service" for name in ("sysstat*", "tracker-*", "udisks2", "unattended-upgrades", "upower")),
)
"""What may be stopped. Nothing that a login, the network, the disks or somebody's own work stands on."""


def spare_units(system: System) -> tuple[str, ...]:
    """The active units that may be stopped. Raises UsageError where there is no systemd, InfrastructureError where it does not answer."""
    if not system.exists("/run/systemd/system"):
        raise UsageError("--quiesce: systemd does not run on this machine, so there are no units to stop")
    words = [
        "systemctl",
        "list-units",
        "--type=service,timer",
        "--state=active",
        "--plain",
        "--no-legend",
        "--no-pager",
    ]
    try:
        said = subprocess.run(words, capture_output=True, text=True, errors="replace", check=True, timeout=30).stdout
    except (OSError, subprocess.SubprocessError) as error:
        raise InfrastructureError(f"--quiesce: systemctl does not list the units: {error}") from error
    units = {line.split()[0] for line in said.splitlines() if line.strip()}
    return tuple(unit for unit in sorted(units) if any(fnmatch(unit, pattern) for pattern in SPARE))


@contextmanager
def quiesced(units: tuple[str, ...], settings: Settings) -> Iterator[None]:
    """Units are stopped while this is entered. Those whose stop fails are started again with the others, and the failure is raised."""
    with settings:
        settings.set({f"{UNIT}{unit}": "inactive" for unit in units})
        yield


def stopped(system: System, journal: str) -> tuple[str, ...]:
    """The units that an rtstone has stopped, by its journal."""
    data = system.bytes(journal)
    try:
        found = left(system, data, journal) if data else None
    except InfrastructureError:
        return ()
    return tuple(place.removeprefix(UNIT) for place in (found.changes if found else ()) if place.startswith(UNIT))
