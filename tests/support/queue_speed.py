# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""How long the queue of an archive takes for a measurement in which nothing is measured.

As a program: ``python -m support.queue_speed ARCHIVE MEASUREMENTS WORKERS``. Each worker is a process that takes one
measurement after the other, each at a place of its own, and ends it with no run. It prints JSON. `ms`: the median time
from asking for a measurement to its recorded end, for which a worker waits for the database. `wall_ms`: the time of the
whole divided by the measurements. `best_ms`: `wall_ms` of the 20 in a row that ended fastest, because the delays of a
busy machine come and go.
"""

from __future__ import annotations

import json
import os
import statistics
import sys
import time

from rtstone.archive import open_queue

IN_A_ROW = 20


def work(where: str, begin_at: float, report: int) -> None:
    """One worker, until nothing is left."""
    queue = open_queue(where)
    queue.standing()
    time.sleep(max(0.0, begin_at - time.monotonic()))
    took, ends = [], []
    while True:
        begun = time.monotonic()
        lease = queue.take(f"worker-{os.getpid()}")
        if lease is None:
            if not queue.standing().open:
                break
            continue
        queue.finish(lease, None)
        ends.append(time.monotonic())
        took.append(1000 * (ends[-1] - begun))
    with os.fdopen(report, "w") as pipe:
        json.dump([took, ends], pipe)


def main(where: str, measurements: int, workers: int) -> None:
    """Puts the measurements in and starts the workers."""
    queue = open_queue(where)
    assert queue.add("speed", [(f"place-{number}", "{}") for number in range(measurements)])
    begin_at = time.monotonic() + 2
    reading = []
    for _ in range(workers):
        read, report = os.pipe()
        if not os.fork():
            code = 1
            try:
                work(where, begin_at, report)
                code = 0
            finally:
                os._exit(code)
        os.close(report)
        reading.append(read)
    took, ends = [], []
    for read in reading:
        with os.fdopen(read) as pipe:
            own, ended = json.load(pipe)
        took += own
        ends += ended
    for _ in range(workers):
        os.wait()
    assert len(took) == measurements == queue.standing().done
    ends.sort()
    best = min(later - sooner for sooner, later in zip(ends, ends[IN_A_ROW:], strict=False)) / IN_A_ROW
    wall = (max(ends) - begin_at) / measurements
    print(json.dumps({"ms": statistics.median(took), "wall_ms": 1000 * wall, "best_ms": 1000 * best}))


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:4]))
