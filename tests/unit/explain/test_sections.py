# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The terms of the bound from hand-made events, and the offsets of a kernel's structures from hand-made type information."""

from __future__ import annotations

import struct

import pytest

from rtstone.errors import IncompleteError, UsageError
from rtstone.explain import _sections as sections
from rtstone.explain._btf import Types
from rtstone.explain._sections import (
    ACKNOWLEDGED,
    CLOCK,
    COUNTED,
    DIFFERS,
    ENTRY,
    HANDLES,
    MASKED,
    STARTS,
    TASK,
    UNMASKED,
    VECTOR,
    WAKES,
    Interrupt,
    Watched,
    Watcher,
    bound,
)
from rtstone.explain.document import Bound, Estimate, Observed, Stream
from rtstone.explain.text import bound_lines

NAMES = ("", "driver", "schedule", "__schedule", "vectors", STARTS, HANDLES, WAKES, "gic_handle_irq")
RESCHED = 2
MEASURED = 30
LOOPER, TASK_1 = 0x1000, 0x2000

Event = tuple[int, int, str, int]


def _follow(events: list[Event]) -> Watched:
    rows = [(at, kind << 56 | NAMES.index(name), argument, 0) for at, kind, name, argument in events]
    return Watcher(lambda address: NAMES[address]).follow(rows)


BEGIN: list[Event] = [
    (0, UNMASKED, "driver", 0),
    (0, TASK, "driver", LOOPER),
    (0, COUNTED, "driver", 0),
    (0, CLOCK, "driver", 10_000),
    (1, ENTRY, STARTS, 0),
]


def _interrupt(at: int, source: int, length: int, *, wakes: int = 0) -> list[Event]:
    """At `at`, of that length; it wakes a task, which is then due."""
    events: list[Event] = [(at, VECTOR, "vectors", 0x280), (at, MASKED, "vectors", 0)]
    events.append((at + 2, ACKNOWLEDGED, "gic_handle_irq", source))
    if source == MEASURED:
        events.append((at + 5, ENTRY, HANDLES, 0))
    if wakes:
        events.append((at + 10, ENTRY, WAKES, wakes))
    return [*events, (at + length, UNMASKED, "vectors", RESCHED if wakes else 0)]


def _switch(at: int) -> list[Event]:
    """Preemption off to schedule, interrupts off 5 later, the other task 20 later, all on after 30."""
    return [
        (at, COUNTED, "schedule", 1),
        (at + 5, MASKED, "__schedule", 0),
        (at + 20, TASK, "__schedule", TASK_1),
        (at + 20, COUNTED, "__schedule", 1),
        (at + 25, UNMASKED, "__schedule", 0),
        (at + 30, COUNTED, "schedule", 0),
    ]


def _section(at: int, length: int, *, taken: int = 0) -> list[Event]:
    """Preemption off, with an interrupt that does not count as its time. At the end a switch is due."""
    inside = _interrupt(at + 10, 40, taken) if taken else []
    return [(at, COUNTED, "driver", 1), *inside, (at + length + taken, COUNTED, "driver", RESCHED << 32)]


@pytest.mark.parametrize("taken", [0, 70])
@pytest.mark.parametrize("planted", [100, 101, 5000])
def test_the_bound_grows_by_the_section_to_the_instruction(planted: int, taken: int) -> None:
    end = 100 + planted + taken
    watched = _follow(BEGIN + _section(100, planted, taken=taken) + _switch(end + 7))
    lengths = {term: watched.longest(term) for term in sections.TERMS}
    assert lengths == {"POID": planted, "PAIE": 7, "PSD": 30, "ST": 25}
    (poid,) = watched.sections["POID"]
    assert NAMES[poid.begins.address] == "driver"
    length, interference = bound(watched)
    assert length == planted + 7 + 30 + taken
    assert [(one.source, one.longest, one.in_window) for one in interference] == ([(40, 70, 70)] if taken else [])


def test_an_interrupt_at_the_instant_of_unmasking_ends_the_section_before_it() -> None:
    events: list[Event] = [
        (100, MASKED, "driver", 0),
        *_interrupt(150, 40, 20),
        (5000, MASKED, "driver", 0),
        (5010, UNMASKED, "driver", 0),
    ]
    # The vector finds them masked, as the stream has it: nothing between was seen to unmask.
    watched = _follow(BEGIN + [one for one in events if one != (150, MASKED, "vectors", 0)])
    assert watched.longest("POID") == 50


