# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""`--quiesce`: prints the units that it stops, and those that failed to start again.
Undoes at a start the changes of a killed rtstone."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from rtstone.cli._output import say
from rtstone.errors import InfrastructureError, RtstoneError
from rtstone.machine.quiesce import quiesced, spare_units
from rtstone.machine.settings import UNIT, MachineSettings
from rtstone.machine.system import System


@contextmanager
def stop_units(*, quiet: bool) -> Iterator[None]:
    """Stops the units that the machine can spare while this is entered. Raises UsageError without systemd,
    InfrastructureError if one cannot be stopped; the units stopped before it are started again.
    """
    units = spare_units(System())
    if units and os.geteuid() != 0:
        raise InfrastructureError("--quiesce: only root may stop units")
    if not quiet:
        say(
            f"stopped until the end of the run: {', '.join(units) or 'nothing, since nothing that can be spared is active'}"
        )
    settings = MachineSettings()
    try:
        with quiesced(units, settings):
            yield
    finally:
        for line in (*settings.after.others, *settings.after.failed):
            say(f"warning: {line}")


def undo_left() -> None:
    """Restore the settings of this machine that a killed rtstone left changed;
    does nothing while another rtstone is at work."""
    settings = MachineSettings()
    try:
        with settings:
            pass
    except RtstoneError as error:
        if settings.before.failed:
            say(f"warning: {error}")
        return
    for line in settings.before.others:
        say(line)
    if settings.before.undone:
        places = ", ".join(place.removeprefix(UNIT) for place in settings.before.undone)
        say(f"restored settings that a killed rtstone had left changed: {places}")
