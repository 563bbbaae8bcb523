# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""This machine measured inside an IOC: a run like any other, from which no sample is missing, and nothing left behind."""

from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path

import pytest

from rtstone.errors import InfrastructureError, UsageError
from rtstone.measure import measure
from rtstone.model import Result, Run
from rtstone.stream.plan import Item, Plan
from rtstone.studies import study
from rtstone.studies.conditions import judge
from rtstone.targets import open_target
from support.children import children, words
from support.images import lasting, lasting_cache

__all__ = ["lasting"]  # the fixture

pytestmark = pytest.mark.timeout(300)

COUNT = 4800  # in 1.2 s; a burst takes a millisecond, so that each of some six has several samples
INTENSITY = 2
ITEMS = tuple(
    Item(item=number, measurement=name, count=COUNT, load=load, intensity=INTENSITY, period_ns=250_000)
    for number, (load, name) in enumerate(
        (load, name) for load in ("none", "ioc") for name in ("interrupt-stages", "interrupt-total")
    )
)
PLAN = Plan(seed=1, repetition=0, items=ITEMS)
STAGES = ("interrupt-task-response", "interrupt-service-response", "top-to-bottom-half", "context-switch-delay")


@pytest.fixture(scope="module")
def run(root: Path) -> Run:
    with lasting_cache(root):
        return measure("ioc", lambda _: PLAN, 1, studies=("aps",)).run


def _load(result: Result) -> dict[str, int]:
    return {figure.key: figure.value for figure in result.load}


@pytest.mark.needs("host-processes")
def test_it_is_a_run_of_what_was_measured_in_the_ioc(run: Run) -> None:
    assert (run.status, run.target) == ("complete", "ioc")
    (session,) = run.sessions
    assert int(session.env["ioc.records"]) > 100 * INTENSITY
    assert "host.machine.id" in run.host
    parties = {
        key.removeprefix("priority."): value for key, value in session.env.items() if key.startswith("priority.")
    }
    assert {"CAS-TCP", "scan-1", "ksoftirqd/0"} <= parties.keys()
    standings = [value.split() for name, value in parties.items() if name != "more"]
    assert all(
        0 < int(number) < 100 if class_ in {"fifo", "rr"} else (class_, number) == ("other", "0")
        for class_, number in standings
    )
    found = {finding.check: finding for finding in judge(run, study("aps"))}
    assert found["inside-ioc"].verdict == "met"
    assert (found["ioc-clients"].verdict, found["ioc-clients"].ours) == (
        "not met",
        "on this machine: their work takes its CPUs' time",
    )


def test_as_many_samples_come_out_as_were_taken(run: Run) -> None:
    """Of every delay, in its histogram as in its count, in bursts and between them."""
    results = list(run.results())
    assert {r.status for r in results} == {"ok"}
    totals = [r for r in results if r.quantity == STAGES[0]]
    assert [(r.measurement, r.variant.load) for r in totals] == [(item.measurement, item.load) for item in ITEMS]
    for result in results:
        assert result.count == COUNT, result.quantity
        assert result.histogram is not None
        assert result.histogram.count == COUNT, result.quantity
    for result in totals:
        told = {figure.name.removeprefix(result.quantity): figure.value for figure in result.figures}
        if result.variant.load == "ioc":
            assert told["-in-bursts"] > 0
            assert told["-in-bursts"] + told["-between-bursts"] == COUNT


def test_every_put_is_monitored(run: Run) -> None:
    loaded = [result for result in run.results() if result.variant.load == "ioc"]
    assert loaded
    for result in loaded:
        told = _load(result)
        assert (told["outside"], told["records"], told["pause_ms"]) == (0, 100 * INTENSITY, 100 * INTENSITY)
        assert told["puts"] == told["monitors"] + told["monitors_merged"] == told["bursts"] * told["records"] > 0
        assert (told["monitors_lost"], told["puts_failed"]) == (0, 0)


@pytest.mark.needs("bpf")
def test_the_kernels_own_stamps_are_taken_inside_too(root: Path) -> None:
    """Handler, switch and total of one interrupt without a module.

    For the other two delays the sheet has the reason.
    """
    item = Item(item=0, measurement="interrupt-split", count=2000, load="ioc", intensity=INTENSITY, period_ns=500_000)
    with lasting_cache(root):
        split = measure("ioc", lambda _: Plan(seed=1, repetition=0, items=(item,)), 1, studies=("aps",)).run
    found = {result.quantity: result for result in split.results()}
    assert {result.status for result in found.values()} == {"ok"}, [r.text or r.checks for r in found.values()]
    told = {figure.name: figure.value for figure in found["interrupt-task-response"].figures}
    reasons = sum(value for name, value in told.items() if name.startswith("unsplit-"))
    stamped = {found[name].count for name in ("expiry-to-handler", "context-switch-delay", "split-task-response")}
    assert stamped == {told["samples-split"]} == {item.count - reasons}
    assert told["interrupt-task-response-in-bursts"] + told["interrupt-task-response-between-bursts"] == item.count
    sums = [found[name].sum for name in ("expiry-to-handler", "handler-to-waking", "context-switch-delay")]
    assert sum(sums) == found["split-task-response"].sum
    sheet = {finding.check: finding for finding in judge(split, study("aps"))}
    assert "a timer has no bottom half of its own and sends no signal" in sheet["delays-of-one-interrupt"].ours


# ---- ends ------------------------------------------------------------------------------------------------------

LONG = Plan(
    seed=1,
    repetition=0,
    items=(Item(item=0, measurement="interrupt-total", count=100_000, load="ioc", period_ns=1_000_000),),
)
PARTS = {"rtstone-ioc", "rtstone-caput", "rtstone-camonitor"}


def _programs() -> dict[str, int]:
    """Ours that this process started, by name."""
    found = {Path(b"".join(words(child)[:1]).decode()).name: child for child in children(os.getpid())}
    return {name: child for name, child in found.items() if name in PARTS}


@pytest.mark.parametrize("struck", [None, *sorted(PARTS)])
def test_nothing_outlives_it(struck: str | None) -> None:
    """When asked to end, it reports its results. When a part dies, the whole ends, with a line that names the part."""
    lines: list[bytes] = []
    said = ""
    with open_target("ioc") as target:

        def strike() -> None:
            until = time.monotonic() + 60
            while _programs().keys() != PARTS and time.monotonic() < until:
                time.sleep(0.05)
            time.sleep(0.5)
            if struck is None:
                target.stop()
            else:
                os.kill(_programs()[struck], signal.SIGKILL)

        target.deploy()
        thread = threading.Thread(target=strike)
        thread.start()
        try:
            lines.extend(target.start(LONG))
        except InfrastructureError as error:
            said = str(error)
        thread.join()
    assert not _programs()
    if struck is None:
        assert not said
        assert any(b'"status":"interrupted"' in line for line in lines)
    else:
        assert struck.removeprefix("rtstone-") in said, said


def test_two_sorts_of_bursts_are_two_runs() -> None:
    items = tuple(Item(item=i, measurement="interrupt-total", load="ioc", intensity=i + 1) for i in range(2))
    with open_target("ioc") as target, pytest.raises(UsageError, match="intensity 1 and 2 need a run each"):
        list(target.start(Plan(seed=1, repetition=0, items=items)))
