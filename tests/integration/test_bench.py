# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The bench yields every line that it promises, with its fields and its limit, and hides none that is short or missing."""

from __future__ import annotations

import json
import math
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

# What issue and documentation promise; every other line is only shown.
LIMITS: dict[str, object] = {
    "attach_cost_vs_perf_sched": [-0.5, 0.5],
    "attach_deadline_cost_vs_perf_sched": [-0.5, 0.5],
    "attach_trails_cost_vs_perf_sched": [-0.5, 0.5],
    "archive_page": 1.0,
    "archive_query": 0.5,
    "archive_query_all": 0.5,
    "growth_show": 0.3,
    "growth_show_label": 0.3,
    "growth_compare": 0.3,
    "growth_save": 0.03,
    "growth_memory": 1.1,
    "growth_page_home": 0.5,
    "growth_page_machine": 0.5,
    "growth_page_history": 0.5,
    "growth_page_comparison": 0.5,
    "growth_page_run": 0.5,
    "growth_page_study": 0.5,
    "recorder_vs_hdr": 1.05,
    "wakeup_vs_cyclictest": [0.9, 1.1],
    "periods_lost": 0.0,
    "fork_vs_bare_loop": [0.9, 1.1],
    "signal_vs_bare_loop": [0.9, 1.1],
    "switch_delay_nanosleep_pair_vs_thread_switch": 2.0,
    "switch_delay_timerfd_vs_thread_switch": 2.0,
    "switch_delay_epics_timer_vs_thread_switch": 2.0,
    "tcp_select_system_time_per_byte_vs_iperf3": [0.9, 1.1],
    "tcp_select_cpu_per_byte_vs_iperf3": [0.9, 1.1],
    "tcp_select_speed_vs_iperf3": [0.9, 1.1],
    "memory_vs_memcpy": [0.0, 1 / 0.95],
    "stream_2M_raw": 1.0,
    "stream_histogram_2M": 1.0,
    "stream_histogram_200M": 1.0,
    "stream_histogram_200M_to_2M_memory": 1.05,
    "compare_2M": 1.0,
    "compare_2M_page": 3.0,
    "compare_200M_to_2M_memory": 1.1,
    "report_all_studies": 3.0,
    "campaign_overhead": 5.0,
    "campaign_idle": 1.0,
    "help_start": 0.3,
    "quick_run": 90.0,
}

# Peers that say what is known beforehand: the test is of the bench, and needs neither them nor the network.
PEERS = {
    "cyclictest": """#!/usr/bin/env python3
import json, sys
asked = {word[:2]: word[2:] for word in sys.argv[1:] if not word.startswith("--")}
found = next(word.partition("=")[2] for word in sys.argv if word.startswith("--json="))
cycles = int(asked["-l"]) if "-l" in asked else int(asked["-D"]) * 1000000 // int(asked["-i"]) - 101
histogram = {"5000": cycles // 2 + 1, "7000": cycles - cycles // 2 - 1 - 10}
json.dump({"thread": {"0": {"histogram": histogram, "cycles": cycles}}}, open(found, "w"))
""",
    "ptsematest": """#!/usr/bin/env python3
import json, sys
found = next(word.partition("=")[2] for word in sys.argv if word.startswith("--json="))
json.dump({"thread": {"0": {"receiver": {"min": 1, "avg": 2.5, "max": 9}}}}, open(found, "w"))
""",
    "perf": """#!/usr/bin/env python3
import os, signal, sys
if "record" in sys.argv:
    signal.signal(signal.SIGINT, lambda *_: sys.exit("[ perf record: Captured and wrote 1.0 MB data (1000000 samples) ]"))
    asked, answer = map(int, sys.argv[-1].removeprefix("--control=fd:").split(","))
    os.read(asked, 16)
    os.write(answer, b"ack\\n\\0")
    signal.pause()
print("     Total time: 0.093 [sec]\\n\\n       4.000000 usecs/op\\n         250000 ops/sec")
""",
    "taskset": '#!/bin/sh\nshift 2\nexec "$@"\n',
    "chrt": '#!/bin/sh\nshift 2\nexec "$@"\n',
    "iperf3": """#!/usr/bin/env python3
import json, signal, sys
if "-s" in sys.argv:
    print("Server listening on 5201", flush=True)
    signal.pause()
used = {"host_total": 10, "remote_total": 20, "host_system": 8, "remote_system": 12}
received = {"bytes": 400000000, "seconds": 1.0}
start = {"sndbuf_actual": 2 * int(sys.argv[sys.argv.index("-w") + 1])}
print(json.dumps({"start": start, "end": {"sum_received": received, "cpu_utilization_percent": used}}))
""",
    "npm": "#!/bin/sh\nexit 1\n",
}


