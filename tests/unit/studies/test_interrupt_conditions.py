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


def test_a_user_level_isr_is_there_or_why_not() -> None:
    assert verdict(run_for("aps"), "user-isr") == "met"

    def without(result: Result) -> Result:
        return skipped(result, "no module") if result.measurement.startswith("user-isr") else result

    found = finding(run_for("aps", change=without), "user-isr")
    assert (found.verdict, found.evidence) == ("not met", "no module")


def test_a_stock_kernel_stamps_three_delays_of_one_interrupt() -> None:
    run = run_for("aps", given=("live",))
    assert verdict(run, "delays-of-one-interrupt") == "met"

    def stock(result: Result) -> Result:
        told = noted(result, "kernel-split", "its timer function is taken for the handler")
        return told if result.measurement == "interrupt-split" else skipped(result, "no module")

    found = finding(run_for("aps", given=("live",), change=stock), "delays-of-one-interrupt")
    assert (found.verdict, found.evidence) == (
        "substituted",
        "expiry-to-handler, context-switch-delay, split-task-response",
    )
    assert "a timer has no bottom half of its own and sends no signal" in found.ours
    source = finding(run_for("aps", given=("live",), change=stock), "interrupt-source")
    assert (source.verdict, source.evidence) == ("substituted", "source: hrtimer")


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
    assert (found.verdict, found.evidence) == ("substituted", "no such threads")
    assert verdict(run_for("aps"), "interrupt-threads") == "not met"
