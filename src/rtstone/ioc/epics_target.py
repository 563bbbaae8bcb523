# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The engine on EPICS's own OS interface, on this machine: ``epics``. Compared with ``local``, it shows what the
wrapper costs."""

from __future__ import annotations

import os
from pathlib import Path

from rtstone.errors import UsageError
from rtstone.targets._engine import EngineTarget
from rtstone.targets.protocol import Capabilities


class EpicsTarget(EngineTarget):
    """The engine linked with libCom, built when it is first needed."""

    capabilities = Capabilities(shares_host=True)

    def _engine(self) -> Path:
        from rtstone import ioc

        chosen = os.environ.get("RTSTONE_ENGINE_EPICS")
        return Path(chosen) if chosen else ioc.build_engine()


def open_epics(rest: str) -> EpicsTarget:
    """``epics``: this machine, measured from inside of an EPICS IOC (`make ioc` builds it)."""
    if rest:
        raise UsageError(f"the target 'epics' takes nothing behind it, not '{rest}'")
    return EpicsTarget("epics", "rtstone-engine-epics", ("run", "--plan", "-", f"--with-parent={os.getpid()}"))
