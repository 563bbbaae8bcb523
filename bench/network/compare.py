# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""TCP from memory to memory on this node, interleaved with iperf3: same block, window and CPU for both ends."""

from __future__ import annotations

import json
import resource
import socket
import subprocess
from collections.abc import Callable

from bench.lib import engine, rounds
from bench.lib.estimate import median
from bench.lib.line import Line

BLOCK = 4096
WINDOW = 56 * 1024
SECONDS = 1
REPETITIONS = 40
HOST = "127.0.0.1"

QUANTITIES = {
    "system_time_per_byte": "ns in the kernel a byte",
    "cpu_per_byte": "ns a byte",
    "speed": "MB/s",
    "switches_per_mb": "switches a MB",
}
GRANTED = "bytes of buffer granted to the sender"
PROMISED = ("system_time_per_byte", "cpu_per_byte", "speed")
LIKE = "tcp-local-select"
"""The measurement that makes the same system calls as iperf3: both ends are event loops."""
SIDES = ("tcp_select_{}_vs_iperf3", "tcp_{}_vs_iperf3", "iperf3_{}_vs_itself")
LINES = tuple(side.format(name) for name in QUANTITIES for side in SIDES)


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
        GRANTED: told["send_buffer_bytes"],
    }


def _free_port() -> int:
    with socket.socket() as found:
        found.bind((HOST, 0))
        return int(found.getsockname()[1])


def iperf3(cpu: int) -> dict[str, float]:
    """Measure the transfer by iperf3. Uses iperf3's own figures of both ends' CPU use, which are getrusage's."""
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
        GRANTED: found["start"]["sndbuf_actual"],
    }


def with_switches(arm: Callable[[], dict[str, float]]) -> Callable[[], dict[str, float]]:
    """Add to an arm's figures how often the CPU switched between the processes that it started, per megabyte."""

    def counted() -> dict[str, float]:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        found = arm()
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        switches = after.ru_nvcsw - before.ru_nvcsw + after.ru_nivcsw - before.ru_nivcsw
        return {**found, QUANTITIES["switches_per_mb"]: max(1, switches) / found["MB/s"] / SECONDS}

    return counted


def compare(cpu: int, repetitions: int) -> list[Line]:
    """Run all arms. iperf3 runs twice a round, to show the method's result for two that are certainly alike."""
    arms = {
        LIKE: with_switches(lambda: ours(LIKE, cpu)),
        "tcp-local": with_switches(lambda: ours("tcp-local", cpu)),
        "iperf3": with_switches(lambda: iperf3(cpu)),
        "iperf3 again": with_switches(lambda: iperf3(cpu)),
    }
    seen = rounds.by_turns("network", arms, repetitions)
    if len({figures[GRANTED] for arm in arms for figures in seen[arm]}) != 1:
        raise engine.BenchError("the kernel did not grant all of them the same buffers")
    lines = []
    for name, what in QUANTITIES.items():
        like, plain, other, again = ([figures[what] for figures in seen[arm]] for arm in arms)
        limit = rounds.ALIKE if name in PROMISED else None
        for side, mine, within in ((SIDES[0], like, limit), (SIDES[1], plain, None)):
            detail = {f"ours {what}": median(mine), f"iperf3 {what}": median([*other, *again])}
            lines.append(rounds.held(side.format(name), mine, other, again, limit=within, detail=detail))
        lines.append(rounds.held(SIDES[2].format(name), other, again))
    return lines


if __name__ == "__main__":
    rounds.main(__doc__, LINES, REPETITIONS, compare)
