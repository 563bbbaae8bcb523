# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The timer's wake-up latency by the engine and by cyclictest, interleaved, and the periods that each of them loses."""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Callable
from pathlib import Path

from bench.lib import engine, rounds
from bench.lib.estimate import median
from bench.lib.line import Line, failure, tell

# Equal options. The engine's handler has this priority, locks its memory, holds /dev/cpu_dma_latency at 0 and sleeps by an absolute
# clock_nanosleep on CLOCK_MONOTONIC; cyclictest does the last two unasked.
PRIORITY = 95
# Rounds are short, because what else a machine does changes from second to second.
PERIOD_US = 250
SAMPLES = 400
REPETITIONS = 80

# Short enough for a wake-up to be later than the next period now and then, on a machine that is not tuned for it.
LOSING_PERIOD_US = 100
LOSING_SECONDS = 5

HISTOGRAM_NS = 200_000
NAMES = (
    "wakeup_vs_cyclictest",
    "wakeup_cyclictest_vs_itself",
    "wakeup_median",
    "wakeup_median_cyclictest",
    "wakeup_vs_bare_loop",
    "wakeup_bare_loop_static_vs_dynamic",
    "periods_lost",
    "periods_lost_cyclictest",
)


def cyclictest(cpu: int, period_us: int, *length: str) -> tuple[int, int, float]:
    """Cycles that it counts, samples in its histogram, and their median (ns)."""
    with tempfile.TemporaryDirectory() as folder:
        found = Path(folder) / "json"
        same = f"-N -q -m -t1 -a{cpu} -p{PRIORITY} --policy=fifo -i{period_us} -h{HISTOGRAM_NS}"
        engine.output([engine.program("cyclictest"), *same.split(), *length, f"--json={found}"])
        thread = json.loads(found.read_text(encoding="utf-8"))["thread"]["0"]
    buckets = sorted((int(ns), int(count)) for ns, count in thread["histogram"].items())
    # What lies beyond the histogram is in no bucket and in no field; it can only be the rest of the cycles.
    cycles, seen, middle = int(thread["cycles"]), 0, float("nan")
    for ns, count in buckets:
        seen += count
        if 2 * seen >= cycles:
            middle = float(ns)
            break
    if middle != middle:
        raise engine.BenchError(f"half of cyclictest's samples are beyond {HISTOGRAM_NS} ns")
    return cycles, sum(count for _, count in buckets), middle


def ours(cpu: int, period_us: int, count: int, *, raw: bool = False) -> tuple[int, int, float, float]:
    """Samples that came, periods that were lost, the median wake-up latency (ns; only with `raw`), and the latest (ns)."""
    options = (
        f"--pass single --timer nanosleep --period-ns {period_us * 1000} --count {count} --cpu {cpu} --raw {raw:d}"
    )
    session = engine.measure(options.split(), ["interrupt-response"])
    result, clock = engine.result_of(session, "interrupt-response", "thread-wake-up")
    lost = next(check.value for check in result.checks if check.name == "periods-lost")
    middle = clock.ns(median(engine.samples(result))) if raw else float("nan")
    return result.count, lost, middle, clock.ns(result.max or 0)


def bare_loop(linked: str, cpu: int, period_us: int, samples: int) -> float:
    """Median wake-up latency (ns) of a loop that does nothing else."""
    program = engine.ROOT / "build" / "bench" / "wakeup" / f"bare_loop_{linked}"
    return float(engine.output([program, *map(str, (cpu, PRIORITY, period_us * 1000, samples))]))


def compare(cpu: int, repetitions: int, period_us: int, samples: int) -> list[Line]:
    """Medians of interleaved arms: ours, cyclictest, cyclictest again, the loop."""
    arms: dict[str, Callable[[], float]] = {
        "ours": lambda: ours(cpu, period_us, samples, raw=True)[2],
        "cyclictest": lambda: cyclictest(cpu, period_us, f"-l{samples}")[2],
        "static": lambda: bare_loop("static", cpu, period_us, samples),
        "dynamic": lambda: bare_loop("dynamic", cpu, period_us, samples),
        "again": lambda: cyclictest(cpu, period_us, f"-l{samples}")[2],
    }
    seen = rounds.by_turns("wakeup", arms, repetitions)
    how: dict[str, object] = {"samples a round": samples, "period": f"{period_us} us", "cpu": cpu}
    return [
        rounds.held(NAMES[0], seen["ours"], seen["cyclictest"], seen["again"], limit=rounds.ALIKE, detail=how),
        rounds.held(NAMES[1], seen["again"], seen["cyclictest"]),
        Line(name=NAMES[2], value=median(seen["ours"]), unit="ns", limit=None),
        Line(name=NAMES[3], value=median(seen["cyclictest"] + seen["again"]), unit="ns", limit=None),
        rounds.held(NAMES[4], seen["ours"], seen["static"]),
        rounds.held(NAMES[5], seen["static"], seen["dynamic"]),
    ]


def losses(cpu: int, seconds: int) -> list[Line]:
    """Periods asked for less periods accounted for, of each."""
    asked = seconds * 1_000_000 // LOSING_PERIOD_US
    got, lost, _, latest = ours(cpu, LOSING_PERIOD_US, asked)
    # Its thread ends by the clock, so every period that it jumped over is missing from its cycles; the last may fall on either side.
    cycles, recorded, _ = cyclictest(cpu, LOSING_PERIOD_US, f"-D{seconds}")
    return [
        Line(
            name=NAMES[6],
            value=asked - got + lost,
            unit="periods",
            limit=0,
            detail={"asked": asked, "accounted for": got, "the latest by us": round(latest / 1000)},
        ),
        Line(
            name=NAMES[7],
            value=max(0, asked - 1 - cycles),
            unit="periods",
            limit=None,
            detail={"asked": asked, "accounted for": cycles, "of them in its histogram": recorded},
        ),
    ]


def main() -> None:
    """Both comparisons."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=REPETITIONS)
    parser.add_argument("--period-us", type=int, default=PERIOD_US, help=f"of the comparison ({PERIOD_US})")
    parser.add_argument("--samples", type=int, default=SAMPLES, help=f"of each side in a round ({SAMPLES})")
    options = parser.parse_args()
    cpu = engine.default_cpu()
    seconds = LOSING_SECONDS if options.repetitions >= 10 else 1
    parts: list[tuple[tuple[str, ...], Callable[[], list[Line]]]] = [
        (NAMES[:6], lambda: compare(cpu, options.repetitions, options.period_us, options.samples)),
        (NAMES[6:], lambda: losses(cpu, seconds)),
    ]
    for names, part in parts:
        try:
            engine.build()
            lines = part()
        except engine.BenchError as error:
            lines = [failure(name, str(error)) for name in names]
        for line in lines:
            tell(line)


if __name__ == "__main__":
    main()
