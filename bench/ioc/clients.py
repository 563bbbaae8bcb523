# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Figures of one IOC's clients, in µs an operation: base's own catime and caEventRate, and the load's clients."""

from __future__ import annotations

import json
import re
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from os import environ
from pathlib import Path
from typing import Any

import msgspec
from bench.lib import engine

PEERS = engine.ROOT / "build" / "bench" / "ioc"
CHANNELS = 5000
"""Of catime: records named by six digits."""
RECORDS = 5000
"""Number of the load's records. Each that is written processes another one, which is monitored."""
SUBSCRIPTIONS = 100
"""Of caEventRate, all to one record."""
BURSTS = 10

FIGURES = ("connect", "put", "get", "get_latency", "event", "load_put", "load_put_callback", "load_monitor")


class Served(msgspec.Struct, frozen=True):
    """An IOC that runs: how to reach it, and how its records begin."""

    environment: dict[str, str]
    prefix: str


def database(prefix: str) -> str:
    """catime's records."""
    return "".join(f'record(ao, "{prefix}catime{number:06}") {{}}\n' for number in range(CHANNELS))


def catime(served: Served) -> dict[str, float]:
    """Connecting, putting and getting as fast as it goes, and one get after the other; of floating point values."""
    said = engine.output(
        [PEERS / "catime", f"{served.prefix}catime", str(CHANNELS), "1"], environment=served.environment
    )
    double = said.partition("DBR_DOUBLE Test")[2]
    return {
        "connect": _number(said, r"Connect Test\n-+\nPer Op, +([\d.]+) uS"),
        "put": _number(double, r"async put test ###\nPer Op, +([\d.]+) uS"),
        "get": _number(double, r"async get test ###\nPer Op, +([\d.]+) uS"),
        "get_latency": _number(said, r"Get Latency - mean = ([\d.]+) uS"),
    }


def event_rate(served: Served, folder: Path) -> dict[str, float]:
    """Events of one record that is written as fast as one client can, one write after the other; each goes to all subscriptions."""
    with _load(served, folder, "rtstone-caput", "1", "0") as writer:
        # Its output is a pipe, which would be filled before anything is seen of it.
        command = ["stdbuf", "-oL", str(PEERS / "caEventRate"), f"{served.prefix}load:put0", str(SUBSCRIPTIONS)]
        with subprocess.Popen(
            command, env=environ | served.environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        ) as program:
            assert program.stdout is not None
            said = next((line for line in program.stdout if "CA Event Rate" in line), "")
            program.kill()
        _account(writer)
    rate = _number(said, r"current ([\d.e+]+)")
    return {"event": 1e6 / rate}


def load(served: Served, folder: Path) -> dict[str, float]:
    """The load's own figures: puts that are monitored meanwhile, with and without confirmation, and how fast monitors come."""
    with _load(served, folder, "rtstone-camonitor", str(RECORDS)) as monitor:
        assert monitor.stderr is not None
        if "connected" not in (said := monitor.stderr.readline()):
            raise engine.BenchError(f"the load's records are not connected: {said.strip()}")
        with _load(served, folder, "rtstone-caput", str(RECORDS), "0", "--bursts", str(BURSTS)) as writer:
            put = _account(writer, wait=True)
        seen = _account(monitor)
    words = (str(RECORDS), "0", "--bursts", str(BURSTS), "--callback")
    with _load(served, folder, "rtstone-caput", *words) as writer:
        confirmed = _account(writer, wait=True)
    if confirmed["failed"]:
        raise engine.BenchError(f"{confirmed['failed']} puts were not confirmed")
    if seen["lost"] or put["failed"]:
        raise engine.BenchError(f"monitors lost {seen['lost']}, puts failed {put['failed']}")
    return {
        "load_put": 1e6 / put["puts_per_s"],
        "load_put_callback": 1e6 / confirmed["puts_per_s"],
        "load_monitor": 1e6 / seen["monitors_per_s"],
    }


def _number(text: str, pattern: str) -> float:
    found = re.search(pattern, text)
    if found is None or not float(found[1]) > 0:
        raise engine.BenchError(f"what a client printed is not understood: {text[-200:]!r}")
    return float(found[1])


@contextmanager
def _load(served: Served, folder: Path, name: str, *words: str) -> Iterator[subprocess.Popen[str]]:
    """A client of the load, until the context ends."""
    command = [str(folder / name), *words, "--prefix", f"{served.prefix}load:", "--json"]
    with subprocess.Popen(
        command, env=environ | served.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as program:
        try:
            yield program
        finally:
            program.kill()


def _account(program: subprocess.Popen[str], *, wait: bool = False) -> dict[str, Any]:
    """The final account of a client of the load: printed at its own end, or when it is asked to end."""
    if not wait:
        program.send_signal(signal.SIGTERM)
    try:
        out, err = program.communicate(timeout=120)
    except subprocess.TimeoutExpired:
        raise engine.BenchError("a client of the load did not end within 120 s") from None
    if not out:
        raise engine.BenchError(f"a client of the load failed: {err.strip()}")
    found: dict[str, Any] = json.loads(out)
    return found
