# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The IOC as a client sees it: its statistics, its alarms, and how it fares when a sampler misbehaves."""

from __future__ import annotations

import math
import os
from bisect import bisect_right
from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path

import pytest

from rtstone.ioc import Ioc
from support.ioc import MEASURED, PARAMETERS, Client, fell_behind, private, programs, running, scripted

__all__ = ["programs"]  # the fixture

pytestmark = pytest.mark.timeout(300)


@pytest.fixture(scope="module")
def measuring(programs: Path) -> Iterator[tuple[Ioc, Client]]:
    """An IOC that measures this machine."""
    with running(programs, private(period_us=200)) as found:
        yield found


@pytest.mark.needs("bpf")
def test_the_kernel_stamps_three_delays_of_one_interrupt(programs: Path) -> None:
    """With the sampler split: handler and switch lie within the total of the same interrupt, and a timer has no other stage."""
    with running(programs, private(sampler="split", period_us=500)) as (_, client):
        client.put("clear", 1)
        client.put("samples", 500)
        client.put("startOnce", 1)
        client.until("sets", 1)
        found = {name: client.get(name) for name in PARAMETERS}
        assert client.get("totalResponse:count") == client.get("setSamples") == 500
        handler, switch = found["interruptLatency"], found["contextSwitch"]
        assert len(handler) == len(switch) == client.get("interruptLatency:count") > 250
        assert min(handler) >= 0 < min(switch)
        # A sample that the kernel reported nothing of has only a total. The others' totals are among all totals, in
        # order.
        totals = iter(found["totalResponse"])
        assert all(any(h + s <= total for total in totals) for h, s in zip(handler, switch, strict=True))
        for name in ("topToBottom", "bottomToUserInterrupt"):
            assert (client.get(f"{name}:count"), client.severity(f"{name}:median")) == (0, 3)


def test_one_table_has_the_five_delays_of_each_interrupt(programs: Path, root: Path, tmp_path: Path) -> None:
    """Over PV Access: each update is one whole set with its time. A delay that an interrupt does not have is NaN."""
    with running(programs, private(script=scripted(root, tmp_path, programs, "ramp"))) as (_, client):
        client.put("samples", 3)
        updates = client.ask(do="pva_collect", name="table", start="start", sets=3)["updates"]
        for number, update in enumerate(updates):
            taken = range(3 * number, 3 * number + 3)
            assert update["columns"].pop("bottomToUserInterrupt") == pytest.approx([math.nan] * 3, nan_ok=True)
            assert update["columns"] == {
                "interruptLatency": [1000.0 * k for k in taken],
                "topToBottom": [-float(k) for k in taken],
                "contextSwitch": [50000.0] * 3,
                "totalResponse": [2000.0 * k + 1 if k != 7 else 2.0**31 - 1 for k in taken],
            }
            assert (update["id"], update["labels"]) == ("epics:nt/NTTable:1.0", [f"{name} (ns)" for name in PARAMETERS])
        assert updates[-1]["time"] == pytest.approx(client.ask(do="get", name="count")["time"], abs=1e-6)
        assert client.ask(do="pva", name="totalResponse:column")["units"] == "ns"