def _bench(root: Path, *arguments: str, path: str | None = None) -> subprocess.CompletedProcess[str]:
    environment = {
        **os.environ,
        "RTSTONE_BENCH_ENGINE": "build/engine",
        "PIP_NO_INDEX": "1",
        "PATH": path or os.environ["PATH"],
    }
    return subprocess.run(
        [root / "bench" / "run", *arguments], env=environment, capture_output=True, text=True, check=False, timeout=600
    )


@pytest.fixture
def with_peers(tmp_path: Path) -> str:
    """A PATH on which the peers above come first."""
    folder = tmp_path / "peers"
    folder.mkdir()
    for name, text in PEERS.items():
        (folder / name).write_text(text, encoding="utf-8")
        (folder / name).chmod(0o755)
    return f"{folder}{os.pathsep}{os.environ['PATH']}"


@pytest.fixture
def privileged() -> bool:
    """Whether real-time priorities may be had: without them there is nothing to hold beside cyclictest."""
    return subprocess.run(["chrt", "-f", "95", "true"], capture_output=True, check=False).returncode == 0


OF_SOFTWARE = ("stream", "report", "compare", "archive", "growth", "campaign")
"""Parts that time work of rtstone's own, not the machine: other programs make their figures worse, but leave none out."""


def _promised(root: Path) -> dict[str, list[str]]:
    """The lines of each part."""
    listed = [line.split() for line in _bench(root, "--list").stdout.splitlines()]
    return {part: names for part, *names in listed}


@pytest.mark.timeout(900)
@pytest.mark.parametrize("size", ["--small", pytest.param("", marks=[pytest.mark.long, pytest.mark.alone])])
def test_every_promised_line_of_software_comes_with_its_fields(
    root: Path, tmp_path: Path, with_peers: str, privileged: bool, size: str
) -> None:
    _lines(root, tmp_path, OF_SOFTWARE, with_peers, privileged, size)


@pytest.mark.timeout(900)
@pytest.mark.parametrize("size", ["--small", pytest.param("", marks=[pytest.mark.long, pytest.mark.alone])])
def test_every_promised_line_of_the_machine_comes_with_its_fields(
    root: Path, tmp_path: Path, with_peers: str, privileged: bool, size: str
) -> None:
    promised = _promised(root)
    names = [name for names in promised.values() for name in names]
    assert len(set(names)) == len(names)
    assert set(LIMITS) <= set(names)
    assert set(OF_SOFTWARE) <= set(promised)
    parts = tuple(part for part in promised if part not in OF_SOFTWARE)
    lines = _lines(root, tmp_path, parts, with_peers, privileged, size)
    if privileged:
        # One round says nothing of its spread, so it cannot show that two tools agree.
        assert lines["wakeup_vs_cyclictest"]["verdict"] == "short"
        assert lines["wakeup_vs_cyclictest"]["value"] == pytest.approx(lines["wakeup_median"]["value"] / 5000)
        assert lines["wakeup_cyclictest_vs_itself"]["value"] == pytest.approx(1)
        assert lines["periods_lost"]["value"] == 0
        assert lines["periods_lost_cyclictest"]["value"] == 100
        assert lines["periods_lost_cyclictest"]["detail"]["of them in its histogram"] == 9889
        assert lines["thread_switch_vs_perf_pipe"]["detail"]["pipe, threads, half ns"] == 2000
        assert lines["semaphore_ping_vs_perf_pipe"]["detail"]["pipe, threads ns"] == 4000
        assert lines["thread_switch_vs_ptsematest"]["detail"]["ptsematest ns"] == 2500
        assert lines["tcp_speed_vs_iperf3"]["detail"]["iperf3 MB/s"] == pytest.approx(400)
        assert lines["tcp_cpu_per_byte_vs_iperf3"]["detail"]["iperf3 ns a byte"] == pytest.approx(0.75)
        assert lines["iperf3_speed_vs_itself"]["value"] == pytest.approx(1)
        assert lines["tcp_switches_per_mb_vs_iperf3"]["detail"]["ours switches a MB"] > 1


