# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The plan for a target has the target's own defaults where the user left them open, and nothing that it cannot do."""

from __future__ import annotations

import pytest

from rtstone.errors import UsageError
from rtstone.measure import ask, require_trail
from rtstone.studies import LIVE, Chosen, Request, study
from rtstone.targets import open_target

REQUEST = Request(studies=(study("sscl"),), profile="quick")


def _periods(target: str, period_ns: int | None = None) -> set[int]:
    asked = ask(open_target(target), Request(studies=REQUEST.studies, profile="quick", period_ns=period_ns))
    return {item.period_ns for plan in asked.plans for item in plan.items if item.measurement == "interrupt-response"}


def test_a_board_whose_interrupt_is_slow_is_asked_no_faster() -> None:
    """Nobody has to know what the device can do."""
    assert _periods("board:pc-pci/linux-6.1-rt") == {110_000_000}
    assert _periods("board:pc-pci/linux-6.1-rt", 200_000_000) == {200_000_000}
    assert _periods("board:pc/linux-6.1-rt") == {250_000}


def test_a_period_that_it_cannot_keep_is_refused() -> None:
    with pytest.raises(UsageError, match=r"--period: .*board:pc-pci/linux-6.1-rt .* 110 ms and more$"):
        _periods("board:pc-pci/linux-6.1-rt", 1_000_000)


def test_boards_have_loads_and_repetitions_of_their_own() -> None:
    board = ask(
        open_target("board:arm64/bare"), Request(studies=REQUEST.studies, profile="quick", loads=(), repetitions=0)
    )
    assert len(board.plans) == 5
    assert {item.load for plan in board.plans for item in plan.items} == {"none", "traffic"}
    assert board.virtual


def test_a_trail_is_refused_where_nothing_keeps_one() -> None:
    def ask_all(request: Request, *targets: str) -> None:
        require_trail([ask(open_target(target), request) for target in targets], request)

    def named(name: str, trace_over_ns: int = 100_000) -> Request:
        return Request(measurements=(Chosen(name=name, paced=True),), profile="quick", trace_over_ns=trace_over_ns)

    ask_all(named("interrupt-split"), "local")
    ask_all(named("interrupt-response", 0), "local")
    with pytest.raises(UsageError, match="--trace-over: no measurement here saves an event trail; interrupt-split"):
        ask_all(named("interrupt-response"), "local")
    # A study has the split on a machine of silicon alone: that is enough for one of two targets.
    studied = Request(studies=REQUEST.studies, profile="quick", trace_over_ns=100_000, given=(LIVE,))
    ask_all(studied, "board:arm64/bare", "local")
    with pytest.raises(UsageError, match="--trace-over"):
        ask_all(studied, "board:arm64/bare")
