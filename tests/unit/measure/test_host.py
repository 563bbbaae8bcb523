# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The host's account of its CPUs, from counters of known value."""

from __future__ import annotations

import os
import time

import msgspec

from rtstone.measure.host import Snapshot, Usage, facts, measured_cpu, parse_interrupts, warnings
from rtstone.model import Losses, Result, Session, Variant

INTERRUPTS = """\
           CPU0       CPU1
  0:         10          0   IO-APIC   2-edge      timer
 27:          5       4000   PCI-MSI 65536-edge    nvme0q1
LOC:       1000       2000   Local timer interrupts
ERR:          0
"""

USAGE = Usage(
    elapsed_s=10.0,
    busy_s={0: 9.0, 1: 6.0},
    steal_s={0: 0.0, 1: 0.0},
    interrupts={"LOC": (1000, 2000), "27 nvme0q1": (5, 4000), "0 timer": (10, 0)},
    context_switches=123,
    load_before="0.1 0.1 0.1",
    load_after="0.9 0.2 0.1",
    children_s=4.5,
)


def _session(*results: Result) -> Session:
    return Session(
        nonce="0",
        engine="",
        port="",
        stream_version="1.0",
        repetition=0,
        seed=0,
        env={},
        clocks=(),
        calibrations=(),
        degraded=(),
        results=results,
        losses=Losses(),
        complete=True,
    )


def _result(cpu: int, load: str = "none") -> Result:
    return Result(item=0, measurement="m", quantity="m", variant=Variant(load=load), status="ok", cpu=cpu)


def test_interrupts_by_source() -> None:
    assert parse_interrupts(INTERRUPTS) == {"0 timer": (10, 0), "27 nvme0q1": (5, 4000), "LOC": (1000, 2000)}
    assert parse_interrupts("") == {}


def test_interrupts_are_found_by_cpu_though_some_are_offline() -> None:
    assert parse_interrupts(" CPU0 CPU2\nLOC: 7 9 Local timer interrupts\n") == {"LOC": (7, 0, 9)}


def test_the_measured_cpu_is_the_one_of_most_results() -> None:
    assert measured_cpu([_session(_result(1), _result(1), _result(0)), _session(_result(-1))]) == 1
    assert measured_cpu([_session(_result(-1))]) is None
    assert measured_cpu([]) is None


def test_an_idle_run_that_was_not_idle_says_so() -> None:
    assert warnings([USAGE], [_session(_result(1))]) == ("the idle run was not idle: 15 % of CPU 1 was used by others",)
    quiet = msgspec.structs.replace(USAGE, children_s=5.9)
    assert warnings([quiet], [_session(_result(1))]) == ()


def test_a_loaded_run_need_not_be_idle() -> None:
    assert warnings([USAGE], [_session(_result(1, load="cpu"))]) == ()


def test_stolen_time_is_told() -> None:
    stolen = msgspec.structs.replace(USAGE, steal_s={0: 0.0, 1: 0.2}, children_s=6.0)
    (warning,) = warnings([stolen], [_session(_result(1))])
    assert "2.0 % of CPU 1" in warning


def test_a_run_too_short_for_the_counters_warns_of_nothing() -> None:
    assert warnings([msgspec.structs.replace(USAGE, elapsed_s=0.3)], [_session(_result(1))]) == ()


def test_facts() -> None:
    found = facts([USAGE, USAGE], [_session(_result(1))])
    assert found["cpu.measured"] == "1"
    assert found["cpu.measured.others_percent"] == "15.00"
    assert found["interrupts_per_s.27 nvme0q1"] == "400.0"
    assert "interrupts_per_s.0 timer" not in found  # none on the measured CPU
    assert found["context_switches"] == "246"
    assert (found["load.average.before"], found["load.average.after"]) == ("0.1 0.1 0.1", "0.9 0.2 0.1")
    assert found["kernel.release"] == os.uname().release


def test_another_machines_cpu_is_none_of_ours() -> None:
    assert "cpu.measured" not in facts([USAGE])


def test_a_busy_second_is_seen() -> None:
    before = Snapshot.now()
    until = time.process_time() + 0.3
    while time.process_time() < until:
        pass
    usage = Usage.between(before, Snapshot.now())
    assert sum(usage.busy_s.values()) >= 0.25
    assert usage.elapsed_s >= 0.3
    assert usage.context_switches >= 0