def test_interrupts_are_counted_by_the_clock_of_the_board_in_the_window() -> None:
    watched = _follow(BEGIN + _section(100, 50) + _switch(150))
    base = bound(watched)[0]
    assert base == 50 + 30
    # Three of one source: two within the window that they lengthen, one after the CPU has waited.
    watched.interrupts += [Interrupt(500, 40, 60), Interrupt(600, 40, 60), Interrupt(640, 40, 60)]
    watched.clock += [(605, 10_605), (641, 90_641)]
    assert bound(watched)[0] == base + 2 * 60
    watched.clock[-1] = (641, 10_641)
    assert bound(watched)[0] == base + 3 * 60


def test_a_measured_task_is_timed_from_its_waking_to_its_switch() -> None:
    watched = _follow(BEGIN + _interrupt(1000, MEASURED, 40, wakes=TASK_1) + _switch(1050))
    assert [(one.start, one.length) for one in watched.wakes] == [(0, 60)]
    assert watched.handled == [[1005]]
    # A task that runs already has no waking, and the next one that is woken is not the measured interrupt's.
    late: list[Event] = [(3000, ENTRY, WAKES, TASK_1), (3010, TASK, "__schedule", TASK_1)]
    for woken in (LOOPER, 0):
        watched = _follow(BEGIN + _interrupt(1000, MEASURED, 40, wakes=woken) + late)
        assert watched.wakes == []


def test_a_store_that_was_not_seen_is_no_bound() -> None:
    with pytest.raises(IncompleteError, match="the trace is not whole"):
        _follow([*BEGIN, (50, DIFFERS, "driver", 3)])


def test_a_member_within_nameless_ones_is_found_by_type_information() -> None:
    strings = b"\0thread_info\0flags\0preempt_count\0long\0"

    def at(name: bytes) -> int:
        return strings.index(b"\0" + name + b"\0") + 1

    long = struct.pack("<IIII", at(b"long"), 1 << 24, 8, 64)
    union = struct.pack("<III", 0, 5 << 24 | 1, 8) + struct.pack("<III", at(b"preempt_count"), 1, 0)
    whole = struct.pack("<III", at(b"thread_info"), 4 << 24 | 2, 24)
    whole += struct.pack("<III", at(b"flags"), 1, 64) + struct.pack("<III", 0, 2, 128)
    types = long + union + whole
    types += struct.pack("<III", 0, 2 << 24, 1) * (100_000 // 12)  # pointers: a kernel has at least so many
    blob = b"\x9f\xeb\x01\0" + struct.pack("<IIIII", 24, 0, len(types), len(types), len(strings)) + types + strings
    found = Types(b"\x9f\xeb\x01\0 of something else" + b"\0" * 64 + blob + b"\0" * 8, "Linux")
    assert (found.offset("thread_info", "flags"), found.offset("thread_info", "preempt_count")) == (8, 16)
    with pytest.raises(UsageError, match=r"no thread_info\.preempt_lazy_count"):
        found.offset("thread_info", "preempt_lazy_count")
    with pytest.raises(UsageError, match=r"Linux has no type information \(BTF\)"):
        Types(b"\x9f\xeb\x01\0" * 4, "Linux")


def test_observed_estimate_and_bound_are_bars_of_one_scale() -> None:
    made = Bound(
        run="r",
        target="t",
        kernel="k",
        repetition=0,
        hz=1_000_000,
        stream=Stream(1, ""),
        events=1,
        proven=True,
        bound=1000,
        terms=(),
        interrupts=(),
        observed=(Observed("none", 9, 9, 100), Observed("disk", 9, 0, None)),
        estimates=(
            Estimate(load="none", once_in=1e6, value_ns=200_000.0, high_ns=2_000_000.0, refused=""),
            Estimate(load="disk", once_in=1e6, value_ns=None, high_ns=None, refused="too few"),
        ),
    )
    chart = [line.split("  ")[-1].strip() for line in bound_lines(made) if line.startswith("  ")]
    # The longest is the upper end of the estimate's interval.
    assert chart == [
        "###",
        "0",
        "#####" + 45 * "-" + " 2000.00",
        25 * "#",
        "tails estimates context-switch-delay, which ends later",
        "tails, disk: too few",
        "- extends to the upper end of an estimate's interval",
    ]
    assert max(map(len, bound_lines(made))) <= 110
