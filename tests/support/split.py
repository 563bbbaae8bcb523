# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Properties of the records of an `interrupt-split` with raw samples, on any kernel."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

Records = Sequence[dict[str, Any]]

STAGES = ["expiry-to-handler", "handler-to-waking", "waking-to-switch", "switch-to-user"]


def require_run(code: int, said: str) -> None:
    """The run ended well, or was doubtful for one reason alone.

    The kernel reports nothing of samples that interrupted a supervisor's thread (spec/measurements.md). If they are too
    many, the run's check and its exit code report it; in all else it is an ordinary run.
    """
    untold = "first interrupt-task-response: samples-unmatched is" in said
    assert code == (4 if untold else 0), said


def series(records: Records) -> dict[str, list[int]]:
    """The samples of each series by its name."""
    names = {r["index"]: r["name"] for r in records if r["t"] == "series"}
    values: dict[str, list[int]] = {name: [] for name in names.values()}
    for r in records:
        if r["t"] == "samples":
            values[names[r["series"]]] += r["v"]
    return values


def figures(records: Records) -> dict[str, int]:
    """The figures by name."""
    return {r["name"]: int(r["value"]) for r in records if r["t"] == "figure"}


def assert_accounted(records: Records, samples: int) -> None:
    """Every sample has its stages or a reason, nearly all that were waited for have stages, no event is lost; the engine finds so too."""
    values, told = series(records), figures(records)
    assert len(values["interrupt-task-response"]) == samples
    assert {len(values[stage]) for stage in (*STAGES, "split-task-response")} == {told["samples-split"]}
    reasons = sum(value for name, value in told.items() if name.startswith("unsplit-"))
    assert told["samples-split"] + reasons == samples
    # A sample whose period had passed before the task waited, or that found it awake, has no wake-up to be taken apart. Such come when
    # the CPU is taken away.
    assert told["samples-split"] > 0.9 * (samples - told["unsplit-late"] - told["unsplit-awake"]) > 0
    assert told["events-lost"] == 0
    assert {r["status"] for r in records if r["t"] == "end"} == {"ok"}


def assert_stages_of_samples(records: Records) -> None:
    """Boundaries are in order, and the stages' sums are samples of the whole path, in their order: none is made up."""
    values = series(records)
    stages = list(zip(*(values[stage] for stage in STAGES), strict=True))
    assert all(part >= 0 for parts in stages for part in parts)
    assert [parts[2] + parts[3] for parts in stages] == values["context-switch-delay"]
    assert [sum(parts) for parts in stages] == values["split-task-response"]
    whole = iter(values["interrupt-task-response"])  # those in between have no stages
    assert all(sum(parts) in whole for parts in stages)
