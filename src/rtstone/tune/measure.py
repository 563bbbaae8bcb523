# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Measures an experiment of settings: a run for each row of its design.
Sessions of all rows are interleaved, in an order drawn each round."""

from __future__ import annotations

import random
import secrets
import time
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import nullcontext
from functools import partial
from urllib.parse import quote

import msgspec

from rtstone.errors import UsageError
from rtstone.machine.settings import MachineSettings, places
from rtstone.machine.system import System
from rtstone.measure._asked import TargetPlans, ask
from rtstone.measure._interrupt import Interruption
from rtstone.measure._job import Job, Listener
from rtstone.measure._job import carry_out as measured
from rtstone.measure._measure import Measuring, Outcome
from rtstone.measure._resume import Resumed
from rtstone.model import Run
from rtstone.stream.plan import Plan
from rtstone.studies import Request
from rtstone.targets import Around, Target, open_target
from rtstone.tune.experiment import TARGETS, Experiment

SESSIONS = 128
"""Sessions of an experiment whose file does not give the number of rounds."""
_LEAST_ROUNDS = 4


class Tuned(Around):
    """A target at a row of the design.
    Its settings are made before each session, and are recorded in the run's facts."""

    def __init__(
        self,
        target: Target,
        facts: Mapping[str, str],
        settings: MachineSettings | None = None,
        values: Mapping[str, str] | None = None,
        settle_s: float = 0.0,
    ) -> None:
        super().__init__(target)
        self._facts = facts
        self._settings = settings
        self._values = values or {}
        self._settle_s = settle_s

    def describe(self) -> dict[str, str]:
        """The target's facts, and the row's."""
        return {**super().describe(), **self._facts}

    def start(self, plan: Plan) -> Generator[bytes, None, None]:
        """Makes the settings, waits a little, and runs one session. Raises InfrastructureError where they cannot be made."""
        if self._settings is not None:
            self._settings.set(self._values)
            time.sleep(self._settle_s)
        yield from super().start(plan)


class Planned(msgspec.Struct, frozen=True, kw_only=True):
    """An experiment that can be measured."""

    experiment: Experiment
    rows: tuple[tuple[int, ...], ...]
    """For each row of the design the level of each setting."""
    request: Request
    seed: int
    rounds: int
    values: tuple[tuple[tuple[str, str, str], ...], ...]
    """For each row its settings: the setting's name, the place, the value."""
    targets: tuple[str, ...]
    """For each row the measured target."""

    @property
    def trials(self) -> tuple[tuple[str, str, str], ...]:
        """Every value of every place once."""
        return tuple(dict.fromkeys(one for row in self.values for one in row))

    def order(self, round_: int) -> list[int]:
        """Rows of a round in the order of measurement: drawn at random, the same for the same seed."""
        rows = list(range(len(self.rows)))
        random.Random(f"tune/{self.seed}/{round_}").shuffle(rows)  # noqa: S311 - repeatable, not secret
        return rows


