# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Runs the parts of the bench one after the other, prints a line for each figure, and keeps them all as JSON."""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

import msgspec
from bench.lib import size
from bench.lib.line import Line, failure, read, text

BENCH = Path(__file__).resolve().parent
SCHEMA = "rtstone.bench 1.1"

PARTS: dict[str, tuple[str, ...]] = {
    "recorder": ("recorder_vs_hdr",),
    "clock": ("clock_read_vs_clock_gettime",),
    "wakeup": (
        "wakeup_vs_cyclictest",
        "wakeup_cyclictest_vs_itself",
        "wakeup_median",
        "wakeup_median_cyclictest",
        "wakeup_vs_bare_loop",
        "wakeup_bare_loop_static_vs_dynamic",
        "periods_lost",
        "periods_lost_cyclictest",
    ),
    "switches": (
        "thread_switch_vs_perf_pipe",
        "semaphore_ping_vs_perf_pipe",
        "process_switch_vs_perf_pipe",
        "thread_switch_vs_ptsematest",
        "thread_switch_vs_bare_loop",
        "shared_vs_private_semaphore",
        "pipe_vs_private_semaphore",
        "pipe_vs_perf_pipe",
        "switch_delay_nanosleep_pair_vs_thread_switch",
        "switch_delay_timerfd_vs_thread_switch",
        "switch_delay_epics_timer_vs_thread_switch",
        "arm_and_switch_delay_nanosleep_vs_thread_switch",
    ),
    "memory": ("memory_vs_memcpy", "memcpy_vs_itself"),
    "processes": (
        "fork_vs_bare_loop",
        "fork_bare_loop_vs_itself",
        "signal_vs_bare_loop",
        "signal_bare_loop_vs_itself",
        "thread_vs_bare_loop",
        "thread_bare_loop_vs_itself",
    ),
    "network": (
        "tcp_select_system_time_per_byte_vs_iperf3",
        "tcp_system_time_per_byte_vs_iperf3",
        "iperf3_system_time_per_byte_vs_itself",
        "tcp_select_cpu_per_byte_vs_iperf3",
        "tcp_cpu_per_byte_vs_iperf3",
        "iperf3_cpu_per_byte_vs_itself",
        "tcp_select_speed_vs_iperf3",
        "tcp_speed_vs_iperf3",
        "iperf3_speed_vs_itself",
        "tcp_select_switches_per_mb_vs_iperf3",
        "tcp_switches_per_mb_vs_iperf3",
        "iperf3_switches_per_mb_vs_itself",
    ),
    "stream": (
        "stream_2M_raw",
        "stream_histogram_2M",
        "stream_histogram_200M",
        "stream_histogram_200M_to_2M_memory",
    ),
    "report": (
        "report_all_studies",
        "report_all_studies_first_ever",
        "report_all_studies_charts",
        "report_all_studies_size",
    ),
    "compare": ("compare_2M", "compare_2M_command", "compare_2M_page", "compare_200M_to_2M_memory"),
    "ioc": (
        "ioc_connect_vs_softioc",
        "softioc_connect_vs_itself",
        "ioc_put_vs_softioc",
        "softioc_put_vs_itself",
        "ioc_get_vs_softioc",
        "softioc_get_vs_itself",
        "ioc_get_latency_vs_softioc",
        "softioc_get_latency_vs_itself",
        "ioc_event_vs_softioc",
        "softioc_event_vs_itself",
        "ioc_load_put_vs_softioc",
        "softioc_load_put_vs_itself",
        "ioc_load_put_callback_vs_softioc",
        "softioc_load_put_callback_vs_itself",
        "ioc_load_monitor_vs_softioc",
        "softioc_load_monitor_vs_itself",
        "ioc_connect_vs_softioc_with_rules",
        "softioc_with_rules_connect_vs_softioc",
    ),
    "attach": (
        "attach_cost_100",
        "attach_cost_1000",
        "attach_cost_5000",
        "attach_cost_10000",
        "attach_deadline_cost_100",
        "attach_deadline_cost_1000",
        "attach_deadline_cost_5000",
        "attach_deadline_cost_10000",
        "attach_trails_cost_100",
        "attach_trails_cost_1000",
        "attach_trails_cost_5000",
        "attach_trails_cost_10000",
        "perf_sched_cost_100",
        "perf_sched_cost_1000",
        "perf_sched_cost_5000",
        "perf_sched_cost_10000",
        "nothing_again_cost_100",
        "nothing_again_cost_1000",
        "nothing_again_cost_5000",
        "nothing_again_cost_10000",
        "rtla_timerlat_cost_10000",
        "attach_cost_vs_perf_sched",
        "attach_deadline_cost_vs_perf_sched",
        "attach_trails_cost_vs_perf_sched",
    ),
    "archive": ("archive_page", "archive_query", "archive_query_all"),
    "growth": (
        "growth_list",
        "growth_show",
        "growth_show_label",
        "growth_compare",
        "growth_history",
        "growth_save",
        "growth_page_home",
        "growth_page_home_again",
        "growth_page_machine",
        "growth_page_machine_again",
        "growth_page_history",
        "growth_page_history_again",
        "growth_page_comparison",
        "growth_page_comparison_again",
        "growth_page_run",
        "growth_page_run_again",
        "growth_page_study",
        "growth_page_study_again",
        "growth_memory",
        "growth_size",
    ),
    "campaign": ("campaign_overhead", "campaign_overhead_curve", "campaign_idle"),
    "tool": ("help_start", "quick_run"),
}
"""Each folder with a ``run``, and every line that it must print: one that is missing is a failure, not a shorter list."""


