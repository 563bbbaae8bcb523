# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Runs that cannot be explained are refused in a line that says why."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from rtstone.errors import UsageError
from rtstone.explain import explain, explain_term, scheduling_bound
from rtstone.model import Variant
from support.runs import make_result, make_run, skipped


def test_a_kernel_of_one_s_own_without_a_probe_is_refused() -> None:
    """Its interrupt is measured from user space: no handler of the kernel's answers it, and no quantity is of one."""
    values = [1000 + i for i in range(100)]
    only = make_result("interrupt-task-response", measurement="interrupt-response", values=values, variant=Variant())
    host = {"board.kernel.probe": "no headers to build the probe module against"}
    run = make_run("r-1", results=(only,), target="board:pc/kernel:/k", time="instruction-time", host=host)
    with pytest.raises(UsageError, match=r"from user space alone.*no headers"):
        explain(run, [b""])


def _split(values: list[int], **changes: Any) -> Any:
    made = make_result("interrupt-task-response", measurement="interrupt-split", values=values)
    return msgspec.structs.replace(made, **{"variant": Variant(trace_over_ns=10**9), **changes})


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        (
            {"status": "incomplete", "error": "local: silent for 33 s and ended"},
            "the run failed: local: silent for 33 s and ended; run r-1 has no samples of interrupt-task-response",
        ),
        ({"status": "interrupted"}, "the run was interrupted; run r-1 has no samples of interrupt-task-response"),
    ],
)
def test_a_run_that_failed_is_refused_with_its_recorded_reason(changes: dict[str, Any], why: str) -> None:
    none = _split([1], status="incomplete", count=0, min=None, max=None, histogram=None, extremes=())
    run = msgspec.structs.replace(make_run("r-1", results=(none,)), **changes)
    with pytest.raises(UsageError) as refused:
        explain(run, [])
    assert str(refused.value).startswith(why)
    assert refused.value.exit_code == 2


def test_a_complete_run_is_refused_without_a_word_of_failure() -> None:
    with pytest.raises(UsageError, match=r"^run r-1: no sample of load none was above 1\.00 s") as refused:
        explain(make_run("r-1", results=(_split([5, 6]),)), [])
    assert "failed" not in str(refused.value)


def test_a_measurement_that_was_skipped_is_refused_with_its_recorded_reason() -> None:
    lack = msgspec.structs.replace(skipped("interrupt-split", text="BPF is not permitted"), variant=Variant())
    with pytest.raises(UsageError, match=r"which interrupt-split measures: BPF is not permitted$"):
        explain(make_run("r-1", results=(lack,)), [])


def test_a_failed_run_of_a_board_without_its_streams_is_refused_with_its_recorded_reason_for_a_term_too() -> None:
    both = tuple(
        make_result(name, measurement="interrupt-response", values=[5])
        for name in ("context-switch-delay", "interrupt-task-response")
    )
    whole = make_run("r-1", results=both, target="board:arm64-bound/linux-6.1-rt", time="instruction-time")
    run = msgspec.structs.replace(whole, status="incomplete", error="the guest was silent")
    for refusing in (lambda of: explain_term(of, [], "D_POID"), lambda of: scheduling_bound(of, [])):
        with pytest.raises(UsageError, match=r"^run r-1 is kept without its record streams"):
            refusing(whole)
        with pytest.raises(UsageError, match=r"^the run failed: the guest was silent; run r-1 is kept without"):
            refusing(run)
