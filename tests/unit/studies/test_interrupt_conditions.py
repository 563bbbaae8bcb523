# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The checks of an interrupt's way to the task: each verdict that they can give, from a record that calls for it."""

from __future__ import annotations

from msgspec.structs import replace

from rtstone.model import LoadFigure, Result, Run, Session
from rtstone.studies import study
from rtstone.studies.conditions import Finding, judge
from support.measured import noted, run_for, skipped

SOFTWARE = "software"


def finding(run: Run, name: str) -> Finding:
    return next(f for f in judge(run, study("aps")) if f.check == name)


def verdict(run: Run, name: str) -> str:
    return finding(run, name).verdict


def sessions(run: Run, **changes: object) -> Run:
    def changed(session: Session) -> Session:
        return replace(session, **changes)

    return replace(run, sessions=tuple(changed(s) for s in run.sessions))


def test_the_bottom_half_is_the_kernels_or_a_task() -> None:
    run = run_for("aps")
    assert verdict(run, "bottom-half") == "met"
    assert "tasklet, thread, work queue" in finding(run, "bottom-half").evidence
    assert verdict(sessions(run, port="freertos"), "bottom-half") == "met"
    assert "vxWorks" in finding(sessions(run, port="freertos"), "bottom-half").ours
    stand_in = run_for("aps", change=lambda r: noted(r, "timer", "a thread stands in for the handler"))
    assert verdict(stand_in, "bottom-half") == "substituted"


def test_the_trigger_is_software_or_a_timer() -> None:
    assert verdict(run_for("aps"), "software-trigger") == "met"

    def no_software(result: Result) -> Result:
        return skipped(result) if result.variant.timer == SOFTWARE else result

    assert verdict(run_for("aps", change=no_software), "software-trigger") == "substituted"


def test_a_user_level_isr_is_there_or_why_not() -> None:
    assert verdict(run_for("aps"), "user-isr") == "met"

    def without(result: Result) -> Result:
        return skipped(result, "no module") if result.measurement.startswith("user-isr") else result

    found = finding(run_for("aps", change=without), "user-isr")
    assert (found.verdict, found.evidence) == ("not met", "no module")


def test_stages_and_total_are_both_measured() -> None:
    assert verdict(run_for("aps"), "total-by-itself") == "met"

    def no_total(result: Result) -> Result:
        return skipped(result) if result.measurement.endswith("-total") else result

    assert verdict(run_for("aps", change=no_total), "total-by-itself") == "not met"


def test_an_hour_is_an_hour_of_each_loaded_line() -> None:
    assert verdict(run_for("aps"), "duration") == "not met"
    assert verdict(run_for("aps", change=lambda r: replace(r, elapsed=3600 * 10**9)), "duration") == "met"

    def one_short(result: Result) -> Result:
        return replace(result, elapsed=(3600 if result.item else 3599) * 10**9)

    loaded_first = run_for("aps", change=one_short, loads=("cpu", "none"))
    assert verdict(loaded_first, "duration") == "not met"
    assert verdict(run_for("aps", loads=("none",)), "duration") == "not met"


def test_the_public_network_needs_its_load() -> None:
    assert verdict(run_for("aps"), "load-present") == "not met"
    assert verdict(run_for("aps", loads=("public-network",)), "load-present") == "met"


def test_interrupt_threads_below_and_above() -> None:
    def raised(result: Result) -> Result:
        above = result.variant.load == "network-above"
        return (
            replace(result, load=(LoadFigure("network-above", "interrupt_thread_priority", 93),)) if above else result
        )

    both = ("network", "network-above")
    assert verdict(run_for("aps", loads=both, change=raised), "interrupt-threads") == "met"

    def not_here(result: Result) -> Result:
        return skipped(result, "no such threads") if result.variant.load == "network-above" else result

    found = finding(run_for("aps", loads=both, change=not_here), "interrupt-threads")
    assert (found.verdict, found.evidence) == ("not met", "no such threads")
    assert verdict(run_for("aps"), "interrupt-threads") == "not met"


def test_the_ioc_and_the_preemption_model_are_facts_of_the_record() -> None:
    run = run_for("aps")
    assert verdict(run, "inside-ioc") == "substituted"
    assert verdict(sessions(run, env={"ioc.base": "7.0"}), "inside-ioc") == "met"
    assert verdict(run, "preemption-model") == "not met"
    assert verdict(sessions(run, env={"kernel.preempt": "full"}), "preemption-model") == "met"
    assert verdict(sessions(run, port="bare"), "preemption-model") == "met"
