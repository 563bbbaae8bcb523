# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""What a measurement is like: by its engine's list, or by its name where no list says it.

An engine lists the traits of each of its measurements from list 1.1 on. The list of an older engine has none, and a saved run does
not record them: for those the names that such engines have decide.
"""

from __future__ import annotations

from typing import Literal

from rtstone.model import Result

Trait = Literal["enters", "on-timer", "prioritized", "trails", "window", "kernel-handler"]
"""As `rtstone-engine list --json` has them: `trails` keeps an event trail of late samples, `window` moves data through the plan's
window, `kernel-handler` takes a handler in the kernel. spec/schema/list.schema.json has all."""

Pace = Literal["", "timer", "length", "outside"]
"""What a measurement waits for: nothing, the measured interrupt, the length of each operation, events from outside of the target."""


def traits_by_name(measurement: str) -> frozenset[str]:
    """The traits of a measurement that a host plans by, of an engine that lists none."""
    found = set[str]()
    if measurement == "interrupt-split":
        found.add("trails")
    if measurement.startswith("transfer-"):
        found.add("window")
    if measurement.startswith("user-isr-") or measurement == "driver-response":
        found.add("kernel-handler")
    return frozenset(found)


def pace_by_name(measurement: str) -> Pace:
    """What a measurement of an engine that does not list it waits for, where it is nothing that a study's period says."""
    return "outside" if measurement in {"datagram-response", "datagram-round-trip", "edge-response"} else ""


def reaches_window(result: Result) -> bool:
    """Whether a result of a saved run is of data moved through a window: by the window that its plan named, or by its measurement."""
    return result.variant.window != "default" or "window" in traits_by_name(result.measurement)
