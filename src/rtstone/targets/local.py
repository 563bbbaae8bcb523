# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""This machine: ``local``."""

from __future__ import annotations

import os

from rtstone.errors import UsageError
from rtstone.targets._engine import EngineTarget
from rtstone.targets.protocol import Capabilities

PROBE = "/dev/rtstone-probe"
"""The probe module's device. If the module is loaded and the device may be opened, its handler answers the measured
interrupt."""


class LocalTarget(EngineTarget):
    """The POSIX engine, spawned on this machine."""

    capabilities = Capabilities(engine_here=True, shares_host=True, silicon=True)


def open_local(rest: str) -> LocalTarget:
    """``local``: this machine."""
    if rest:
        raise UsageError(f"the target 'local' takes nothing behind it, not '{rest}'")
    # Bound to this process, so that kill -9 of the tool ends the engine and all that it started.
    probe = ("--probe", PROBE) if os.access(PROBE, os.R_OK) else ()
    return LocalTarget("local", "rtstone-engine", ("run", "--plan", "-", f"--with-parent={os.getpid()}", *probe))
