# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Doubts about a run's figures, which the user can remove, and notes on them, which nobody can change."""

from __future__ import annotations

from collections.abc import Sequence

from rtstone.model import Run
from rtstone.model.labels import hypervisor
from rtstone.model.verdict import verdict
from rtstone.show.tables import _labels as labels


def doubts(run: Run) -> tuple[str, ...]:
    """Faults to fix before relying on the run: losses, missing privileges, other work. The gravest is first.

    Returns an empty tuple for a run without a doubt.
    """
    return verdict(run).doubts


def notes(run: Run, beside: Sequence[Run] = ()) -> tuple[str, ...]:
    """Facts on every run of this target: instruction-time, a virtual machine, loads that it lacks. `beside`: the runs
    shown with it."""
    found = []
    if labels.beside_other_platforms(run, beside):
        found.append("boards of several platforms, not comparable with each other")
    if run.time != "time":
        found.append(f"{labels.unit_of_time(run)}: not the time of real hardware")
    virtual = next((v for s in run.sessions if (v := s.env.get("machine.virtualisation", "none")) != "none"), "")
    if virtual and run.time == "time":
        found.append(f"virtual machine ({hypervisor(virtual)})")
    found += [f"nothing measured under the load {load}: {why}" for load, why in _missing_loads(run).items()]
    return tuple(found)


def _missing_loads(run: Run) -> dict[str, str]:
    """The loads without any figure, and why, for measurements that have figures under another load."""
    results = run.results()
    measured = {one.measurement for one in results if one.count}
    with_figures = {one.variant.load for one in results if one.count}
    return {
        one.variant.load: one.text or one.reason
        for one in reversed(results)
        if one.status == "skipped" and one.measurement in measured and one.variant.load not in with_figures
    }
