# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The checks of INFN's network conditions, each with every verdict that it can give."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from rtstone.model import Figure, Result, Run
from rtstone.studies import study
from rtstone.studies.conditions import Finding, judge
from support.measured import TRANSFER, run_for, skipped


def of(result: Result, **changes: int) -> Result:
    """The result with a transfer's figures, if it is one."""
    if not result.measurement.startswith(("tcp-", "udp-")):
        return result
    small = {"window_bytes": 8192, "bytes_received": 2_048_000} if result.measurement.endswith("-8k") else {}
    told = {**TRANSFER, **small, **changes}
    return replace(result, figures=tuple(Figure(name, "x", value) for name, value in told.items()))


def run(**changes: int) -> Run:
    return run_for("infn", change=lambda result: of(result, **changes))


def found(of_run: Run, check: str) -> Finding:
    return next(finding for finding in judge(of_run, study("infn")) if finding.check == check)


@pytest.mark.parametrize("check", ["ends-share-cpu", "across-a-link", "block-and-window", "window-sizes"])
def test_without_a_transfer_nothing_is_met(check: str) -> None:
    assert found(run_for("infn"), check).verdict == "not met"


def test_both_ends_on_one_cpu() -> None:
    assert found(run(), "ends-share-cpu").verdict == "met"
    apart = found(run(receiver_cpu=0), "ends-share-cpu")
    assert apart.verdict == "not met"
    assert "sender on CPU 1, receiver on CPU 0" in apart.evidence


def test_a_veth_pair_stands_in_for_a_link_and_a_peer_is_one() -> None:
    assert found(run(), "across-a-link").verdict == "substituted"

    def far(**told: int) -> Finding:
        def change(result: Result) -> Result:
            name = result.measurement.replace("-link", "-to-peer")
            return replace(of(result, **told), measurement=name, quantity=name)

        return found(run_for("infn", change=change), "across-a-link")

    assert far(peer_elsewhere=1).verdict == "met"
    assert (far(peer_elsewhere=0).verdict, far(peer_elsewhere=0).ours.endswith("on this machine")) == (
        "substituted",
        True,
    )
    # An older release did not report it.
    assert far().verdict == "substituted"
    assert "may be this one" in far().ours

    def refused(result: Result) -> Result:
        return skipped(result, "no name space", "denied") if "-link" in result.measurement else of(result)

    none = found(run_for("infn", change=refused), "across-a-link")
    assert (none.verdict, none.evidence) == ("not met", "no name space")
