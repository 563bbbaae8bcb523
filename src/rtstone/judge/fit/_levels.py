# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Lists the measured quantities that are evidence for each level of interrupt handling, and how much each shows."""

from __future__ import annotations

from typing import Literal

import msgspec

LevelName = Literal["top half", "bottom half", "user-level ISR", "thread"]
LEVELS: tuple[LevelName, ...] = ("top half", "bottom half", "user-level ISR", "thread")
"""From the interrupt outwards."""

Role = Literal["response", "later", "part", "sum"]
"""`response`: from the assertion to the level's first instruction. `later`: to a later instruction on the same path; if
it was in time, so was the level. `part`: a piece of the path; if it was late, so was the level. `sum`: of all parts,
bounded without an assumption on how they depend on each other."""

_SPLIT = "interrupt-split"
_TASK = "interrupt-task-response"
_SERVICE = "interrupt-service-response"
_HANDLER = "the interrupt's handler"
_KERNEL_TIMER = "the kernel's timer function"
_BOTTOM = "the handler's bottom half"
_BY_KERNEL = "called by a bottom half's signal"
_TO_BOTTOM = "top-to-bottom-half"
_TO_USER = "bottom-half-to-user-isr"
_WAKE_UP = "thread-wake-up"
"""The name of `interrupt-service-response` in newer records, which report when a thread stands in for the handler."""
_WOKEN = "woken by the handler"
_TIMER_WOKEN = "woken by the kernel's timer"


class EvidenceSource(msgspec.Struct, frozen=True, kw_only=True):
    """A quantity as evidence for a level."""

    level: LevelName
    way: str
    """How the level is reached. All quantities of one way measure the same code."""
    measurement: str
    quantity: str
    role: Role = "response"
    stand_in: bool | None = None
    """True: only if a thread in user space stands in for the handler. False: only if none does. None: in both cases."""


SOURCES = (
    EvidenceSource(
        level="top half",
        way=_HANDLER,
        measurement="interrupt-response",
        quantity=_SERVICE,
        role="response",
        stand_in=False,
    ),
    EvidenceSource(level="top half", way=_HANDLER, measurement="interrupt-stages", quantity=_SERVICE, stand_in=False),
    EvidenceSource(level="top half", way=_KERNEL_TIMER, measurement=_SPLIT, quantity="expiry-to-handler"),
    EvidenceSource(level="top half", way=_KERNEL_TIMER, measurement=_SPLIT, quantity=_TASK, role="later"),
    EvidenceSource(
        level="bottom half", way=_BOTTOM, measurement="interrupt-total", quantity=_TASK, role="later", stand_in=False
    ),
    EvidenceSource(
        level="bottom half",
        way=_BOTTOM,
        measurement="interrupt-stages",
        quantity=_SERVICE,
        role="part",
        stand_in=False,
    ),
    EvidenceSource(
        level="bottom half",
        way=_BOTTOM,
        measurement="interrupt-stages",
        quantity=_TO_BOTTOM,
        role="part",
        stand_in=False,
    ),
    EvidenceSource(
        level="user-level ISR",
        way="called by a timer's signal",
        measurement="signal-latency",
        quantity="signal-latency",
    ),
    EvidenceSource(level="user-level ISR", way=_BY_KERNEL, measurement="user-isr-total", quantity=_TASK, role="later"),
    *(
        EvidenceSource(
            level="user-level ISR", way=_BY_KERNEL, measurement="user-isr-stages", quantity=quantity, role="part"
        )
        for quantity in (_SERVICE, _TO_BOTTOM, _TO_USER)
    ),
    EvidenceSource(level="thread", way=_WOKEN, measurement="interrupt-response", quantity=_TASK, stand_in=False),
    EvidenceSource(level="thread", way=_TIMER_WOKEN, measurement=_SPLIT, quantity=_TASK),
    EvidenceSource(
        level="thread", way=_TIMER_WOKEN, measurement="interrupt-response", quantity=_SERVICE, stand_in=True
    ),
    EvidenceSource(
        level="thread", way=_TIMER_WOKEN, measurement="interrupt-response", quantity=_WAKE_UP, stand_in=True
    ),
    EvidenceSource(
        level="thread",
        way="woken by a thread that the timer woke",
        measurement="interrupt-response",
        quantity=_TASK,
        stand_in=True,
    ),
    EvidenceSource(
        level="thread", way="woken through a bottom half", measurement="interrupt-total", quantity=_TASK, stand_in=False
    ),
    EvidenceSource(
        level="thread",
        way="woken through two other threads",
        measurement="interrupt-total",
        quantity=_TASK,
        stand_in=True,
    ),
    EvidenceSource(
        level="thread", way="woken by a signal", measurement="signal-latency", quantity="signal-process-response"
    ),
    EvidenceSource(level="thread", way="woken by a user-level ISR", measurement="user-isr-total", quantity=_TASK),
)

PARTS = {_BOTTOM: (_SERVICE, _TO_BOTTOM), _BY_KERNEL: (_SERVICE, _TO_BOTTOM, _TO_USER)}
"""Ways whose parts, one after the other, lead from the assertion to the level's first instruction."""

MEASUREMENTS = tuple(dict.fromkeys(source.measurement for source in SOURCES))
"""The measurements that all sources together need."""

_WITH_HANDLER = "rtstone's own handler (the kernel module, or a virtual board)"
REQUIREMENTS: dict[str, str] = {"top half": f"{_WITH_HANDLER}, or root", "bottom half": _WITH_HANDLER}
"""The requirement of a level's measurement; the levels that are left out have no requirement."""

ONLY_WITH_HANDLER = frozenset({"interrupt-stages"})
"""Measurements that show nothing if a thread in user space stands in for the handler."""
