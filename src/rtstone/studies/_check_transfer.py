# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Checks of what data was moved to and from."""

from __future__ import annotations

from rtstone.model import Run
from rtstone.studies._checking import NOTHING, Answer, check, measured, several
from rtstone.studies._model import TRANSFER, Condition, Study


@check("bus-window")
def bus_window(run: Run, study: Study, condition: Condition) -> Answer:
    """The other end is a slave on a VMEbus, by programmed transfers; what stands in for it is named."""
    results = [r for r in measured(run, study, condition) if r.measurement.startswith(TRANSFER)]
    if not results:
        return NOTHING
    windows = sorted({r.variant.window for r in results})
    slaves = sorted({note.text for r in results for note in r.notes if note.kind == "environment"})
    widths = {int(r.measurement.rpartition("-d")[2]) for r in results if r.measurement.rpartition("-d")[2].isdigit()}
    evidence = f"window {several(windows)}: {several(slaves)}"
    device = [window for window in windows if window.startswith(("vme:", "pci:", "uio:"))]
    if not device:
        return "not met", "shared memory, no bus: --window names a real one", evidence
    lacks = [f"no {space}" for space in condition.windows if not any(_in(window, space) for window in windows)]
    lacks += [f"no D{width}" for width in condition.widths if width not in widths]
    ways = {_way(window) for window in device}
    if ways != {condition.way}:
        lacks.append(WAYS[condition.way])
    if any(FAKE in slave for slave in slaves):
        lacks.append("the bridge is one that the kernel only plays")
    if lacks:
        return "substituted", f"a device on a bus, but {', '.join(lacks)}", evidence
    return "met", "the paper's address spaces, widths and way of access", evidence


def _in(window: str, space: str) -> bool:
    """Whether a window is of that address space, as `vme:a24`: the bridge's number stands between."""
    bus, _, rest = window.partition(":")
    wanted_bus, _, wanted = space.partition(":")
    return bus == wanted_bus and (not wanted or wanted in rest.split("/"))


def _way(window: str) -> str:
    """By the kernel, where the window's last part says so, and to a VMEbus unless it says that it is mapped."""
    in_kernel = window.endswith("/kernel") or (window.startswith("vme:") and not window.endswith("/map"))
    return "kernel" if in_kernel else "mapped"


WAYS = {"mapped": "not mapped into a user task", "kernel": "not from kernel space"}
FAKE = "fake"
"""In the name of a bridge that the kernel only plays (vme_fake)."""
