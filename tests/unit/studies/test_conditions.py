# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Each check of a paper's condition: met by a record that shows it, and not by one that does not."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from msgspec.structs import replace

from rtstone.model import Check, Degraded, LoadFigure, Result, Run
from rtstone.studies import studies, study
from rtstone.studies._checking import check
from rtstone.studies.conditions import CHECKS, Finding, judge
from support.measured import run_for

QUIET = {"cpu.measured.others_percent": "0.40", "cpu.measured.steal_percent": "0.00"}
NO_RT = (Degraded("no-realtime", "SCHED_FIFO is refused", "sudo setcap cap_sys_nice=ep rtstone-engine"),)


def verdict(run: Run, study_id: str, name: str, which: int = 0) -> str:
    """Verdict of the study's `which`-th condition with this check."""
    return [f for f in judge(run, study(study_id)) if f.check == name][which].verdict


def only(measurement: str, change: Callable[[Result], Result]) -> Callable[[Result], Result]:
    """The change for one measurement alone."""
    return lambda result: change(result) if result.measurement == measurement else result


def test_an_empty_run_meets_nothing() -> None:
    run = replace(run_for("sscl"), sessions=())
    for each in studies():
        assert {f.verdict for f in judge(run, each)} == {"not met"}, each.id
        assert all(f.ours for f in judge(run, each))


def test_clock_and_cache_state_is_judged_within_each_table() -> None:
    assert verdict(run_for("sscl"), "sscl", "clock-and-cache-state") == "met"

    def flush(result: Result) -> Result:
        return replace(result, variant=replace(result.variant, cache="flushed"))

    one = run_for("sscl", change=only("queue-fill", flush))
    assert verdict(one, "sscl", "clock-and-cache-state") == "not met"
    other_table = run_for("sscl", change=only("interrupt-response", flush))
    assert verdict(other_table, "sscl", "clock-and-cache-state") == "met"


def test_checks_must_be_there_and_hold() -> None:
    assert verdict(run_for("rhealstone"), "rhealstone", "checks-hold") == "met"
    broken = run_for(
        "rhealstone", change=only("task-switch", lambda r: replace(r, checks=(Check("switches", 3, 9, 9),)))
    )
    assert verdict(broken, "rhealstone", "checks-hold") == "not met"
    silent = run_for("rhealstone", change=only("task-switch", lambda r: replace(r, checks=())))
    assert verdict(silent, "rhealstone", "checks-hold") == "not met"


def test_samples_are_counted() -> None:
    run = run_for("slac")
    assert verdict(run, "slac", "sample-count") == "not met"
    assert verdict(run_for("slac", change=lambda r: replace(r, count=2_000_000)), "slac", "sample-count") == "met"
    idle_only = run_for("slac", change=lambda r: replace(r, count=2_000_000 if r.variant.load == "none" else 1_999_999))
    assert verdict(idle_only, "slac", "sample-count") == "not met"


def test_idle_is_believed_only_with_figures() -> None:
    assert verdict(run_for("slac"), "slac", "idle-was-idle") == "not met"
    assert verdict(run_for("slac", host=QUIET), "slac", "idle-was-idle") == "met"
    busy = {**QUIET, "cpu.measured.others_percent": "12.00"}
    assert verdict(run_for("slac", host=busy), "slac", "idle-was-idle") == "not met"
    stolen = {**QUIET, "cpu.measured.steal_percent": "0.60"}
    assert verdict(run_for("slac", host=stolen), "slac", "idle-was-idle") == "substituted"
    garbled = {**QUIET, "cpu.measured.steal_percent": "?"}
    assert verdict(run_for("slac", host=garbled), "slac", "idle-was-idle") == "not met"
    assert verdict(run_for("slac", loads=["cpu"], host=QUIET), "slac", "idle-was-idle") == "not met"


def test_other_interrupts_are_found_in_the_record() -> None:
    clock = {"interrupts_per_s.LOC": "250.0"}
    network = {"interrupts_per_s.24 virtio0-input.0": "3.0"}
    disk = {"interrupts_per_s.25 virtio1-req.0": "3.0"}
    for host, expected in (
        ({}, "not met"),
        (clock, "not met"),
        (clock | disk, "not met"),
        (clock | network, "met"),
        ({**clock, **network, "interrupts_per_s.24 virtio0-input.0": "0.0"}, "not met"),
    ):
        assert verdict(run_for("sscl", host=dict(host)), "sscl", "other-interrupt-sources") == expected


