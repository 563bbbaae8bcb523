# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The program rtstone-engine on this machine: its command line, its stream, and that it never outlives who wanted it."""

from __future__ import annotations

import json
import os
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rtstone.stream import framing
from rtstone.stream.plan import Item, Plan, encode
from rtstone.studies import needs, pace_by_name, studies
from rtstone.studies._traits import traits_by_name
from support import filters
from support.children import alive, descendants
from support.control_groups import control_group, joined, set_realtime

SLOW = ["run", "--measurement", "interrupt-response", "--period-ns", "10000000", "--count", "100000", "--load", "cpu"]


def _run(engine: Path, *words: str, **options: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run([str(engine), *words], capture_output=True, text=True, check=False, timeout=120, **options)


def _records(stdout: str) -> list[dict[str, Any]]:
    """The stream's records; fails unless every line is framed and none is missing."""
    records = []
    for expected, line in enumerate(stdout.splitlines()):
        seq, payload = framing.decode(line.encode())
        assert seq == expected
        records.append(json.loads(payload))
    return records


def _of(records: list[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    return [record for record in records if record["t"] == kind]


def test_version_and_help_teach(engine: Path) -> None:
    version = _run(engine, "--version")
    assert version.returncode == 0
    assert version.stdout.startswith("rtstone-engine 0.")
    for words in ((), ("--help",), ("run", "--help"), ("list", "-h")):
        told = _run(engine, *words)
        assert told.returncode == 0
        assert "--period-ns" in told.stdout
        assert "exit codes" in told.stdout


def test_list_as_json(engine: Path) -> None:
    listed = json.loads(_run(engine, "list", "--json").stdout)
    by_name = {measurement["name"]: measurement for measurement in listed["measurements"]}
    assert listed["port"] == "posix"
    assert listed["timers"] == ["nanosleep-pair", "nanosleep", "timerfd"]
    clocks = [clock["name"] for clock in listed["clocks"]]
    assert {"counter", "monotonic", "gettimeofday", "hpet"} <= set(clocks)
    for clock in (*clocks, "sundial"):  # each name that is listed is known, whether or not the machine has that clock
        told = _run(engine, "--version", env={**os.environ, "RTSTONE_CLOCK": clock})
        assert (told.returncode == 2 and "no such clock" in told.stderr) == (clock == "sundial")
    assert {"none", "cpu"} <= {load["name"] for load in listed["loads"]}
    assert by_name["task-suspend-resume"]["supported"] is False
    assert "POSIX" in by_name["task-suspend-resume"]["why_not"]
    assert by_name["process-suspend-resume"]["supported"] is True
    assert any("two are used" in text for text in by_name["semaphore-ping"]["substitutes"])
    assert any("last in first out" in text for text in by_name["queue-fill-urgent"]["substitutes"])


def test_a_choice_is_listed_and_measured_by_the_whole_name_alone(engine: Path) -> None:
    """A plan's names are as they were before there were choices. The measurement's own name is not a choice."""
    listed = json.loads(_run(engine, "list", "--json").stdout)["measurements"]
    names = [one["name"] for one in listed]
    assert len(set(names)) == len(names)
    assert max(map(len, names)) <= 31
    assert all(one["name"] == "-".join(filter(None, (one["of"], one["choice"]))) for one in listed)
    assert all(one["series"] == [one["name"]] for one in listed if one["choice"])
    chosen = {one["of"] for one in listed if one["choice"]}
    assert chosen == {"clock", "system-v-queue", "transfer", "tcp", "udp"}
    assert not chosen & set(names)
    for name in chosen:
        assert f"no measurement is named '{name}'" in _run(engine, "run", "--measurement", name).stderr
    text = _run(engine, "list").stdout
    assert set(names) <= set(text.replace(",", " ").split())


def test_the_list_says_what_a_measurement_is_like_as_its_name_did(engine: Path) -> None:
    """The host plans by the list; for an older engine by the names that this one has."""
    listed = json.loads(_run(engine, "list", "--json").stdout)["measurements"]
    planned_by = {"trails", "window", "kernel-handler"}
    for one in listed:
        assert planned_by & set(one["traits"]) == traits_by_name(one["name"])
        assert (one["paced_by"] == "outside") == (pace_by_name(one["name"]) == "outside")
        assert one["whole"] in {"", *one["series"]}
    by_name = {one["name"]: one for one in listed}
    assert [by_name["interrupt-response"][key] for key in ("traits", "paced_by", "whole")] == [
        ["enters", "on-timer"],
        "timer",
        "",
    ]
    assert by_name["interrupt-split"]["whole"] == "split-task-response"
    assert by_name["tcp-link"]["paced_by"] == "length"
    paced = {need.measurement for study in studies() for need in needs(study) if need.period_ns}
    assert paced <= {one["name"] for one in listed if one["paced_by"]}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["walk"], "unknown command 'walk'"),
        (["run", "--measurement", "tea"], "no measurement is named 'tea'"),
        (["run", "--measurement", "task-switch", "--load", "bricks"], "no load is named 'bricks'"),
        (["run", "--measurement", "interrupt-response", "--timer", "sundial"], "no timer source is named 'sundial'"),
        (["run", "--measurement", "task-switch", "--count", "0"], "--count takes a whole number from 1"),
        (["run", "--measurement", "task-switch", "--count", "-5"], "--count takes a whole number from 1"),
        (["run", "--measurement", "task-switch", "--count=1e3"], "not '1e3'"),
        (["run", "--measurement", "interrupt-response", "--period-ns", "0"], "--period-ns takes"),
        (["run", "--measurement", "task-switch", "--cpu", "9999"], "CPU 9999 does not exist"),
        (["run", "--measurement", "task-switch", "--pass", "double"], "one of single|batch"),
        (["run", "--measurement"], "--measurement needs a value"),
        (["run", "--count", "5"], "--measurement is missing"),
        (["run", "--speed", "5"], "unknown option '--speed'"),
        (["run", "--plan", "-", "--count", "5"], "--plan says all"),
        (["run", "--plan", "no/such/file"], "cannot be opened"),
    ],
)
def test_bad_usage_is_one_line_and_exit_2(engine: Path, words: list[str], said: str) -> None:
    done = _run(engine, *words)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert said in done.stderr