def planned(
    experiment: Experiment,
    rows: tuple[tuple[int, ...], ...],
    request: Request,
    *,
    system: System | None = None,
) -> Planned:
    """Plans an experiment. `request`: the items to measure, without repetitions.

    Raises UsageError for a setting that does not exist, or does not belong to the target.
    """
    factors = experiment.factors
    live = [factor for factor in factors if factor.kind == "setting"]
    bases = experiment.targets or (experiment.target,)
    can = [open_target(base).capabilities for base in bases]
    if live and not all(one.shares_host or (one.engine_here and not one.emulated) for one in can):
        raise UsageError(
            f"[settings] are of this machine, and {bases[0]} is another one; a board has [words] and targets"
        )
    words = [factor for factor in factors if factor.kind == "words"]
    if words and not all(base.startswith("board:") for base in bases):
        raise UsageError(f"[words] are for the command line of a board's Linux, and {bases[0]} is not one")
    seen = system or System()
    named = {factor.name: places(seen, factor.name) for factor in live}
    values, targets = [], []
    for row in rows:
        level = dict(zip((factor.name for factor in factors), row, strict=True))
        values.append(tuple((one.name, place, one.level(level[one.name])) for one in live for place in named[one.name]))
        text = " ".join(filter(None, (one.level(level[one.name]) for one in words)))
        base = bases[level.get(TARGETS, 0)]
        targets.append(f"{base}{'&' if '?' in base else '?'}append={quote(text)}" if text else base)
    taken = [place for _, place, _ in values[0]]
    twice = next((place for place in taken if taken.count(place) > 1), None)
    if twice is not None:
        raise UsageError(f"{twice} is of two settings")
    rounds = experiment.rounds or max(_LEAST_ROUNDS, SESSIONS // len(rows))
    return Planned(
        experiment=experiment,
        rows=rows,
        request=msgspec.structs.replace(request, repetitions=rounds),
        seed=request.seed,
        rounds=rounds,
        values=tuple(values),
        targets=tuple(targets),
    )


def asked_of(plan: Planned, settings: MachineSettings | None, settle_s: float) -> tuple[TargetPlans, ...]:
    """A target and its sessions for each row. Raises UsageError for an invalid target or plan."""
    made = []
    for number, (values, target) in enumerate(zip(plan.values, plan.targets, strict=True)):
        own = {place: value for _, place, value in values}
        made.append(ask(Tuned(open_target(target), facts_of(plan, number), settings, own, settle_s), plan.request))
    return tuple(made)


def facts_of(plan: Planned, number: int) -> dict[str, str]:
    """The facts of a row's run: the experiment, the row's number from 0, and the level of each setting."""
    levels = zip(plan.experiment.factors, plan.rows[number], strict=True)
    return {
        "tune.experiment": msgspec.json.encode(plan.experiment).decode(),
        "tune.row": str(number),
        **{f"tune.set.{one.name}": one.level(high) for one, high in levels},
    }


def carry_out(
    plan: Planned,
    listener: Listener,
    *,
    archive: str | None,
    label: str = "",
    jobs: int = 0,
    group: str = "",
    taken: Mapping[int, tuple[Run, tuple[bytes, ...]]] | None = None,
    settings: MachineSettings | None = None,
    settle_s: float = 0.0,
) -> tuple[Outcome, ...]:
    """Measure the missing sessions of each row; settings are always undone.
    `taken`: for rows with sessions, the run that has them; `group`: the group of these runs.

    `archive` None: no checkpoints are saved. The outcomes hold an error that ended it early. Raises UsageError for a
    value that the kernel refuses, InfrastructureError without the privilege to set it; both before anything is
    measured.
    """
    of = (settings or MachineSettings()) if plan.trials else None
    job = Job(
        request=plan.request,
        targets=plan.targets,
        label=label,
        archive=archive,
        jobs=jobs,
        group=group or f"group-tune-{secrets.token_hex(8)}",
        factorial=True,
    )
    try:
        with Interruption() as interruption, of if of is not None else nullcontext():
            if of is not None:
                report(listener, of, before=True)
                of.try_out(plan.trials)
            asked = tuple(
                msgspec.structs.replace(one, resumed=_resumed(one, (taken or {}).get(number)))
                for number, one in enumerate(asked_of(plan, of, settle_s))
            )
            return measured(job, asked, listener, order=partial(_drawn, plan), interruption=interruption)
    finally:
        if of is not None:
            report(listener, of, before=False)


def _drawn(plan: Planned, measurings: Sequence[Measuring]) -> Iterator[Measuring]:
    """The rows of each round in their drawn order,
    until one fails: an experiment without one of its rows shows nothing."""
    for round_ in range(plan.rounds):
        for row in plan.order(round_):
            if any(one.failed for one in measurings):
                return
            if len(measurings[row].sessions) <= round_ and not measurings[row].over:
                yield measurings[row]


def report(listener: Listener, settings: MachineSettings, *, before: bool) -> None:
    """Report as warnings the settings that were restored (`before`:
    from an earlier experiment), changed by others, or not restored."""
    for line in _words(settings, before=before):
        listener.warning(line)


def _words(settings: MachineSettings, *, before: bool) -> tuple[str, ...]:
    change = settings.before if before else settings.after
    done = (f"restored settings of an earlier tune: {', '.join(change.undone)}",) if before and change.undone else ()
    return (*done, *change.others, *change.failed)


def _resumed(asked: TargetPlans, taken: tuple[Run, tuple[bytes, ...]] | None) -> Resumed | None:
    if taken is None:
        return None
    run, logs = taken
    kept = 0
    while kept < min(len(run.sessions), len(logs), len(asked.plans)) and run.sessions[kept].complete:
        kept += 1
    return Resumed(run=run, logs=logs[:kept], sessions=run.sessions[:kept], plans=asked.plans) if kept else None