def test_statistics_are_what_a_client_makes_of_the_raw_values(measuring: tuple[Ioc, Client]) -> None:
    ioc, client = measuring
    client.put("clear", 1)
    client.put("samples", 700)
    client.put("limit", 20_000)
    names = ["count", *MEASURED, *(f"{name}:histogram" for name in MEASURED)]
    seen = client.ask(do="collect", names=names, start="startOnce", sets=4, seconds=10)

    sizes = [len(updates) for updates in seen[MEASURED[0]]]
    assert seen["count"] == list(accumulate(sizes))
    # A set is cut short only if the machine stood still for longer than the sampler can be behind; the IOC reports it
    # then.
    assert sizes == [700] * 4 or (max(sizes) <= 700 and len(sizes) == 4 and fell_behind(ioc))
    total = sum(sizes)
    edges = client.get("edges")
    for name in MEASURED:
        assert [len(updates) for updates in seen[name]] == sizes
        values = sorted(value for updates in seen[name] for value in updates)
        assert client.get(f"{name}:count") == total
        assert client.get(f"{name}:min") == values[0]
        assert client.get(f"{name}:max") == values[-1]
        assert client.get(f"{name}:median") == pytest.approx(values[(total + 1) // 2 - 1], rel=1e-3, abs=1)
        over = sum(value > 20_000 for value in values)
        assert client.get(f"{name}:over") == over
        assert client.get(f"{name}:percent") == pytest.approx(100 * over / total)
        counts = [0] * len(edges)
        for value in values:
            counts[max(0, bisect_right(edges, value) - 1)] += 1
        assert client.get(f"{name}:histogram") == counts == seen[f"{name}:histogram"][-1]


def test_a_delay_that_is_not_measured_has_no_value(measuring: tuple[Ioc, Client]) -> None:
    _, client = measuring
    client.put("clear", 1)
    client.put("samples", 10)
    client.ask(do="collect", names=["count"], start="startOnce", sets=1, seconds=10)
    for name in ("topToBottom", "bottomToUserInterrupt"):
        assert client.get(name) == []
        assert client.get(f"{name}:count") == 0
        assert client.severity(f"{name}:median") == 3


def test_total_response_is_not_shorter_than_its_parts(measuring: tuple[Ioc, Client]) -> None:
    ioc, client = measuring
    client.put("samples", 300)
    client.ask(do="collect", names=["count"], start="startOnce", sets=1, seconds=10)
    latency, switch, total = (client.get(name) for name in MEASURED)
    assert len(total) == 300 or (0 < len(total) < 300 and fell_behind(ioc))
    assert all(a + b <= c for a, b, c in zip(latency, switch, total, strict=True))


def _compare_standing(ioc: Ioc, client: Client) -> None:
    """Compare the IOC's published state of its thread and memory with the kernel's."""
    (thread,) = (
        int(task.name)
        for task in Path(f"/proc/{ioc.pid}/task").iterdir()
        if (task / "comm").read_text(encoding="utf-8").strip() == "S1"
    )
    fifo = os.sched_getscheduler(thread) == os.SCHED_FIFO
    assert client.get("realtime") == int(fifo)
    assert client.severity("realtime") == (0 if fifo else 1)
    assert client.get("priority") == os.sched_getparam(thread).sched_priority
    status = Path(f"/proc/{ioc.pid}/status").read_text(encoding="utf-8")
    (locked,) = (int(line.split()[1]) for line in status.splitlines() if line.startswith("VmLck:"))
    assert client.get("memoryLocked") == int(locked > 0)
    assert client.severity("memoryLocked") == (0 if locked > 0 else 1)


def test_published_standing_is_the_kernels(measuring: tuple[Ioc, Client]) -> None:
    _compare_standing(*measuring)


def test_what_the_kernel_refuses_is_published(programs: Path, tmp_path: Path) -> None:
    """Without the privileges, which EPICS goes on without in silence."""
    for program in programs.iterdir():
        (tmp_path / program.name).symlink_to(program)
    humble = tmp_path / "rtstone-ioc"
    humble.unlink()
    drop = "ulimit -r 0 -l 64\nexec setpriv --bounding-set=-sys_nice,-ipc_lock"
    if os.geteuid() != 0:
        drop = "ulimit -r 0 -l 64\nexec"
    humble.write_text(f'#!/bin/bash\n{drop} {programs}/rtstone-ioc "$@"\n', encoding="utf-8")
    humble.chmod(0o755)
    with running(tmp_path, private()) as (ioc, client):
        assert (client.get("realtime"), client.get("memoryLocked"), client.get("priority")) == (0, 0, 0)
        _compare_standing(ioc, client)
        client.put("samples", 20)
        client.ask(do="collect", names=["count"], start="startOnce", sets=1, seconds=10)
        assert client.get("count") == 20


def test_scan_takes_set_after_set_until_it_is_passive(measuring: tuple[Ioc, Client]) -> None:
    _, client = measuring
    client.put("clear", 1)
    client.put("samples", 100)
    client.put("start.SCAN", ".1 second")
    client.until("sets", 3)
    client.put("start.SCAN", "Passive")
    client.until("state", 0)
    sets = client.get("sets")
    assert client.get("count") == 100 * sets
    assert client.get("sets") == sets


def test_stop_ends_a_set_with_what_it_has(measuring: tuple[Ioc, Client]) -> None:
    _, client = measuring
    client.put("clear", 1)
    client.put("samples", 10_000)
    client.put("startOnce", 1)
    client.until("state", 1)
    client.put("startOnce", 1)  # while one is being taken
    client.put("stop", 1)
    client.until("state", 0)
    client.until("sets", 1)
    assert 0 < client.get("count") < 10_000
    assert client.get("setSamples") == client.get("count") == len(client.get("totalResponse"))
    assert client.get("missedStarts") == 1


def test_clear_forgets_all(measuring: tuple[Ioc, Client]) -> None:
    _, client = measuring
    client.put("samples", 50)
    client.ask(do="collect", names=["count"], start="startOnce", sets=1, seconds=10)
    client.put("clear", 1)
    client.until("count", 0)
    for name in MEASURED:
        assert sum(client.get(f"{name}:histogram")) == 0
        assert math.isnan(client.get(f"{name}:max"))
        assert client.severity(f"{name}:max") == 0


@pytest.mark.parametrize("value", [0, 10_001])
def test_a_number_of_samples_that_cannot_be_is_not_taken(measuring: tuple[Ioc, Client], value: int) -> None:
    _, client = measuring
    client.put("samples", 123)
    client.put("samples", value)
    assert client.get("samples") == 123
    assert client.severity("samples") == 3


def test_pv_access_serves_the_same(measuring: tuple[Ioc, Client]) -> None:
    _, client = measuring
    client.put("samples", 20)
    client.ask(do="collect", names=["count"], start="startOnce", sets=1, seconds=10)
    found = client.ask(do="pva", name="totalResponse:median")
    assert found == {"value": client.get("totalResponse:median"), "severity": 0, "units": "ns"}
    assert client.ask(do="pva", name="totalResponse")["value"] == client.get("totalResponse")


def test_records_document_themselves(measuring: tuple[Ioc, Client]) -> None:
    _, client = measuring
    for name in PARAMETERS:
        for record, unit in (("", "ns"), (":median", "ns"), (":histogram", "samples"), (":percent", "%")):
            assert len(client.text(f"{name}{record}.DESC")) > 5
            assert client.ask(do="describe", name=f"{name}{record}")["units"] == unit
    assert client.ask(do="describe", name="totalResponse:percent")["precision"] == 3


def test_known_values(programs: Path, root: Path, tmp_path: Path) -> None:
    """Negative, too large, beyond the limit: each where it belongs."""
    with running(programs, private(script=scripted(root, tmp_path, programs, "ramp"))) as (_, client):
        client.put("samples", 11)
        client.put("limit", 7000)
        client.put("burst", 1)
        client.ask(do="collect", names=["count"], start="startOnce", sets=1, seconds=10)
        client.put("burst", 0)
        client.ask(do="collect", names=["count"], start="startOnce", sets=1, seconds=10)

        assert client.get("interruptLatency") == [1000 * value for value in range(11, 22)]
        assert client.get("interruptLatency:median") == pytest.approx(10_000, rel=1e-3)
        assert client.get("interruptLatency:over") == 14
        assert client.get("interruptLatency:percent") == pytest.approx(100 * 14 / 22)
        assert client.get("interruptLatency:percentBurst") == pytest.approx(100 * 3 / 11)
        assert client.get("interruptLatency:percentQuiet") == pytest.approx(100)
        assert client.get("interruptLatency:max.HIGH") == 7000
        assert client.severity("interruptLatency:max") == 1
        assert client.severity("interruptLatency:percent") == 2
        assert (client.get("topToBottom:min"), client.get("topToBottom:max")) == (-21, 0)
        assert client.get("topToBottom:median") == -11
        assert client.get("topToBottom:histogram")[0] == 22
        assert client.get("bottomToUserInterrupt:count") == 0
        assert client.get("totalResponse:saturated") == 1
        assert client.get("totalResponse:max") == 2**31 - 1
        client.put("limit", 12_000)  # what comes later is counted by it too
        client.ask(do="collect", names=["count"], start="startOnce", sets=1, seconds=10)
        assert client.get("interruptLatency:over") == 33 - 13


def test_a_sampler_that_does_not_come_back(programs: Path, root: Path, tmp_path: Path) -> None:
    with running(programs, private(script=scripted(root, tmp_path, programs, "stuck:30:4"))) as (ioc, client):
        client.put("samples", 100)
        client.put("startOnce", 1)
        client.until("state", 2)
        assert client.severity("state") == 2
        assert client.message() == "no sample for 0.5 s: the sampler 'scripted' does not come back"
        assert client.get("count") == 30  # no sample that it gave is lost
        client.put("stop", 1)
        client.put("startOnce", 1)
        assert client.get("missedStarts") == 1
        client.put("clear", 1)
        client.until("count", 0)
        client.until("state", 0)  # it has come back, with a sample that counts
        client.until("count", 1)
        client.ask(do="collect", names=["count"], start="startOnce", sets=1, seconds=10)
        assert client.get("count") == 101
        assert ioc.poll() is None


def test_a_sampler_that_fails(programs: Path, root: Path, tmp_path: Path) -> None:
    with running(programs, private(script=scripted(root, tmp_path, programs, "failed:40"))) as (_, client):
        client.put("samples", 100)
        client.put("startOnce", 1)
        client.until("state", 3)
        assert client.message() == "No such device"
        client.until("count", 40)
        client.ask(do="collect", names=["count"], start="startOnce", sets=1, seconds=10)
        client.until("state", 0)
        assert client.get("count") == 140
