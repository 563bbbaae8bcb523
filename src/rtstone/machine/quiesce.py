# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Stops units of systemd that a machine can do without for a while: all timers, and services known to start work by
themselves."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from fnmatch import fnmatch

from rtstone.errors import InfrastructureError, UsageError
from rtstone.machine.settings import UNIT, MachineSettings, left
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
"""Units that may be stopped. Logins, the network, the disks and users' own work need none of them."""


def spare_units(system: System) -> tuple[str, ...]:
    """The active units that may be stopped. Raises UsageError without systemd, InfrastructureError if systemd does not
    answer."""
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
def quiesced(units: tuple[str, ...], settings: MachineSettings) -> Iterator[None]:
    """Stops units while the context is entered. If one cannot be stopped, all are started again, and the failure is
    raised."""
    with settings:
        settings.set({f"{UNIT}{unit}": "inactive" for unit in units})
        yield


def stopped(system: System, journal: str) -> tuple[str, ...]:
    """The units that a journal shows as stopped by an rtstone."""
    data = system.bytes(journal)
    try:
        found = left(system, data, journal) if data else None
    except InfrastructureError:
        return ()
    return tuple(place.removeprefix(UNIT) for place in (found.changes if found else ()) if place.startswith(UNIT))
