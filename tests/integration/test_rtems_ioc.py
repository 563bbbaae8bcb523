# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""RTEMS inside an EPICS IOC, with the installations of `make test-rtems-ioc`: its load is counted, runs are the same to the byte,
and the routine that makes its tail is named."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from rtstone.stream.plan import Item, Plan
from rtstone.targets.boards import firmware
from support.board_command import Command, rtstone
from support.firmware import run, session

__all__ = ["rtstone"]  # the fixture

pytestmark = pytest.mark.rtems_ioc

BOARD, KERNEL = "zynq-a9", "rtems-ioc"
LOADS = (("none", 1), ("ioc", 5), ("ioc-above", 5))
PLAN = Plan(
    seed=1,
    repetition=0,
    items=tuple(
        Item(item=number, measurement="interrupt-stages", count=2000, load=load, intensity=intensity)
        for number, (load, intensity) in enumerate(LOADS)
    ),
)


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        patch.setenv("RTSTONE_WARNINGS_ARE_ERRORS", "1")
        yield firmware.build(BOARD, KERNEL)


def _loads(stream: bytes, item: int) -> dict[str, int]:
    records = [
        json.loads(line[line.index(b"{") : line.rindex(b"}") + 1]) for line in stream.splitlines() if b"{" in line
    ]
    return {r["key"]: int(r["value"]) for r in records if r["t"] == "load" and r["item"] == item}


def test_each_burst_put_and_monitor_is_counted_and_three_runs_are_the_same(image: Path, tmp_path: Path) -> None:
    runs = [run(image, BOARD, KERNEL, PLAN, tmp_path / str(number)) for number in range(3)]
    assert runs[0] == runs[1] == runs[2]
    assert session(runs[0], PLAN).console == ()
    for item in (1, 2):
        load = _loads(runs[0], item)
        assert load["bursts"] > 1
        assert load["puts"] == load["monitors"] + load["monitors_merged"] == 500 * load["bursts"]
        assert load["puts_in_records"] == load["puts"]  # the IOC's count
        assert load["monitors_lost"] == load["puts_failed"] == 0
    assert _loads(runs[0], 2)["raised_interrupt_threads"] > 0


def test_the_record_names_the_ioc_and_its_settings(image: Path, tmp_path: Path) -> None:
    facts = session(run(image, BOARD, KERNEL, PLAN, tmp_path), PLAN).env
    assert facts["ioc.base"].startswith("7.")
    assert facts["ioc.records"] == "5000"
    assert facts["sched.tick_hz"] == "100"
    assert facts["kernel.stack_checks"].startswith("on")
    assert int(facts["priority.TIME"].removeprefix("rtems ")) > 40
    assert {"priority.CAS-TCP", "priority.caput", "priority.camonitor"} <= facts.keys()


@pytest.mark.parametrize("load", ["none", "ioc", "ioc-above"])
def test_the_routine_of_the_tail_is_named(rtstone: Command, load: str) -> None:
    """Twice a second the timer server runs libbsd's callout pfslowtimo, which no task can preempt."""
    words = ("-t", f"board:{BOARD}/{KERNEL}", "-m", "interrupt-response", "--load", load, "--count", "4000", "-r", "1")
    kept = rtstone("run", *words)
    assert kept.code == 0, kept.err
    ended = rtstone("explain", "last", "--json")
    assert ended.code == 0, ended.err
    made = ended.json
    why = made["sample"]["blame"]
    called = (*why["path"], why["function"])
    assert "_Timer_server_Body" in called
    assert "pfslowtimo" in called
    assert made["sample"]["ticks"] > 20 * made["usual"]
    assert [stage["name"] for stage in made["sample"]["stages"]][-1] == "switch and return"


@pytest.mark.parametrize(
    ("variant", "checks", "server"),
    [
        ("", "on,", "not preemptible"),
        ("-unchecked", "off", "not preemptible"),
        ("-preemptible", "on,", "preemptible"),
        ("-unchecked-preemptible", "off", "preemptible"),
    ],
)
def test_a_variant_differs_by_the_setting_that_its_record_names(
    rtstone: Command, variant: str, checks: str, server: str
) -> None:
    words = ("-t", f"board:{BOARD}/{KERNEL}{variant}", "-m", "interrupt-stages", "--count", "4000", "-r", "1", "--json")
    ended = rtstone("run", *words, "--load", "none")
    assert ended.code == 0, ended.err
    (one,) = ended.json["runs"][0]["sessions"]
    assert one["env"]["kernel.stack_checks"].startswith(checks)
    assert one["env"]["kernel.timer_server"].startswith(server)
    (total,) = [result for result in one["results"] if result["quantity"] == "interrupt-task-response"]
    assert (total["min"] < 2000) == (checks == "off")  # ticks of 10 ns
    assert (total["max"] < 10_000) == (server == "preemptible")


def test_a_second_intensity_is_refused_with_its_reason(image: Path, tmp_path: Path) -> None:
    items = tuple(
        Item(item=number, measurement="interrupt-stages", count=200, load="ioc", intensity=intensity)
        for number, intensity in enumerate((1, 2))
    )
    stream = run(image, BOARD, KERNEL, Plan(seed=1, repetition=0, items=items), tmp_path)
    assert b"they can be started once in a session" in stream
    assert _loads(stream, 0)["bursts"] > 0
