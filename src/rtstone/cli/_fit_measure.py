# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Measurements of `rtstone fit` without runs: every quantity that is evidence for a level, at the requested period."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from rtstone.errors import InfrastructureError, this_program
from rtstone.model.units import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rtstone.judge.fit import Asked
    from rtstone.model import Run


def measure_now(
    asked: Asked,
    target: str | None,
    load: Sequence[str] | None,
    profile: str | None,
    count: int | None,
    cpu: int | None,
    *,
    loads_required: bool,
    label: str,
    archive: str | None,
    quiet: bool,
) -> Run:
    """Measure, save the run, and return it. Raises the error that ended it early, after the run is saved."""
    from rtstone.cli import _choices as choose
    from rtstone.cli._keeping import measure_and_keep
    from rtstone.cli._output import say
    from rtstone.cli._request import request
    from rtstone.config import load as configured
    from rtstone.measure import Job, prepare
    from rtstone.model.units import waiting

    settings = configured({"archive": archive, "target": target}).values
    targets = (settings.target,)
    made = request(
        targets,
        measurements=tuple(
            replace(one, passes=("single",), paced=True, period_ns=asked.period_ns)
            for one in choose.measurements(_names(targets), targets)
        ),
        profile=profile or "quick",
        loads=load,
        loads_required=loads_required,
        count=count,
        period=asked.period_ns,
        cpu=settings.cpu if cpu is None else cpu,
    )
    job = Job(request=made, targets=targets, label=label, archive=settings.archive)
    (plans,) = prepare(job)
    if not quiet:
        say(
            f"measuring {counted(plans.items, 'item')} on {settings.target}, profile {made.profile}: at most {waiting(plans.seconds)}"
        )
    return measure_and_keep(
        job, plans, quiet=quiet, next_=f"{this_program()} fit last with the same bounds, {this_program()} report last"
    )


def _names(targets: Sequence[str]) -> tuple[str, ...]:
    """The useful measurements on this target. Where its engine does not answer, all: the engine skips unknown ones."""
    from rtstone.cli import _choices as choose
    from rtstone.judge.fit import MEASUREMENTS, ONLY_WITH_HANDLER
    from rtstone.targets import capabilities

    if not all(can.engine_here and can.shares_host for can in map(capabilities, targets)):
        return MEASUREMENTS
    try:
        listed = {one.name: one for one in choose.engine_list().measurements}
    except InfrastructureError:
        return MEASUREMENTS
    return tuple(
        name for name in MEASUREMENTS if name in listed and not (name in ONLY_WITH_HANDLER and listed[name].substitutes)
    )