def _busy_s() -> float:
    """CPU seconds that this machine has spent on anything, all CPUs together; 0 where it does not say."""
    try:
        fields = [int(field) for field in Path("/proc/stat").read_text(encoding="ascii").split("\n", 1)[0].split()[1:9]]
    except (OSError, ValueError):
        return 0.0
    user, nice, system, _idle, _iowait, irq, softirq, steal = fields
    return (user + nice + system + irq + softirq + steal) / os.sysconf("SC_CLK_TCK")


def _own_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _environment() -> dict[str, str]:
    """Parts that say python3 get the one with rtstone's libraries."""
    return {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', os.defpath)}"}


class Part(msgspec.Struct, frozen=True):
    """The lines of one part, and how busy other programs kept the machine meanwhile."""

    name: str
    seconds: float
    others_cpus: float
    """CPUs that other programs kept busy, on average."""
    lines: list[Line]


def run_part(name: str, repetitions: int | None) -> Part:
    """Runs a part, prints its lines as they come, and adds a failure for each that did not."""
    command = [str(BENCH / name / "run"), *(["--repetitions", str(repetitions)] if repetitions else [])]
    began, busy, own = time.monotonic(), _busy_s(), _own_s()
    lines: list[Line] = []

    def take(line: Line) -> None:
        lines.append(line)
        print(text(line), flush=True)

    why = ""
    try:
        with subprocess.Popen(
            command, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True, cwd=BENCH.parent, env=_environment()
        ) as child:
            assert child.stdout is not None
            for said in child.stdout:
                try:
                    take(read(said))
                except (ValueError, msgspec.ValidationError):
                    why = f"it printed what is no line: {said.strip()[:80]}"
        if child.returncode != 0:
            why = f"bench/{name}/run ended with exit code {child.returncode}"
    except OSError as error:
        why = f"bench/{name}/run cannot be started: {error.strerror}"
    known = {line.name for line in lines}
    for wanted in PARTS[name]:
        if wanted not in known:
            take(failure(wanted, why or f"bench/{name}/run did not print it"))
    seconds = time.monotonic() - began
    others = max(0.0, (_busy_s() - busy - (_own_s() - own)) / seconds)
    return Part(name, seconds, others, lines)


def machine() -> dict[str, str]:
    """Facts about the measured machine."""
    facts = {
        "kernel": f"{platform.system()} {platform.release()}",
        "machine": platform.machine(),
        "cpus": str(os.cpu_count()),
    }
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                facts["cpu"] = line.partition(":")[2].strip()
                break
    except OSError:
        pass
    return facts


def write(path: Path, parts: list[Part], began: datetime) -> None:
    """Write the whole result as JSON."""
    document = {
        "schema": SCHEMA,
        "started": began.isoformat(timespec="seconds"),
        "machine": machine(),
        "parts": [
            {"name": part.name, "seconds": round(part.seconds, 1), "others_cpus": round(part.others_cpus, 2)}
            for part in parts
        ],
        "lines": [
            {
                "part": part.name,
                "name": line.name,
                "value": line.value,
                "unit": line.unit,
                "limit": line.limit,
                "interval": line.interval,
                "verdict": line.verdict,
                "failed": line.failed,
                "absent": line.absent,
                "detail": line.detail,
            }
            for part in parts
            for line in part.lines
        ],
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document, indent=1, allow_nan=False) + "\n", encoding="utf-8")


def _positive(word: str) -> int:
    number = int(word)
    if number < 1:
        raise ValueError
    return number


def main() -> int:
    """Exit codes: 0 every limit is met, 1 one is not or a figure is missing, 2 usage, 130 interrupted."""
    parser = argparse.ArgumentParser(
        prog="bench/run", description="Measure rtstone beside its peers and against its limits."
    )
    parser.add_argument("--only", nargs="+", choices=list(PARTS), metavar="PART", help=f"of {', '.join(PARTS)}")
    parser.add_argument(
        "--json", type=Path, default=BENCH.parent / "out" / "bench.json", help="where all figures go (out/bench.json)"
    )
    parser.add_argument("--repetitions", type=_positive, help="rounds of each part, in place of its own number")
    parser.add_argument(
        "--small", action="store_true", help="a hundredth of the work, to try the bench: no figure says anything"
    )
    parser.add_argument("--list", action="store_true", help="print the lines of each part, measure nothing")
    options = parser.parse_args()
    if options.list:
        for name, lines in PARTS.items():
            print(name, *lines)
        return 0
    if options.small:
        os.environ[size.VARIABLE] = "1"
    began = datetime.now(UTC)
    parts: list[Part] = []
    for name in options.only or PARTS:
        sys.stderr.write(f"bench: {name} …\n")
        sys.stderr.flush()
        part = run_part(name, options.repetitions)
        parts.append(part)
        others = f"; other programs kept {part.others_cpus:.1f} CPUs busy" if part.others_cpus >= 0.2 else ""
        sys.stderr.write(f"bench: {name} took {part.seconds:.0f} s{others}\n")
    write(options.json, parts, began)
    worth = ", of a hundredth of the work: none says anything" if options.small else ""
    sys.stderr.write(f"bench: all figures are in {options.json}{worth}\n")
    verdicts = [line.verdict for part in parts for line in part.lines]
    counted = ", ".join(f"{verdicts.count(one)} {one}" for one in ("pass", "short", "absent", "failed"))
    sys.stderr.write(f"bench: {counted}\n")
    return 1 if {"short", "failed"} & set(verdicts) else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
