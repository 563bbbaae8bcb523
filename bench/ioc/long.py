# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The IOC under bursts back to back for ten minutes or an hour: its memory stays flat, no monitor is lost, its statistics are right.

Meanwhile a client follows every waveform and recomputes the statistics, and every half minute another one connects to
all records, monitors them for a second and leaves. Prints the memory as it goes; exit code 0 when all conditions hold,
otherwise 1.
"""

from __future__ import annotations

import argparse
import json
import signal
import statistics
import subprocess
import sys
import time
from os import environ, kill
from pathlib import Path
from typing import Any

import msgspec

from rtstone.ioc import Ioc, IocLoad, build
from support import recomputed
from support.ioc import MEASURED, Client, private, running

RECORDS = 5000
SAMPLES = 500
"""A set, of 1 ms each: half of the time between two sets."""
LOOK_S = 10.0
VISIT_S = 30.0
STALL_S = 3.0
MEMORY_GROWTH_KB = 1024
"""Most that memory may grow from the second fifth of the run to the last, each taken by its median.

So a leak of 2 kB a second shows in ten minutes, one of 400 bytes in an hour. Values for a slow client wait in pools,
which grow to the greatest need so far and never shrink. In the first fifth all clients stand still for a while, so that
the pools have grown."""


MOST_MERGED = 0.01
"""Share of the sets of which the following client may get a later one in their place: on a busy machine it is behind at times."""

SET_THREADS = 1
"""That of the set that is under way, if one is."""


class Look(msgspec.Struct, frozen=True):
    """The kernel's figures of the IOC's process at one time."""

    at_s: float
    resident_kb: int
    data_kb: int
    """Resident, private and of no file: where a leak would be."""
    threads: int
    files: int


def look(ioc: Ioc, began: float) -> Look:
    """The IOC's memory, threads and open files now."""
    status = Path(f"/proc/{ioc.pid}/status").read_text(encoding="utf-8")
    fields = dict(line.split()[:2] for line in status.splitlines() if len(line.split()) > 1)
    files = sum(1 for _ in Path(f"/proc/{ioc.pid}/fd").iterdir())
    at_s = round(time.monotonic() - began, 1)
    return Look(at_s, int(fields["VmRSS:"]), int(fields["RssAnon:"]), int(fields["Threads:"]), files)


