# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The checks of an IOC's load: each verdict that they can give, from a record that calls for it."""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from rtstone.model import LoadFigure, Result, Run
from rtstone.studies import study
from rtstone.studies.conditions import Finding, judge
from support.measured import run_for

BOARD = "board:pc/linux-6.1"
PAPERS = {"records": 5000, "pause_ms": 5000, "bursts": 2, "puts": 10_000, "monitors": 10_000, "burst_ns": 10**9}


def _under(figures: dict[str, int]) -> Callable[[Result], Result]:
    def change(result: Result) -> Result:
        load = result.variant.load
        return result if load == "none" else replace(result, load=tuple(LoadFigure(load, *f) for f in figures.items()))

    return change


def _finding(run: Run, name: str) -> Finding:
    return next(f for f in judge(run, study("aps")) if f.check == name)


def _loaded(figures: dict[str, int], *loads: str) -> Run:
    return run_for("aps", loads=("none", *(loads or ("ioc",))), change=_under(figures))


def test_the_papers_bursts_are_met() -> None:
    found = _finding(_loaded(PAPERS, "ioc", "ioc-above"), "ioc-load")
    assert (found.verdict, found.ours) == ("met", "5000 puts and monitors every 5 s")
    assert "10 000 puts/s within bursts" in found.evidence


def test_what_a_load_did_counts_once_an_item() -> None:
    """All quantities of an item carry the figures of its load."""
    run = _loaded(PAPERS)
    loaded = [(n, r.item) for n, session in enumerate(run.sessions) for r in session.results if r.load]
    items = len(set(loaded))
    assert items < len(loaded)
    assert f"{2 * items} bursts" in _finding(run, "ioc-load").evidence
    assert f"ioc bursts {2 * items}" in _finding(run, "load").evidence


def test_shorter_bursts_are_a_substitute() -> None:
    found = _finding(_loaded(PAPERS | {"records": 400, "pause_ms": 400}), "ioc-load")
    assert found.verdict == "substituted"
    assert found.ours == "400 puts and monitors every 0.4 s: as many a second, in shorter bursts"


def test_lost_monitors_are_no_such_load() -> None:
    found = _finding(_loaded(PAPERS | {"monitors_lost": 1}), "ioc-load")
    assert (found.verdict, found.ours) == ("not met", "monitors were lost")


def test_other_loads_and_none_are_not_it() -> None:
    other = _finding(_loaded({"programs": 1}, "cpu"), "ioc-load")
    assert (other.verdict, other.ours) == ("substituted", "another load: cpu")
    assert _finding(run_for("aps", loads=("none",)), "ioc-load").verdict == "not met"
    silent = _finding(_loaded({"records": 5000}), "ioc-load")
    assert (silent.verdict, silent.evidence) == ("not met", "no puts in the record")


def _clients(figures: dict[str, int], target: str) -> Finding:
    return _finding(replace(_loaded(PAPERS | figures), target=target), "ioc-clients")


def test_clients_behind_a_network_share_the_cpu() -> None:
    found = _clients({"near_interrupts": 7}, BOARD)
    assert found.verdict == "substituted"
    assert found.evidence.endswith("interrupts of the IOC's network device")
    outside = _clients({"near_interrupts": 7, "outside": 1}, BOARD)
    assert (outside.verdict, outside.evidence) == ("met", found.evidence)
    assert _clients({"outside": 1}, BOARD).verdict == "not met"
    assert _clients({}, BOARD).verdict == "not met"


def test_clients_on_a_live_machine_are_elsewhere_only_where_their_kernel_is_another_one() -> None:
    """A name space of this machine has network devices too."""
    beside = _clients({"near_interrupts": 7, "outside": 0}, "ioc")
    assert (beside.verdict, beside.ours) == ("not met", "on this machine: their work takes its CPUs' time")
    elsewhere = _clients({"outside": 1}, "ioc")
    assert (elsewhere.verdict, elsewhere.ours) == ("met", "on another machine")


def test_no_load_has_no_clients() -> None:
    assert _finding(run_for("aps"), "ioc-clients").verdict == "not met"
