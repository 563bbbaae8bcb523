# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The content of the IOC's screen, as data.
The PyDM screen and the Phoebus file are both made of it, so they show the same records."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

HEADING = "Interrupt response of the IOC's own machine"


@dataclass(frozen=True)
class Item:
    """One record on the screen. `record` is its name without the prefix, or without the parameter's name."""

    record: str
    label: str


BUTTONS = (Item("startOnce", "Start once"), Item("stop", "Stop"), Item("clear", "Clear"))
PERIOD = Item("start.SCAN", "Scan period")
ENTRIES = (Item("samples", "Samples a scan"), Item("limit", "Limit"))

RESULTS = (
    Item("count", "Total samples"),
    Item("sets", "Sets"),
    Item("setSamples", "Last set"),
    Item("missedStarts", "Missed starts"),
    Item("burst", "Load"),
)
STANDING = (
    Item("state", "State"),
    Item("sampler", "Sampler"),
    Item("realtime", "Scheduling"),
    Item("priority", "Priority"),
    Item("memoryLocked", "Memory"),
    Item("lockedMemory", "Locked"),
)
MESSAGE = Item("message.VAL$", "Message")  # of any length

PARAMETERS = (
    Item("interruptLatency", "Interrupt latency"),
    Item("topToBottom", "Top half → bottom half"),
    Item("bottomToUserInterrupt", "Bottom half → user-level ISR"),
    Item("contextSwitch", "Context switch"),
    Item("totalResponse", "Total response"),
)
# Figures of each parameter; three columns.
FIGURES = (
    Item(":min", "min"),
    Item(":median", "median"),
    Item(":max", "max"),
    Item(":percent", "over limit"),
    Item(":percentBurst", "in bursts"),
    Item(":percentQuiet", "between them"),
    Item(":count", "samples"),
    Item(":over", "of them over"),
    Item(":saturated", "over 2.1 s"),
)
FIGURE_COLUMNS = 3
RAW = Item("", "last set")
HISTOGRAM = Item(":histogram", "since Clear")
EDGES = Item("edges", "Lower edges of the histograms' bins")

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