RTLA = "rtla_timerlat_cost_10000"


def _has_timerlat() -> bool:
    tracers = Path("/sys/kernel/tracing/available_tracers")
    return tracers.exists() and "timerlat" in tracers.read_text(encoding="ascii").split()


def _lines(
    root: Path, folder: Path, parts: tuple[str, ...], path: str, privileged: bool, size: str
) -> dict[str, dict[str, Any]]:
    """Runs these parts, and requires each of their lines with its fields, its limit and a verdict."""
    promised = _promised(root)
    words = ("--repetitions", "1", "--json", str(folder / "bench.json"), *size.split(), "--only", *parts)
    done = _bench(root, *words, path=path)
    document = json.loads((folder / "bench.json").read_text(encoding="utf-8"))
    lines: dict[str, dict[str, Any]] = {line["name"]: line for line in document["lines"]}
    printed = [text.split()[0] for text in done.stdout.splitlines()]
    assert list(lines) == [name for part in parts for name in promised[part]] == printed

    may_fail = (
        set()
        if privileged
        else set().union(
            *(_of(document, part) for part in ("wakeup", "switches", "memory", "processes", "network", "attach"))
        )
    )
    may_fail |= {
        name for name in LIMITS if name.endswith("_vs_perf_sched")
    }  # the peer above only waits: it costs nothing
    if _has_timerlat():
        may_fail.add(RTLA)  # the tests do not install it
    if not (root / "build" / "bench" / "recorder" / "package").is_dir():
        may_fail.add("recorder_vs_hdr")  # its source is fetched by `make bench`
    if not (root / "build" / "bench" / "ioc" / "softIoc").is_file():
        may_fail |= _of(document, "ioc")  # likewise
    for name, line in lines.items():
        assert set(line) == {
            "part",
            "name",
            "value",
            "unit",
            "limit",
            "interval",
            "verdict",
            "failed",
            "absent",
            "detail",
        }
        if name in may_fail and line["verdict"] == "failed":
            assert line["failed"]
            continue
        if name == RTLA and not _has_timerlat():
            assert line["verdict"] == "absent"
            assert line["absent"] == "this kernel has no tracer timerlat (CONFIG_TIMERLAT_TRACER)"
            continue
        assert line["verdict"] in ("pass", "short") if name in LIMITS else line["verdict"] == "shown", line
        assert math.isfinite(line["value"])
        assert line["unit"]
        assert line["limit"] == LIMITS.get(name), name
    assert done.returncode == (1 if any(line["verdict"] in ("short", "failed") for line in lines.values()) else 0)
    return lines


HDR = """
#include <stdint.h>
struct hdr_histogram { int64_t total_count; };
int hdr_init(int64_t lowest, int64_t highest, int figures, struct hdr_histogram **made);
_Bool hdr_record_value(struct hdr_histogram *histogram, int64_t value);
int64_t hdr_min(const struct hdr_histogram *histogram);
"""


