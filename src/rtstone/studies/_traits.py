# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Traits of a measurement: from its engine's list, or from its name where the list has none.

An engine lists the traits of each of its measurements from list 1.1 on. The list of an older engine has none,
and a saved run does not record them: there the traits follow from the names that such engines use.
"""

from __future__ import annotations

from typing import Literal

from rtstone.model import Result

Trait = Literal["enters", "on-timer", "prioritized", "trails", "window", "kernel-handler"]
"""As in `rtstone-engine list --json`:
`trails` keeps an event trail of late samples, `window` moves data through the plan's
window, `kernel-handler` takes a handler in the kernel. spec/schema/list.schema.json has all."""

Pace = Literal["", "timer", "length", "outside"]
"""The event that a measurement waits for:
none, the measured interrupt, the length of each operation, events from outside the target."""


def traits_by_name(measurement: str) -> frozenset[str]:
    """The traits that a host needs for planning, of a measurement whose engine lists none."""
    found = set[str]()
    if measurement == "interrupt-split":
        found.add("trails")
    if measurement.startswith("transfer-"):
        found.add("window")
    if measurement.startswith("user-isr-") or measurement == "driver-response":
        found.add("kernel-handler")
    return frozenset(found)


def pace_by_name(measurement: str) -> Pace:
    """The event that a measurement waits for, if its engine does not list it and no study's period implies it."""
    return (
        "outside"
        if measurement in {"datagram-response", "datagram-round-trip", "edge-response", "uio-response"}
        else ""
    )


def reaches_window(result: Result) -> bool:
    """Whether a result of a saved run is of data moved through a window:
    by the window of its plan, or by its measurement's name."""
    return result.variant.window != "default" or "window" in traits_by_name(result.measurement)