def visit(folder: Path, ioc: Ioc, stalled_s: float) -> dict[str, Any]:
    """A client that comes, stands still for so long, monitors everything for a second and leaves. Its account."""
    prefix = f"{ioc.settings.prefix}load:"
    duration = str(1 + stalled_s)
    command = [str(folder / "rtstone-camonitor"), str(RECORDS), "--duration", duration, "--prefix", prefix, "--json"]
    with subprocess.Popen(
        command, env=environ | ioc.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as program:
        assert program.stderr is not None
        said = program.stderr.readline()
        stall(program.pid, stalled_s)
        out, err = program.communicate(timeout=120)
    if not out:
        raise SystemExit(f"ioc-long: a visiting client failed: {said}{err}")
    account: dict[str, Any] = json.loads(out)
    return account


def stall(pid: int, seconds: float) -> None:
    """Keep a process from running for so long."""
    if seconds > 0:
        kill(pid, signal.SIGSTOP)
        time.sleep(seconds)
        kill(pid, signal.SIGCONT)


def growth_kb(looks: list[Look]) -> float:
    """How much memory grew from the second fifth of the run to the last."""
    fifth = max(1, len(looks) // 5)
    early, late = looks[fifth : 2 * fifth] or looks[:1], looks[-fifth:]
    return statistics.median(one.data_kb for one in late) - statistics.median(one.data_kb for one in early)


def run(minutes: float) -> tuple[list[Look], list[str], dict[str, Any]]:
    """Load an IOC for so long.

    Returns the looks, the problems found, and the accounts of all clients and the sampler.
    """
    folder = build()
    settings = private(load=RECORDS)
    wrong: list[str] = []
    with running(folder, settings) as (ioc, client):
        client.put("samples", SAMPLES)
        recomputed.begin(client, MEASURED)
        client.put("start.SCAN", "1 second")
        with IocLoad(ioc.settings, folder, 0.0, as_json=True, gone=lambda: ioc.poll() is not None) as load:
            looks, visitors = follow(folder, ioc, load, minutes * 60)
            accounts: dict[str, Any] = load.finish()
        accounts["visitors"] = {"visits": len(visitors), "lost": sum(one["lost"] for one in visitors)}
        accounts["sampler"] = settle(client)
        wrong += recomputed.differences(client, MEASURED, MOST_MERGED)
        if accounts["sampler"]["sets"] < minutes * 60 * 0.8:
            wrong.append(f"the sampler took {accounts['sampler']['sets']} sets in {minutes} minutes")
    for name in ("camonitor", "visitors"):
        if accounts[name]["lost"]:
            wrong.append(f"{name}: {accounts[name]['lost']} monitors lost")
    told = accounts["camonitor"]["monitors"] + accounts["camonitor"]["merged"]
    if told != accounts["caput"]["puts"]:
        wrong.append(f"{accounts['caput']['puts']} puts, {told} monitors, merged ones included")
    if accounts["caput"]["failed"]:
        wrong.append(f"{accounts['caput']['failed']} puts failed")
    if growth_kb(looks) > MEMORY_GROWTH_KB:
        wrong.append(f"memory grew by {growth_kb(looks):.0f} kB, {MEMORY_GROWTH_KB} are allowed")
    if looks[-1].threads > looks[0].threads + SET_THREADS or looks[-1].files > looks[0].files:
        wrong.append(f"threads or files grew: {looks[0]}, {looks[-1]}")
    return looks, wrong, accounts


def follow(folder: Path, ioc: Ioc, load: IocLoad, seconds: float) -> tuple[list[Look], list[dict[str, Any]]]:
    """Look at the IOC and let visitors come until the time is over."""
    began = time.monotonic()
    looks: list[Look] = []
    visitors: list[dict[str, Any]] = []
    next_visit = min(VISIT_S, seconds / 20)
    while (now := time.monotonic() - began) < seconds:
        time.sleep(min(LOOK_S, seconds / 20, seconds - now))
        looks.append(look(ioc, began))
        print(tell(looks[-1]), flush=True)
        if ioc.poll() is not None or load.failed():
            raise SystemExit(f"ioc-long: {load.failed() or ioc.lines[-1]}")
        if time.monotonic() - began > next_visit:
            stalled_s = STALL_S if time.monotonic() - began < seconds / 5 else 0.0
            stall(load.monitor.pid, stalled_s)
            visitors.append(visit(folder, ioc, stalled_s))
            next_visit += VISIT_S
    return looks, visitors


def tell(one: Look) -> str:
    """A line for the reader."""
    memory = f"{one.resident_kb} kB resident, {one.data_kb} kB of it data"
    return f"{one.at_s:8.1f} s: {memory}; {one.threads} threads, {one.files} files"


def settle(client: Client) -> dict[str, Any]:
    """End sampling, and say what was sampled."""
    client.put("start.SCAN", "Passive")
    client.until("state", 0)
    return {"sets": client.get("sets"), "samples": client.get("count"), "missed": client.get("missedStarts")}


def main() -> int:
    """Exit codes: 0 all holds, 1 something does not, 2 usage."""
    parser = argparse.ArgumentParser(prog="ioc-long", description=__doc__)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--json", type=Path, default=Path("out/ioc-long.json"), help="where all that was seen goes")
    options = parser.parse_args()
    if not 0.2 <= options.minutes <= 60 * 24:
        parser.error("--minutes: 0.2 to 1440")
    looks, wrong, accounts = run(options.minutes)
    document = {"minutes": options.minutes, "looks": looks, "accounts": accounts, "wrong": wrong}
    document["growth_kb"] = growth_kb(looks)
    options.json.parent.mkdir(parents=True, exist_ok=True)
    options.json.write_bytes(msgspec.json.encode(document))
    for name, account in accounts.items():
        print(name, " ".join(f"{key} {value}" for key, value in account.items()))
    print(
        f"memory grew by {growth_kb(looks):.0f} kB, {MEMORY_GROWTH_KB} kB are allowed; all that was seen is in {options.json}"
    )
    for line in wrong:
        print(f"WRONG: {line}")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