def test_a_load_brings_other_interrupts() -> None:
    """The shared load has a timer and a serial line, Linux's own a network as well. A silent source does not count."""

    def loaded(load: str, **per_second: int) -> Run:
        figures = tuple(LoadFigure(load, f"{key}_interrupts_per_s", value) for key, value in per_second.items())
        return run_for("sscl", change=only("interrupt-response", lambda r: replace(r, load=figures)))

    for run, expected in (
        (loaded("traffic", timer=1000, line=999), "substituted"),
        (loaded("traffic", timer=1000, line=0), "not met"),
        (loaded("network", near=1500, far=1500, line=400), "not met"),
        (replace(loaded("network", near=1500, far=1500, line=400), host={"interrupts_per_s.LOC": "250.0"}), "met"),
    ):
        assert verdict(run, "sscl", "other-interrupt-sources") == expected


def test_another_hosts_load_is_met_only_by_another_host_through_devices() -> None:
    """Each of its figures that is 0 makes it a stand-in. A figure that is not reported (no line) does not."""
    whole = {"pings_sent": 9, "peer_elsewhere": 1, "near_interrupts": 8, "serial_line": 1, "line_interrupts": 7}

    def found(**figures: int) -> str:
        told = tuple(LoadFigure("network-peer", key, value) for key, value in figures.items())
        change = only("interrupt-response", lambda r: r if r.variant.load == "none" else replace(r, load=told))
        return verdict(run_for("slac", loads=("none", "network-peer"), change=change), "slac", "load")

    assert found(**whole) == "met"
    for key in ("peer_elsewhere", "near_interrupts", "serial_line", "line_interrupts"):
        assert found(**whole | {key: 0}) == "substituted", key
    assert found(**dict.fromkeys(whole, 0)) == "not met"


def test_a_stage_that_the_kernel_did_not_tell_of_leaves_its_interrupt_among_the_samples() -> None:
    def split(load: str, whole: int, stages: int) -> list[Result]:
        first = run_for("slac").results()[0]
        ours = replace(first, measurement="interrupt-split", item=7 if load == "none" else 8)
        ours = replace(ours, variant=replace(ours.variant, load=load))
        counts = {"interrupt-task-response": whole, "expiry-to-handler": stages, "context-switch-delay": stages}
        return [replace(ours, quantity=quantity, count=count) for quantity, count in counts.items()]

    def judged(idle: tuple[int, int], loaded: tuple[int, int]) -> Finding:
        run = run_for("slac")
        results = (*split("none", *idle), *split("network", *loaded))
        run = replace(run, sessions=(replace(run.sessions[0], results=results),))
        (found,) = (f for f in judge(run, study("slac")) if f.check == "sample-count")
        return found

    whole, some = (2_000_000, 2_000_000), (2_000_000, 1_999_993)
    assert judged(whole, whole).verdict == "met"
    found = judged(whole, some)
    assert found.verdict == "substituted"
    assert "2 000 000 samples or more, of which up to 7 have no stages" in found.ours
    assert judged(whole, (1_999_999, 1_999_993)).verdict == "not met"


def test_a_name_is_given_to_one_check() -> None:
    assert len(CHECKS) >= 16
    with pytest.raises(ValueError, match="two checks named 'one-cpu'"):
        check("one-cpu")(CHECKS["one-cpu"])


def test_turns_of_comparison_are_no_samples_of_the_papers() -> None:
    run = run_for("slac")

    def ours(quantity: str, count: int) -> Result:
        return replace(run.results()[0], measurement="interrupt-split", quantity=quantity, count=count)

    few = (*run.sessions[0].results, ours("expiry-to-handler", 3_000_000), ours("untraced-task-response", 7))
    with_split = replace(run, sessions=(replace(run.sessions[0], results=few),))
    (found,) = (f for f in judge(with_split, study("slac")) if f.check == "sample-count")
    (before,) = (f for f in judge(run, study("slac")) if f.check == "sample-count")
    assert "7," not in found.evidence
    assert found.verdict == before.verdict
