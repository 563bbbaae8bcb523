# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The content of the IOC's screen, as data.
The PyDM screen and the Phoebus file are both made of it, so they show the same records."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

HEADING = "Interrupt response of the IOC's own machine"


@dataclass(frozen=True)
class ScreenItem:
    """One record on the screen. `record` is its name without the prefix, or without the parameter's name."""

    record: str
    label: str


BUTTONS = (ScreenItem("startOnce", "Start once"), ScreenItem("stop", "Stop"), ScreenItem("clear", "Clear"))
PERIOD = ScreenItem("start.SCAN", "Scan period")
ENTRIES = (ScreenItem("samples", "Samples a scan"), ScreenItem("limit", "Limit"))

RESULTS = (
    ScreenItem("count", "Total samples"),
    ScreenItem("sets", "Sets"),
    ScreenItem("setSamples", "Last set"),
    ScreenItem("missedStarts", "Missed starts"),
    ScreenItem("burst", "Load"),
)
STANDING = (
    ScreenItem("state", "State"),
    ScreenItem("sampler", "Sampler"),
    ScreenItem("realtime", "Scheduling"),
    ScreenItem("priority", "Priority"),
    ScreenItem("memoryLocked", "Memory"),
    ScreenItem("lockedMemory", "Locked"),
)
MESSAGE = ScreenItem("message.VAL$", "Message")  # of any length

PARAMETERS = (
    ScreenItem("interruptLatency", "Interrupt latency"),
    ScreenItem("topToBottom", "Top half → bottom half"),
    ScreenItem("bottomToUserInterrupt", "Bottom half → user-level ISR"),
    ScreenItem("contextSwitch", "Context switch"),
    ScreenItem("totalResponse", "Total response"),
)
# Figures of each parameter; three columns.
FIGURES = (
    ScreenItem(":min", "min"),
    ScreenItem(":median", "median"),
    ScreenItem(":max", "max"),
    ScreenItem(":percent", "over limit"),
    ScreenItem(":percentBurst", "in bursts"),
    ScreenItem(":percentQuiet", "between them"),
    ScreenItem(":count", "samples"),
    ScreenItem(":over", "of them over"),
    ScreenItem(":saturated", "over 2.1 s"),
)
FIGURE_COLUMNS = 3
RAW = ScreenItem("", "last set")
HISTOGRAM = ScreenItem(":histogram", "since Clear")
EDGES = ScreenItem("edges", "Lower edges of the histograms' bins")

ALARMS = (
    ("MINOR", "minor: over the limit, or not real-time"),
    ("MAJOR", "major: many over the limit, or the sampler is stuck"),
    ("INVALID", "not measured, or refused"),
)
"""Severity and its meaning on this screen."""


def records() -> Iterator[str]:
    """The name, without the prefix, of every record on the screen."""
    for item in (*BUTTONS, PERIOD, *ENTRIES, *RESULTS, *STANDING, MESSAGE, EDGES):
        yield item.record
    for parameter in PARAMETERS:
        for item in (RAW, HISTOGRAM, *FIGURES):
            yield parameter.record + item.record
