# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""TCP from memory to memory on this node, beside iperf3: same block, same window, both ends on the same CPU, by turns."""

from __future__ import annotations

import argparse
import json
import random
import socket
import subprocess
from collections.abc import Callable

from bench.lib import engine
from bench.lib.estimate import median, ratio
from bench.lib.line import Line, failure, tell
from bench.lib.progress import Steps

BLOCK = 4096
WINDOW = 56 * 1024
SECONDS = 1
REPETITIONS = 20
HOST = "127.0.0.1"

LINES = (
    "tcp_select_system_time_per_byte_vs_iperf3",
    "tcp_system_time_per_byte_vs_iperf3",
    "iperf3_system_time_per_byte_vs_itself",
    "tcp_select_cpu_per_byte_vs_iperf3",
    "tcp_cpu_per_byte_vs_iperf3",
    "iperf3_cpu_per_byte_vs_itself",
    "tcp_select_speed_vs_iperf3",
    "tcp_speed_vs_iperf3",
    "iperf3_speed_vs_itself",
)
QUANTITIES = (
    ("system_time_per_byte", "ns in the kernel a byte"),
    ("cpu_per_byte", "ns a byte"),
    ("speed", "MB/s"),
)
LIKE = "tcp-local-select"
"""What does the system calls that iperf3 does: its receiver waits by pselect before each read."""


def ours(name: str, cpu: int) -> dict[str, float]:
    """MB/s, and nanoseconds of both ends' CPU time a byte."""
    options = ["--sched", "ts", "--count", "1", "--warmup", "2", "--period-ns", str(SECONDS * 10**9), "--cpu", str(cpu)]
    session = engine.measure(options, [name])
    result, _ = engine.result_of(session, name)
    told = {figure.name: figure.value for figure in result.figures}
    if (told["block_bytes"], told["window_bytes"]) != (BLOCK, WINDOW):
        raise engine.BenchError("the engine's blocks or windows are not those of the comparison")
    used = told["sender_cpu_ns"] + told["receiver_cpu_ns"]
    return {
        "MB/s": told["bytes_received"] / told["elapsed_ns"] * 1e3,
        "ns a byte": used / told["bytes_received"],
        "ns in the kernel a byte": (told["sender_system_ns"] + told["receiver_system_ns"]) / told["bytes_received"],
    }


def _free_port() -> int:
    with socket.socket() as found:
        found.bind((HOST, 0))
        return int(found.getsockname()[1])


def iperf3(cpu: int) -> dict[str, float]:
    """The same by iperf3: its own figures of both ends' CPU use, which are getrusage's."""
    program, port = engine.program("iperf3"), str(_free_port())
    with subprocess.Popen(
        [program, "-s", "-1", "-B", HOST, "-p", port, "--forceflush"], stdout=subprocess.PIPE, text=True
    ) as server:
        try:
            assert server.stdout is not None
            while "Server listening" not in (said := server.stdout.readline()):
                if not said:
                    raise engine.BenchError("iperf3's server does not listen")
            client = [program, "-c", HOST, "-B", HOST, "-p", port, "-l", str(BLOCK), "-w", str(WINDOW)]
            found = json.loads(engine.output([*client, "-t", str(SECONDS), "-A", f"{cpu},{cpu}", "-J"]))
        finally:
            server.terminate()
    received, used = found["end"]["sum_received"], found["end"]["cpu_utilization_percent"]
    spent_ns = received["seconds"] * 1e9 / 100 / received["bytes"]
    return {
        "MB/s": received["bytes"] / received["seconds"] / 1e6,
        "ns a byte": (used["host_total"] + used["remote_total"]) * spent_ns,
        "ns in the kernel a byte": (used["host_system"] + used["remote_system"]) * spent_ns,
    }


def compare(cpu: int, repetitions: int) -> list[Line]:
    """All by turns; iperf3 twice a round, for what the method makes of two that are surely alike."""
    arms: dict[str, Callable[[int], dict[str, float]]] = {
        LIKE: lambda on: ours(LIKE, on),
        "tcp-local": lambda on: ours("tcp-local", on),
        "iperf3": iperf3,
        "iperf3 again": iperf3,
    }
    lot = random.Random(1)
    seen: dict[str, dict[str, list[float]]] = {arm: {what: [] for _, what in QUANTITIES} for arm in arms}
    steps = Steps("network", repetitions)
    for _ in range(repetitions):
        for arm in lot.sample(list(arms), len(arms)):
            for what, value in arms[arm](cpu).items():
                seen[arm][what].append(value)
        steps.step()
    lines = []
    for name, what in QUANTITIES:
        like, plain, other, again = (seen[arm][what] for arm in arms)
        for word, mine, limit in (("tcp_select", like, (0.9, 1.1)), ("tcp", plain, None)):
            found = ratio(mine, other, again)
            detail: dict[str, object] = {
                f"ours {what}": median(mine),
                f"iperf3 {what}": median([*other, *again]),
                "rounds": repetitions,
            }
            line = f"{word}_{name}_vs_iperf3"
            lines.append(
                Line(name=line, value=found.value, unit="x", limit=limit, interval=found.interval, detail=detail)
            )
        itself = ratio(other, again)
        line = f"iperf3_{name}_vs_itself"
        lines.append(Line(name=line, value=itself.value, unit="x", limit=None, interval=itself.interval))
    return lines


def main() -> None:
    """All lines."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=REPETITIONS)
    repetitions = parser.parse_args().repetitions
    try:
        engine.build()
        lines = compare(engine.default_cpu(), repetitions)
    except engine.BenchError as error:
        lines = [failure(name, str(error)) for name in LINES]
    for line in lines:
        tell(line)


if __name__ == "__main__":
    main()