def test_the_recorder_s_program_fits_the_engine_though_its_peer_is_fetched_by_the_bench_alone(
    root: Path, tmp_path: Path
) -> None:
    (tmp_path / "hdr_histogram.h").write_text(HDR)
    rooms = [f"-I{root / room}" for room in ("engine/include", "ports/posix/include")]
    flags = [
        "-std=gnu11",
        "-Wall",
        "-Wextra",
        "-Werror",
        "-D_POSIX_C_SOURCE=200809L",
        *rooms,
        "-isystem",
        str(tmp_path),
    ]
    source = root / "bench" / "recorder" / "bench_recorder.c"
    done = subprocess.run(
        ["gcc", "-fsyntax-only", *flags, source], capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 0, done.stderr


def _of(document: dict[str, Any], part: str) -> set[str]:
    return {line["name"] for line in document["lines"] if line["part"] == part}


@pytest.fixture
def small_bench(root: Path, tmp_path: Path) -> Path:
    """A checkout whose bench has one part of the test's own making."""
    checkout = tmp_path / "checkout"
    shutil.copytree(root / "bench", checkout / "bench", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("src", ".venv"):
        (checkout / name).symlink_to(root / name)
    return checkout


@pytest.mark.parametrize(
    ("says", "code", "verdicts"),
    [
        ('{"name":"help_start","value":0.3,"unit":"s","limit":0.3}', 0, {"help_start": "pass", "quick_run": "failed"}),
        (
            '{"name":"help_start","value":0.31,"unit":"s","limit":0.3}',
            0,
            {"help_start": "short", "quick_run": "failed"},
        ),
        ('{"name":"quick_run","value":9,"unit":"s","limit":90}', 3, {"quick_run": "pass", "help_start": "failed"}),
        ("help_start 0.1 s", 0, {"help_start": "failed", "quick_run": "failed"}),
        (
            '{"name":"help_start","value":null,"unit":"s","limit":0.3}',
            0,
            {"help_start": "failed", "quick_run": "failed"},
        ),
    ],
)
def test_a_line_that_is_short_or_missing_is_told(
    small_bench: Path, tmp_path: Path, says: str, code: int, verdicts: dict[str, str]
) -> None:
    part = small_bench / "bench" / "tool" / "run"
    part.write_text(f"#!/bin/sh\necho '{says}'\nexit {code}\n", encoding="utf-8")
    done = _bench(small_bench, "--only", "tool", "--json", str(tmp_path / "bench.json"))
    assert done.returncode == 1
    document = json.loads((tmp_path / "bench.json").read_text(encoding="utf-8"))
    assert {line["name"]: line["verdict"] for line in document["lines"]} == verdicts
    assert len(done.stdout.splitlines()) == 2
    assert all(
        line["failed"] for line in document["lines"] if line["verdict"] == "failed" and line["name"] == "quick_run"
    )


def test_a_peer_that_the_kernel_lacks_is_counted_and_fails_nothing(small_bench: Path, tmp_path: Path) -> None:
    line = '{"name":"clock_read_vs_clock_gettime","value":null,"unit":"-","limit":null,"absent":"no such clock"}'
    (small_bench / "bench" / "clock" / "run").write_text(f"#!/bin/sh\necho '{line}'\n", encoding="utf-8")
    done = _bench(small_bench, "--only", "clock", "--json", str(tmp_path / "bench.json"))
    assert done.returncode == 0
    assert done.stdout.split()[4:] == ["absent", "(no", "such", "clock)"]
    assert done.stderr.splitlines()[-1] == "bench: 0 pass, 0 short, 1 absent, 0 failed"
    assert json.loads((tmp_path / "bench.json").read_text(encoding="utf-8"))["lines"][0]["absent"] == "no such clock"


@pytest.mark.parametrize("arguments", [["--repetitions", "0"], ["--only", "nothing"], ["--repetitions", "x"]])
def test_bad_words_are_refused(root: Path, arguments: list[str]) -> None:
    assert _bench(root, *arguments).returncode == 2
