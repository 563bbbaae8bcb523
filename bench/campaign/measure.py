# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The time of `rtstone measure-all` beyond the measuring, with a worker for each place; one JSON object a line.

Every place is simulated and takes the same time. A round is as many measurements as there are places. Overhead is what
a round takes longer than one measurement, in per cent of the measurement, on average over all rounds but the first and
the last, in which workers start and end. It includes the work of the simulation itself.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import resource
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

from bench.lib.charts import line_chart, write_png
from bench.lib.engine import BenchError
from bench.lib.line import Line, failure, tell
from bench.lib.size import SMALL

from rtstone.archive import open_queue
from rtstone.archive._queue import Queue

NAMES = ("campaign_overhead", "campaign_overhead_curve", "campaign_idle")
SECONDS, CURVE_SECONDS = (0.5, 0.5) if SMALL else (5.0, 20.0)
"""Length of a measurement (s), of the campaign that has a limit and of the curve: two CPUs can simulate 50 measurements in a second."""
PLACES, ROUNDS = (2, 4) if SMALL else (50, 20)
"""The campaign whose overhead has a limit: 1,000 measurements."""
CURVE, CURVE_ROUNDS = (1,) if SMALL else (1, 10, 100, 250, 500), 4
"""Numbers of places, each with its worker."""
PR_SET_CHILD_SUBREAPER = 36
POLL_S = 0.05
RESTED_S, WATCHED_S = (5, 1) if SMALL else (120, 60)
"""Idle workers look into the queue ever less often: how long they are idle before they are watched, and how long they
are watched (s)."""


def _environment(folder: Path) -> dict[str, str]:
    facts = folder / "paced-1.dist-info"
    facts.mkdir(exist_ok=True)
    (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: paced\nVersion: 1\n")
    (facts / "entry_points.txt").write_text("[rtstone.targets]\npaced = bench.campaign.place:open_paced\n")
    homes = {name: str(folder) for name in ("HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME")}
    return {**os.environ, **homes, "PYTHONPATH": os.pathsep.join([str(folder), os.environ["PYTHONPATH"]])}


def _spent() -> float:
    """The CPU time (s) of all children that have ended. Waits for orphans: `measure-all` leaves the process that forked its workers."""
    with suppress(ChildProcessError):
        while True:
            os.wait()
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def overhead(places: int, rounds: int, seconds: float) -> tuple[float, dict[str, object]]:
    """Overhead (%) with that many places and measurements of that length, and its details."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        lines = ['measurements = ["interrupt-response"]', 'loads = ["none"]', 'profile = "quick"', "count = 200"]
        lines += [f"repetitions = {rounds}", "[places]"]
        lines += [f'place-{number} = "paced:{seconds}"' for number in range(places)]
        (folder / "lab.toml").write_text("\n".join(lines))
        where = str(folder / "archive.sqlite")
        command = [sys.executable, "-m", "rtstone", "measure-all", "lab.toml", "--workers", str(places), "--quiet"]
        queue = open_queue(where)
        spent = _spent()
        said = folder / "said"  # a file: nobody reads a pipe meanwhile, and hundreds of workers may fill it
        with (
            said.open("wb") as file,
            subprocess.Popen(
                [*command, "--archive", where], cwd=folder, env=_environment(folder), stdout=file, stderr=file
            ) as child,
        ):
            ends = _round_ends(queue, child, places, rounds)
        if len(ends) <= rounds or f"{places * rounds} measured, 0 failed" not in said.read_text():
            raise BenchError(f"not all was measured, exit code {child.returncode}: {said.read_text().strip()[-200:]}")
    first, last = 1, rounds - 1
    value = 100 * ((ends[last] - ends[first]) / ((last - first) * seconds) - 1)
    cpu_ms = 1000 * (_spent() - spent) / (places * rounds)
    return value, {
        "places": places,
        "measurements": places * rounds,
        "cpu ms a measurement, with start": round(cpu_ms),
    }


def _round_ends(queue: Queue, child: subprocess.Popen[bytes], places: int, rounds: int) -> list[float]:
    """When (s) as many measurements were finished as 0, 1, 2, ... rounds have; fewer if the command ends before."""
    ends = [time.monotonic()]
    running = True
    while running and len(ends) <= rounds:
        running = child.poll() is None
        done = queue.standing().done
        while len(ends) <= done // places:
            ends.append(time.monotonic())
        time.sleep(POLL_S)
    return ends


def _cpu_s(process: int) -> float:
    fields = Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def idle() -> Line:
    """The CPU time of workers that have nothing to do, all together, in per cent of one CPU."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        command = [sys.executable, "-m", "rtstone", "measure-all", "worker", "--archive", str(folder / "a.sqlite")]
        workers = [
            subprocess.Popen(
                command, cwd=folder, env=_environment(folder), stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL
            )
            for _ in range(PLACES)
        ]
        try:
            time.sleep(RESTED_S)
            before, began = [_cpu_s(worker.pid) for worker in workers], time.monotonic()
            time.sleep(WATCHED_S)
            spent = sum(map(_cpu_s, (worker.pid for worker in workers))) - sum(before)
            seconds = time.monotonic() - began
        finally:
            for worker in workers:
                worker.terminate()
            codes = [worker.wait() for worker in workers]
    if any(codes):
        raise BenchError(f"workers ended with {sorted(set(codes))}")
    return Line(
        name=NAMES[2], value=100 * spent / seconds, unit="% of a CPU", limit=1.0, detail={"workers": len(workers)}
    )


def picture(curve: dict[int, float], folder: Path) -> None:
    """Write `campaign-overhead.png` into the folder: the overhead against the number of places."""
    points = [{"places": places, "overhead": value} for places, value in sorted(curve.items())]
    x, y = ("places", "places, each with its worker"), ("overhead", "overhead (% of the measuring)")
    write_png([line_chart(points, x, y)], folder / "campaign-overhead.png")


def main() -> None:
    """The three figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=1, help="not used: a campaign is long enough")
    parser.add_argument("--pictures", type=Path, help="the folder for the picture of the curve")
    asked = parser.parse_args()
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)  # orphans become children, whose CPU time counts
    try:
        value, detail = overhead(PLACES, ROUNDS, SECONDS)
        tell(Line(name=NAMES[0], value=value, unit="%", limit=5.0, detail=detail))
        curve = {places: overhead(places, CURVE_ROUNDS, CURVE_SECONDS) for places in CURVE}
        most = max(curve)
        each: dict[str, object] = {
            f"{places} places": [round(found, 2), facts] for places, (found, facts) in curve.items()
        }
        tell(Line(name=NAMES[1], value=curve[most][0], unit="%", limit=None, detail=each))
        if asked.pictures is not None:
            picture({places: found for places, (found, _) in curve.items()}, asked.pictures)
    except BenchError as error:
        for name in NAMES[:2]:
            tell(failure(name, str(error)))
    try:
        tell(idle())
    except BenchError as error:
        tell(failure(NAMES[2], str(error)))


if __name__ == "__main__":
    main()