def test_options_make_the_plan_that_is_echoed(engine: Path) -> None:
    words = (
        "--pass batch --count 7 --sets 3 --budget-ms 60000 --warmup 2 --load cpu --intensity 1 --sched ts --cache warm"
    )
    more = "--cpu 0 --period-ns 2000000 --phase-ns 11 --timer timerfd --raw 0 --seed 18 --repetition 4"
    done = _run(engine, "run", "--measurement", "semaphore-ping", *words.split(), *more.split())
    assert done.returncode == 0
    records = _records(done.stdout)
    (plan,) = _of(records, "plan")
    assert (plan["seed"], plan["repetition"], plan["items"]) == ("18", 4, 1)
    item: dict[str, Any] = {}
    for part in _of(records, "item"):
        item |= part
    expected: dict[str, Any] = {"measurement": "semaphore-ping", "pass": "batch", "count": 7, "sets": 3}
    expected |= {"budget_ms": 60000, "warmup": 2, "load": "cpu", "intensity": 1, "sched": "ts", "cache": "warm"}
    expected |= {"cpu": 0, "period_ns": 2000000, "phase_ns": 11, "timer": "timerfd", "raw": 0}
    assert {key: item[key] for key in expected} == expected
    (end,) = _of(records, "end")
    assert (end["status"], end["count"]) == ("ok", "3")


