# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The engine on a scripted clock and scheduler, so that its latencies are known in advance: ``simulated[:script]``."""

from __future__ import annotations

from rtstone.targets._engine import EngineTarget


def open_simulated(rest: str) -> EngineTarget:
    """``simulated``: no machine but a simulated kernel, whose times a script sets; behind a ``:`` the script (ports/simulated)."""
    script = ("--script", rest) if rest else ()
    name = f"simulated:{rest}" if rest else "simulated"
    return EngineTarget(name, "rtstone-engine-simulated", (*script, "run"), starves=True)
