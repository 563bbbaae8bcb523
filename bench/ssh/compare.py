# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Measures one machine as `local` and as `ssh:far`, interleaved, and tests whether the figures are equivalent.

Two one-sided tests: a quantity is equivalent if the 90 % interval of the mean ratio of its medians, over pairs of
sessions, lies within the margin. Prints a line a quantity and ends with 1 if a quantity is not shown to be equivalent.
"""

from __future__ import annotations

import math
import os
import statistics
import sys

from scipy import stats

from rtstone.errors import InfrastructureError
from rtstone.measure import measure
from rtstone.stats import percentile
from rtstone.stream.plan import Item, Plan
from support.sshd import running

MARGIN = 0.05
"""Of a median: less than two equal sessions of a shared machine often differ by, and less than any change worth a report."""
ROUNDS = 16

ITEMS = (
    Item(item=0, measurement="semaphore-ping", count=20_000),
    Item(item=1, measurement="task-switch", count=20_000),
    Item(item=2, measurement="semaphore-get-release", count=20_000),
    Item(item=3, measurement="interrupt-response", count=1_000, period_ns=500_000),
)


def medians(target: str, seed: int) -> dict[str, float]:
    """The median of each quantity, in nanoseconds. Each session calibrates its counter itself."""
    outcome = measure(target, lambda _: Plan(seed=seed, repetition=0, items=ITEMS), 1)
    if outcome.error is not None:
        raise outcome.error
    found = {}
    for result in outcome.run.results():
        if result.histogram is not None and result.count:
            clock = next(
                clock for session in outcome.run.sessions for clock in session.clocks if clock.id == result.clock
            )
            found[result.quantity] = float(percentile(result.histogram, 50) or 0) * 1e9 / clock.hz
    if not found:
        raise InfrastructureError(f"{target}: nothing was measured")
    return found


def main() -> int:
    ratios: dict[str, list[float]] = {}
    with running() as server:
        os.environ["PATH"] = f"{server.programs}:{os.environ['PATH']}"
        measure("ssh:far", lambda _: Plan(seed=1, repetition=0, items=ITEMS[2:3]), 1)
        for number in range(ROUNDS):
            order = ("local", "ssh:far") if number % 2 == 0 else ("ssh:far", "local")
            found = {target: medians(target, number) for target in order}
            for quantity, here in found["local"].items():
                ratios.setdefault(quantity, []).append(math.log(found["ssh:far"][quantity] / here))
    bad = 0
    for quantity, logs in ratios.items():
        mean, error = statistics.fmean(logs), statistics.stdev(logs) / math.sqrt(len(logs))
        reach = error * float(stats.t.ppf(0.95, len(logs) - 1))
        low, high = math.expm1(mean - reach), math.expm1(mean + reach)
        good = low > -MARGIN and high < MARGIN
        bad += not good
        said = "equivalent" if good else "not shown to be equivalent"
        print(
            f"{quantity:<32} ssh/local {math.expm1(mean):+.2%}, 90 % interval {low:+.2%} … {high:+.2%}: {said} within {MARGIN:.0%}"
        )
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