def test_a_plan_on_standard_input_is_read_to_its_go_and_no_further(engine: Path) -> None:
    """A host keeps the pipe open while the engine measures: there is no end of file to wait for."""
    plan = Plan(items=(Item(item=3, measurement="semaphore-get-release", count=25),), seed=5, repetition=0)
    command = [str(engine), "run", "--plan", "-"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(encode(plan))
        process.stdin.flush()
        records = _records(process.stdout.read().decode())
        assert process.wait(timeout=30) == 0
    (end,) = _of(records, "end")
    assert (end["item"], end["count"]) == (3, "25")


def test_a_plan_that_is_refused_is_exit_2(engine: Path, tmp_path: Path) -> None:
    plan = tmp_path / "plan"
    plan.write_bytes(
        encode(Plan(items=(Item(item=0, measurement="task-switch"),), seed=5, repetition=0)).replace(b"task", b"tusk")
    )
    done = _run(engine, "run", "--plan", str(plan))
    assert done.returncode == 2
    (bye,) = _of(_records(done.stdout), "bye")
    assert bye["status"] == "failed"


FOUND_IN_SETUP = (
    "datagram-",
    "edge-",
    "uio-",
    "tcp-",
    "udp-",
    "clock-hpet",
    "clock-ptp",
    "user-isr-",
    "interrupt-split",
    "driver-response",
)


@pytest.mark.needs("realtime")
def test_every_measurement_is_answered(engine: Path) -> None:
    listed = json.loads(_run(engine, "list", "--json").stdout)["measurements"]
    words = [word for measurement in listed for word in ("--measurement", measurement["name"])]
    done = _run(engine, "run", *words, "--count", "50")
    assert done.returncode == 0
    assert done.stderr == ""
    records = _records(done.stdout)
    skips = _of(records, "skip")
    skipped = {record["measurement"] for record in skips}
    unsupported = {measurement["name"] for measurement in listed if not measurement["supported"]}
    assert unsupported <= skipped
    # What these need beside the port's services is looked for as they are set up: a class, another host, a device.
    assert all(name.startswith(FOUND_IN_SETUP) for name in skipped - unsupported), skipped - unsupported
    assert all(skip["text"] for skip in skips)
    ends = _of(records, "end")
    assert {end["item"] for end in ends} == {
        number for number, measurement in enumerate(listed) if measurement["name"] not in skipped
    }
    # Stages exist only for samples that the kernel reported (spec/measurements.md).
    whole = [end for end in ends if listed[end["item"]]["name"] != "interrupt-split"]
    assert {(end["item"], end["status"], end["count"], end["dropped"]) for end in whole} == {
        (end["item"], "ok", "50", "0") for end in whole
    }
    (bye,) = _of(records, "bye")
    assert bye["status"] == "ok"
    assert bye["records"] == str(len(records))


@pytest.mark.parametrize("timer", ["nanosleep-pair", "nanosleep", "timerfd"])
def test_the_measured_interrupt_misses_no_period(engine: Path, timer: str) -> None:
    """Each is a sample, or counted as lost: where the machine took the CPU away for longer than the 512 periods that wait for the task."""
    words = ["--measurement", "interrupt-response", "--timer", timer, "--period-ns", "100000", "--count", "2000"]
    records = _records(_run(engine, "run", *words, "--raw", "1").stdout)
    end = _of(records, "end")[0]
    samples = [value for record in _of(records, "samples") if record["series"] == 0 for value in record["v"]]
    (lost,) = (int(check["value"]) for check in _of(records, "check") if check["name"] == "periods-lost")
    assert (end["status"], int(end["count"])) == ("invalid" if lost else "ok", 2000 - lost)
    assert lost == 0 or max(samples) > 512 * 100_000
    assert len(samples) == 2000 - lost
    assert sum(samples) == int(end["sum"])
    assert min(samples) >= 0


@pytest.mark.parametrize("timer", ["nanosleep-pair", "nanosleep", "timerfd"])
def test_a_period_that_nobody_can_keep_ends_the_item_and_not_the_engine(engine: Path, timer: str) -> None:
    """A handler that never catches up must not keep the CPU from the task that it wakes, nor the run from ending."""
    words = ["--measurement", "interrupt-response", "--measurement", "semaphore-get-release"]
    done = _run(engine, "run", *words, "--timer", timer, "--period-ns", "1", "--count", "5000")
    assert done.returncode == 0
    status = {end["item"]: end["status"] for end in _of(_records(done.stdout), "end")}
    assert status[0] in {"invalid", "failed"}
    assert status[1] == "ok"


@pytest.mark.parametrize("timer", ["default", "nanosleep-pair", "nanosleep", "timerfd"])
def test_a_delay_in_which_a_timer_is_armed_has_no_papers_name(engine: Path, timer: str) -> None:
    """SLAC's context switch is from a release to the task: a stand-in that arms its own timer in between makes another quantity."""
    done = _run(engine, "run", "--measurement", "interrupt-response", "--timer", timer, "--count", "50")
    records = _records(done.stdout)
    named = [series["name"] for series in _of(records, "series")]
    delay = "arm-and-switch-delay" if timer == "nanosleep" else "context-switch-delay"
    assert named == ["thread-wake-up", "interrupt-task-response", delay]
    assert [r["value"] for r in _of(records, "env") if r["key"] == "timer.default"] == ["nanosleep-pair"]


def test_facts_are_read_and_told_once(engine: Path) -> None:
    records = _records(_run(engine, "run", "--measurement", "semaphore-get-release", "--count", "10").stdout)
    facts: dict[str, str] = {}
    for record in _of(records, "env"):
        facts[record["key"]] = facts.get(record["key"], "") + record["value"]
    assert facts["kernel.release"] == os.uname().release
    assert facts["kernel.machine"] == os.uname().machine
    assert facts["kernel.cmdline"] == Path("/proc/cmdline").read_text().strip()
    assert facts["tunable.sched_rt_runtime_us"] == Path("/proc/sys/kernel/sched_rt_runtime_us").read_text().strip()
    assert facts["sched.rt"] in {"SCHED_FIFO", "SCHED_OTHER"}
    assert all(value for value in facts.values())
    clocks = _of(records, "clock")
    assert all(int(clock["hz"]) > 0 and clock["source"] for clock in clocks)


@pytest.fixture
def open_engine(engine: Path) -> Iterator[Path]:
    """A copy of the engine that another user may run."""
    if os.geteuid() != 0 or shutil.which("setpriv") is None:
        yield engine
        return
    folder = Path(tempfile.mkdtemp(prefix="rtstone-"))  # tmp_path is closed to others
    folder.chmod(0o755)
    copy = folder / "rtstone-engine"
    shutil.copy2(engine, copy)
    copy.chmod(0o755)
    yield copy
    shutil.rmtree(folder)


def _unprivileged() -> list[str]:
    """How to run a command without the right to real-time priorities."""
    if os.geteuid() == 0:
        if shutil.which("setpriv") is None:
            pytest.fail("setpriv (util-linux) is missing")
        return ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"]
    return ["prlimit", "--rtprio=0"]


def test_without_privilege_the_run_is_degraded_and_names_the_command(open_engine: Path) -> None:
    command = [*_unprivileged(), str(open_engine), "run", "--measurement", "semaphore-ping", "--count", "20"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0
    records = _records(done.stdout)
    degraded: dict[str, str] = {}
    for record in _of(records, "degraded"):
        degraded[record["reason"]] = degraded.get(record["reason"], "") + record.get("remedy", "")
    assert f"setcap cap_sys_nice,cap_ipc_lock+p {open_engine}" in degraded["no-realtime"] or (
        "--cap-add SYS_NICE" in degraded["no-realtime"]
    )
    assert _of(records, "begin")[0]["priority"] == 0
    assert _of(records, "end")[0]["status"] == "ok"


@pytest.mark.needs("file-capabilities")
@pytest.mark.parametrize("granted", [pytest.param(True, marks=pytest.mark.needs("realtime")), False])
def test_an_engine_starts_whether_or_not_its_file_s_capabilities_can_be_granted(engine: Path, granted: bool) -> None:
    copy = Path(tempfile.mkdtemp(dir="/tmp")) / "engine"  # below a folder that others may enter
    copy.parent.chmod(0o755)
    try:
        shutil.copyfile(engine, copy)
        copy.chmod(0o755)
        wanted = 1 << 23 | 1 << 14  # CAP_SYS_NICE, CAP_IPC_LOCK: permitted (setcap …+p)
        os.setxattr(copy, "security.capability", struct.pack("<IIIII", 0x02000000, wanted, 0, 0, 0))
        bounds = [] if granted else ["--bounding-set", "-sys_nice,-ipc_lock"]
        user = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", *bounds]
        words = [*user, str(copy), "run", "--measurement", "semaphore-ping", "--count", "20"]
        done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=60)
    finally:
        shutil.rmtree(copy.parent)
    assert done.returncode == 0, done.stderr
    records = _records(done.stdout)
    refused = [record for record in _of(records, "degraded") if record["reason"] == "no-realtime"]
    assert bool(refused) is not granted  # a long record comes in parts
    assert (_of(records, "begin")[0]["priority"] > 0) is granted
    remedy = "".join(record.get("remedy", "") for record in refused)
    assert remedy == ("" if granted else "start the container with --cap-add SYS_NICE --cap-add IPC_LOCK")


def _bounded(*capabilities: str) -> list[str]:
    """How to run a command as root of a container that does not have these capabilities."""
    without = ",".join(f"-{name}" for name in capabilities)
    return ["setpriv", "--bounding-set", without, "--inh-caps", without]


NO_LOCK = ["prlimit", "--memlock=0:0"]
PROFILE = "start the container with a seccomp profile that allows {}: --security-opt seccomp=PROFILE, or unconfined"


@pytest.mark.parametrize(
    ("before", "reason", "why", "remedy"),
    [
        (
            [*_bounded("ipc_lock"), *NO_LOCK],
            "no-memory-lock",
            "this container is without CAP_IPC_LOCK",
            "start the container with --cap-add IPC_LOCK",
        ),
        (
            [*_bounded("sys_nice"), "prlimit", "--rtprio=0"],
            "no-realtime",
            "this container is without CAP_SYS_NICE",
            "start the container with --cap-add SYS_NICE",
        ),
        (
            filters.under("mlockall"),
            "no-memory-lock",
            "a seccomp filter refuses mlockall()",
            PROFILE.format("mlockall()"),
        ),
        (
            filters.under("sched_setscheduler"),
            "no-realtime",
            "a seccomp filter refuses sched_setscheduler()",
            PROFILE.format("sched_setscheduler()"),
        ),
    ],
    ids=["no-ipc-lock", "no-sys-nice", "mlockall-filtered", "sched_setscheduler-filtered"],
)
def test_a_refusal_names_its_own_cause_and_the_option_that_helps(
    engine: Path, before: list[str], reason: str, why: str, remedy: str
) -> None:
    words = [*before, str(engine), "run", "--measurement", "semaphore-ping", "--count", "20"]
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    refused = [record for record in _of(_records(done.stdout), "degraded") if record["reason"] == reason]
    text = "".join(record.get("text", "") for record in refused)
    assert why in text
    assert "real-time budget" not in text
    advised = "".join(record.get("remedy", "") for record in refused)
    # Where the system itself lacks both, as an ordinary container does, both are named.
    assert advised.startswith(remedy.partition(" --cap-add")[0])
    assert remedy.rpartition("--cap-add")[2] in advised


def _why_no_split(engine: Path, *before: str) -> str:
    words = [*before, str(engine), "run", "--measurement", "interrupt-split", "--count", "20"]
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    return "".join(record.get("text", "") for record in _of(_records(done.stdout), "skip"))


def test_without_the_capabilities_of_bpf_the_container_s_option_is_named(engine: Path) -> None:
    without = _bounded("bpf", "perfmon", "sys_admin")
    assert _why_no_split(engine, *without).endswith(
        "BPF programs take CAP_BPF and CAP_PERFMON, which this container does not have: "
        "start it with --cap-add BPF --cap-add PERFMON"
    )


@pytest.mark.needs("bpf")
def test_a_filter_that_refuses_bpf_is_told_apart_from_capabilities(engine: Path) -> None:
    assert "but its seccomp filter refuses bpf()" in _why_no_split(engine, *filters.under("bpf"))


@pytest.mark.needs("realtime", "realtime-budgets")
@pytest.mark.alone
def test_a_group_s_real_time_budget_is_not_used_up(engine: Path) -> None:
    """The engine rests before the kernel stops it: else each period of the group had a sample of half a period."""
    with control_group() as group:
        set_realtime(group, 200_000, 400_000)
        words = joined(group, str(engine), "run", "--measurement", "semaphore-ping", "--count", "1000000")
        done = subprocess.run(words, capture_output=True, text=True, check=True, timeout=200)
    records = _records(done.stdout)
    assert _of(records, "begin")[0]["priority"] > 0
    end = _of(records, "end")[0]
    assert (end["status"], end["count"]) == ("ok", "1000000")
    hz = int(_of(records, "clock")[0]["hz"])
    busy_s = int(end["sum"]) / hz
    stopped = [one for one in _of(records, "extreme") if one["value"] > hz * 0.15]
    # Whoever takes the CPU from this machine for so long does it now and then, the kernel in each period.
    assert len(stopped) <= 1, (busy_s, stopped)
    assert busy_s > 1, "too short to use up the budget"


def _all_gone(pids: set[int], seconds: float = 10) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if not any(alive(pid) for pid in pids):
            return True
        time.sleep(0.02)
    return False


def _wait_for(stream: Any, text: str) -> None:
    for line in stream:
        if text in line:
            return
    pytest.fail(f"the engine ended before it wrote {text}")


def test_ctrl_c_ends_the_run_with_what_it_has(engine: Path) -> None:
    with subprocess.Popen([str(engine), *SLOW], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        _wait_for(process.stdout, '"t":"clock"')
        time.sleep(0.6)
        process.send_signal(signal.SIGINT)
        rest = process.stdout.read()
        assert process.wait(timeout=30) == 130
    assert '"t":"bye"' in rest
    assert '"status":"interrupted"' in rest


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
@pytest.mark.parametrize(
    "measurement",
    ["process-switch", pytest.param("process-suspend-resume", marks=pytest.mark.needs("realtime"))],
)
def test_a_killed_engine_leaves_nothing_behind(engine: Path, measurement: str, how: signal.Signals) -> None:
    words = ["run", "--measurement", measurement, "--count", "4000000000", "--load", "cpu", "--intensity", "2"]
    with subprocess.Popen([str(engine), *words], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        until = time.monotonic() + 30
        # A process more, and two programs of the load.
        while len(family := descendants(process.pid) | {process.pid}) < 4:
            assert process.poll() is None, "the engine ended before it measured"
            assert time.monotonic() < until, family
            time.sleep(0.02)
        process.send_signal(how)
        process.stdout.read()
        process.wait(timeout=30)
    assert _all_gone(family)


def test_the_engine_ends_when_nobody_reads_any_more(engine: Path) -> None:
    with subprocess.Popen([str(engine), *SLOW], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        _wait_for(process.stdout, '"t":"clock"')
        time.sleep(0.5)
        process.stdout.close()
        assert process.wait(timeout=20) != 0


def _host(command: list[str], out: Path) -> subprocess.Popen[str]:
    """A process that starts the engine with its output in a file, so that no pipe signals its death."""
    script = (
        "import subprocess, sys, time\n"
        f"child = subprocess.Popen({command!r}, stdout=open({str(out)!r}, 'wb'))\n"
        "print(child.pid, flush=True)\n"
        "time.sleep(600)\n"
    )
    return subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)


def test_with_parent_the_engine_dies_with_a_killed_host(engine: Path, tmp_path: Path) -> None:
    out = tmp_path / "stream"
    with _host([str(engine), *SLOW, "--with-parent"], out) as host:
        assert host.stdout is not None
        child = int(host.stdout.readline())
        for _ in range(500):
            if b'"t":"clock"' in out.read_bytes():
                break
            time.sleep(0.02)
        time.sleep(0.5)
        family = descendants(child) | {child}
        assert alive(child)
        host.kill()
        host.wait()
    assert _all_gone(family)


def test_with_parent_notices_that_the_host_died_first(engine: Path) -> None:
    done = _run(engine, *SLOW, "--with-parent=1" if os.getpid() != 1 else "--with-parent=2")
    assert done.returncode == -signal.SIGKILL
    assert done.stdout == ""


def _system_v_queues() -> set[int]:
    """The processes of which /proc/sysvipc/msg has a queue under the engine's tag."""
    keys = [int(line.split()[0]) & 0xFFFFFFFF for line in Path("/proc/sysvipc/msg").read_text().splitlines()[1:]]
    return {key >> 2 & 0x3FFFFF for key in keys if key >> 24 == 0x52}


def test_a_queue_of_system_v_that_a_killed_engine_left_is_removed_by_the_next(engine: Path) -> None:
    words = ["run", "--measurement", "system-v-queue-fill", "--count"]
    with subprocess.Popen([str(engine), *words, "4000000000"], stdout=subprocess.DEVNULL) as killed:
        try:
            until = time.monotonic() + 60
            while killed.pid not in _system_v_queues():
                assert killed.poll() is None
                assert time.monotonic() < until
                time.sleep(0.05)
        finally:
            killed.kill()
    assert killed.pid in _system_v_queues()
    done = _run(engine, *words, "1000")
    assert done.returncode == 0
    checks = {record["name"]: int(record["value"]) for record in _of(_records(done.stdout), "check")}
    assert checks["messages"] == checks["first-in-first-out"] == 1000 + 16  # the warm-up's too
    assert killed.pid not in _system_v_queues()
