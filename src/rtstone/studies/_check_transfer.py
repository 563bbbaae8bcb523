# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Checks of what data was moved to and from."""

from __future__ import annotations

from rtstone.model import Run
from rtstone.studies._model import Condition, Study
from rtstone.studies._planner import TRANSFER
from rtstone.studies.conditions import NOTHING, Answer, check, measured, several


@check("bus-window")
def bus_window(run: Run, study: Study, condition: Condition) -> Answer:
    """The other end is a slave on a VMEbus, by programmed transfers; what stands in for it is named."""
    results = [r for r in measured(run, study, condition) if r.measurement.startswith(TRANSFER)]
    if not results:
        return NOTHING
    windows = sorted({r.variant.window for r in results})
    slaves = sorted({note.text for r in results for note in r.notes if note.kind == "environment"})
    evidence = f"window {several(windows)}: {several(slaves)}"
    if all(window.startswith("vme:") for window in windows):
        return "met", "single transfers by the kernel's VME driver, which posts writes as its bridge does", evidence
    if all(window.startswith(("pci:", "uio:")) for window in windows):
        return (
            "substituted",
            "a device on another bus, mapped into the measuring task; posted and flushed writes apart",
            evidence,
        )
    return "substituted", "shared memory in place of a bus: --window names a real one", evidence
