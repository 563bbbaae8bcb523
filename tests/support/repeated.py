# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Runs of several repetitions made up from a seed, whose true median, tail and spread between repetitions are known."""

from __future__ import annotations

import random

import msgspec

from rtstone.model import Run, Variant
from support.runs import make_result, make_run, make_session

IDLE, LOADED = Variant(), Variant(load="cpu")
BATCH = Variant(pass_="batch")


def repeated(
    run_id: str = "r-1",
    *,
    repetitions: int = 5,
    typical: float = 10_000,
    tail: float = 1.0,
    between: float = 0.02,
    count: int = 1_000,
    variants: tuple[Variant, ...] = (IDLE,),
    quantity: str = "semaphore-ping",
    seed: int = 1,
    **changes: object,
) -> Run:
    """A run: each repetition's samples lie about `typical` ticks (ns), itself moved by `between` (relative sd) from one to the next; every
    fiftieth sample is three times as long, times `tail`. With `between` 0 all repetitions are the same. `changes` replace any field."""
    source = random.Random(seed)
    sessions = []
    for number in range(repetitions):
        results = []
        for item, variant in enumerate(variants):
            here = typical * source.lognormvariate(0, between)
            batch = variant.pass_ == "batch"
            inner = random.Random(seed + number if between else 0)
            values = [
                int(
                    here
                    * (100 if batch else 1)
                    * inner.lognormvariate(0, 0.05)
                    * (3 * tail if not batch and i % 50 == 7 else 1)
                )
                for i in range(20 if batch else count)
            ]
            results.append(make_result(quantity, item=item, variant=variant, values=values))
        sessions.append(make_session(tuple(results), repetition=number, seed=seed))
    run = make_run(run_id, results=(), sessions=tuple(sessions), label=run_id, studies=(), degraded=())
    return msgspec.structs.replace(run, **changes)


def side(
    name: str, runs: int = 5, *, typical: float = 10_000, between_runs: float = 0.02, seed: int = 1, **options: object
) -> tuple[Run, ...]:
    """So many runs of one side, the level of each moved by `between_runs` (relative sd); `options` as :func:`repeated` has them."""
    source = random.Random(seed)
    return tuple(
        repeated(
            f"{name}{number}",
            typical=typical * source.lognormvariate(0, between_runs),
            seed=1_000 * seed + number,
            **options,  # type: ignore[arg-type]
        )
        for number in range(runs)
    )


def by_turns(
    rounds: int = 10,
    *,
    ratio: float = 1.0,
    drift: float = 0.0,
    group: str = "group-1",
    seed: int = 1,
    **options: object,
) -> tuple[Run, Run]:
    """Two runs that took turns: all that is measured becomes slower by `drift` from one round to the next, the second by `ratio`."""
    made = []
    for number, name in enumerate(("a", "b")):
        single = [
            repeated(
                f"{group}-{name}",
                repetitions=1,
                typical=10_000 * (ratio if number else 1.0) * (1 + drift) ** turn,
                seed=10_000 * seed + 2 * turn + number,
                **options,  # type: ignore[arg-type]
            )
            for turn in range(rounds)
        ]
        sessions = tuple(msgspec.structs.replace(run.sessions[0], repetition=turn) for turn, run in enumerate(single))
        made.append(msgspec.structs.replace(single[0], sessions=sessions, group=group, alternated=True))
    return made[0], made[1]


def on_board(run: Run, kernel: str, *, platform: str = "p-1", identity: str = "", **env: str) -> Run:
    """Makes the run that of a virtual board."""
    facts = {"board.platform": platform, "board.identity": identity or kernel, "board.kernel": kernel}
    sessions = tuple(msgspec.structs.replace(s, env={**s.env, "kernel.release": kernel, **env}) for s in run.sessions)
    return msgspec.structs.replace(
        run,
        target=f"board:toy/{kernel}",
        time="instruction-time",
        instructions_per_second=1_000_000,
        host=facts,
        sessions=sessions,
    )
