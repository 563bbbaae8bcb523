# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Threads of others' programs watched on this machine: counts that are known beforehand, cyclictest beside ours, and nothing left."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rtstone.archive import open_archive
from support.command import command, environment, rtstone
from support.static_program import static_program

pytestmark = pytest.mark.alone

SLEEPS, BYTES = 300, 200
_WOKEN = f"""
import os, time
os.write(1, b".")
os.read(0, 1)
for _ in range({SLEEPS}): time.sleep(0.001)
for _ in range({BYTES}):
    os.write(1, b".")
    os.read(0, 1)
os._exit(0)
"""


@pytest.fixture(autouse=True)
def _capable(engine: Path) -> None:
    if os.geteuid() != 0:
        pytest.fail("threads are watched with CAP_BPF and CAP_PERFMON: run the tests as root")
    if b"attach_timer" not in engine.read_bytes():
        pytest.fail("the engine was built without BPF: tools/setup run installs what it takes, then `make engine`")


def _started(*words: str) -> subprocess.Popen[str]:
    """The command, once it watches."""
    process = subprocess.Popen(
        command("attach", *words), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment()
    )
    assert process.stderr is not None
    first = process.stderr.readline()
    assert ": 0 s: " in first, first
    return process


def _ended(process: subprocess.Popen[str]) -> list[dict[str, Any]]:
    """The results of the saved run.

    The command ends with 4 exactly if a result is doubtful, which a busy host can cause.
    """
    out, err = process.communicate(timeout=120)
    (run,) = json.loads(out)["runs"]
    results = list(run["sessions"][0]["results"])
    doubtful = [one["status"] == "invalid" for one in results]
    assert process.returncode == (4 if any(doubtful) else 0), err
    for one, said in zip(results, doubtful, strict=True):
        figures = _figures(one)
        unseen = figures["wakings-unseen"] + figures["returns-unseen"]
        assert said == (unseen > one.get("count", 0) // 20 + 1), one
    return results


def _figures(result: dict[str, Any]) -> dict[str, int]:
    return {one["name"]: int(one["value"]) for one in result["figures"]}


def _strays(figures: dict[str, int], own: set[str]) -> int:
    """Wake-ups by anybody else: where a host hides that a timer expires, they are charged to the task that it came upon."""
    return sum(
        n for name, n in figures.items() if name.startswith("woken-by ") and name.removeprefix("woken-by ") not in own
    )


def _until_it_waits(woken: subprocess.Popen[bytes]) -> None:
    """Until it waits for a byte: one that is there before it is asked for wakes nobody."""
    assert woken.stdout is not None
    assert woken.stdout.read(1) == b"."
    give_up = time.monotonic() + 60
    while Path(f"/proc/{woken.pid}/stat").read_text().rpartition(")")[2].split()[0] != "S":
        assert time.monotonic() < give_up


@pytest.fixture
def woken() -> Iterator[subprocess.Popen[bytes]]:
    """A program that waits for a byte, sleeps SLEEPS times, and waits for BYTES bytes."""
    child = subprocess.Popen([sys.executable, "-c", _WOKEN], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
    yield child
    child.kill()
    child.wait()
    for pipe in (child.stdin, child.stdout):
        assert pipe is not None
        pipe.close()


@pytest.mark.needs("bpf", "host-processes")
def test_each_wake_up_is_counted_once(woken: subprocess.Popen[bytes]) -> None:
    assert woken.stdin is not None
    _until_it_waits(woken)
    watching = _started("--pid", str(woken.pid), "--duration", "5min", "--no-archive", "--json")
    woken.stdin.write(b"x")
    for _ in range(BYTES):
        _until_it_waits(woken)
        woken.stdin.write(b"x")
    (result,) = _ended(watching)  # it ends with the thread
    figures = _figures(result)
    waker = sum(count for name, count in figures.items() if name.startswith("woken-by ") and name != "woken-by timer")
    unseen = figures["wakings-unseen"]
    assert figures["wakings"] == figures["woken-by timer"] + waker
    assert figures["wakings"] + unseen == 1 + SLEEPS + BYTES
    assert figures["wakings"] == result["count"] + figures["wakings-awake"] + figures["returns-unseen"]
    assert result["count"] == sum(count for _, count in result["histogram"]["positive"]) + result["overflow"]
    own = {"timer", Path("/proc/thread-self/comm").read_text().strip()}
    assert SLEEPS - unseen - _strays(figures, own) <= figures["woken-by timer"] <= SLEEPS


@pytest.mark.needs("bpf", "host-processes")
def test_beside_cyclictest(tmp_path: Path) -> None:
    """Its latency runs from the timer's due time to user space, ours from waking to switch: within it, so never longer."""
    if shutil.which("cyclictest") is None:
        pytest.fail("cyclictest is not installed: tools/setup test installs it")
    file, cycles = tmp_path / "cyclictest.json", 4000
    words = f"exec cyclictest -m -p 80 -t 1 -i 500 -l {cycles} -q -h 50000 --json={file}"
    shell = subprocess.Popen(
        ["/bin/sh", "-c", f"read x; {words}"],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    watching = _started("--pid", str(shell.pid), "--duration", "2min", "--no-archive", "--json")
    shell.communicate(b"\n", timeout=60)
    main, measuring = _ended(watching)
    assert main["quantity"] == "wakeup-latency-cyclictest"
    assert (measuring["priority"], measuring["variant"]["sched"]) == (80, "rt")
    figures = _figures(measuring)
    unseen = figures["wakings-unseen"] + figures["returns-unseen"]
    others = figures["wakings"] - figures["woken-by timer"]  # before its cycles begin: it is moved to its CPU
    # A cycle whose time has come before it sleeps has no wake-up.
    assert 0.95 * cycles - unseen <= figures["woken-by timer"] <= cycles
    theirs = json.loads(file.read_text())["thread"]["0"]
    assert theirs["cycles"] == cycles
    bins = {int(us): count for us, count in theirs["histogram"].items()}
    beyond = cycles - sum(bins.values())
    geometry = measuring["histogram"]["geometry"]
    ours = _lowest(measuring["histogram"]["positive"], geometry["sub_bits"])
    for us in sorted(bins):
        longer = sum(count for low, count in ours if low >= (us + 1) * 1000)
        assert longer <= beyond + others + sum(count for value, count in bins.items() if value >= us), us


def _lowest(buckets: list[list[int]], sub_bits: int) -> list[tuple[int, int]]:
    half = 1 << (sub_bits - 1)
    found = []
    for index, count in buckets:
        exponent = max(0, index // half - 1)
        found.append(((index - exponent * half) << exponent, count))
    return found


@pytest.mark.needs("bpf", "host-processes")
def test_a_thread_that_is_started_meanwhile_is_watched_and_one_of_another_name_is_not() -> None:
    code = (
        "import os, threading, time\nos.read(0, 1)\n"
        "def work(name):\n  open('/proc/thread-self/comm', 'w').write(name)\n  [time.sleep(.001) for _ in range(50)]\n"
        "[t.start() or t.join() for t in [threading.Thread(target=work, args=(n,)) for n in ('scan-1', 'other')]]\n"
    )
    child = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE)
    try:
        watching = _started("--pid", str(child.pid), "--duration", "1min", "--no-archive", "--json")
        child.communicate(b"x", timeout=60)
        found = {one["quantity"].removeprefix("wakeup-latency-"): one for one in _ended(watching)}
        assert {"scan-1", "other"} <= set(found)
        for name in ("scan-1", "other"):
            figures = _figures(found[name])
            own = {"timer", "scan-1", "other", Path(sys.executable).resolve().name[:15], "python", "python3"}
            assert 50 - figures["wakings-unseen"] - _strays(figures, own) <= figures["woken-by timer"] <= 50
    finally:
        child.kill()
        child.wait()


@pytest.mark.needs("bpf", "host-processes")
def test_a_run_is_kept_and_judged_by_a_check_file(woken: subprocess.Popen[bytes], tmp_path: Path) -> None:
    archive = str(tmp_path / "runs.sqlite")
    watching = _started("--pid", str(woken.pid), "--duration", "20s", "--archive", archive, "--cost")
    assert woken.stdin is not None
    woken.stdin.write(b"x" * (1 + BYTES))
    out, err = watching.communicate(timeout=60)
    # Of a doubtful result, which a busy host can make of any, no limit is judged.
    doubtful = "results are doubtful" in err
    assert watching.returncode == (4 if doubtful else 0), err
    assert "watching took" in out
    name = Path(sys.executable).resolve().name[:15]
    quantity = next(line.split("\t")[1] for line in out.splitlines()[1:])
    assert quantity in {name, "python", "python3"}
    for limit, code in (("1h", 0), ("1ns", 1)):
        gate = tmp_path / "gate.toml"
        gate.write_text(
            'schema = "rtstone.check"\nversion = "1.0"\n[[bound]]\nmeasurement = "attach"\nsched = "ts"\n'
            f'quantity = "wakeup-latency-{quantity}"\nrequire = ["max < {limit}"]\n'
        )
        judged = rtstone("check", str(gate), "--archive", archive, expect=None)
        assert judged.returncode == (4 if doubtful else code)


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("--pid", "4194305"), 2, "there is no process 4194305"),
        pytest.param(
            ("--comm", "no-such-thread"),
            2,
            "no thread is called no-such-thread",
            marks=pytest.mark.needs("host-processes"),
        ),
        (("--comm", "a-name-of-16-byt"), 2, "at most 15 bytes"),
        (("--cgroup", "/no/such"), 2, "there is no control group /no/such"),
        (("--cgroup", "/../.."), 2, "there is no control group"),
        (("--unit", "--version"), 2, "no name of a unit"),
        ((), 2, "name the threads:"),
        (("--pid", "1", "--unit", "x"), 2, "exclude each other"),
    ],
)
def test_what_cannot_be_watched_is_said_in_one_line(words: tuple[str, ...], code: int, said: str) -> None:
    done = rtstone("attach", *words, "--no-archive", expect=code)
    assert said in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.needs("host-processes")
def test_anothers_process_and_a_lack_of_privilege_are_refused(engine: Path, tmp_path: Path) -> None:
    """Run the engine as a user without rights, from a copy that this user can reach."""
    tmp_path.chmod(0o755)
    for parent in tmp_path.parents[:2]:
        parent.chmod(0o755)
    shutil.copy(engine, tmp_path / "rtstone-engine")
    for word, code, said in (
        ("--pid=1", 2, "process 1 belongs to another user"),
        ("--comm=sh", 3, "CAP_BPF and CAP_PERFMON"),
    ):
        done = subprocess.run(
            [str(tmp_path / "rtstone-engine"), "attach", word],
            capture_output=True,
            text=True,
            check=False,
            user=65534,
            group=65534,
        )
        assert (done.returncode, said in done.stderr) == (code, True), done.stderr


@pytest.mark.needs("bpf", "host-processes")
def test_nothing_beside_the_engine_is_loaded(engine: Path, tmp_path: Path) -> None:
    """As of the split's programs: with another's file there, and none of its own, the engine watches all the same."""
    alone = Path(shutil.copy(engine, tmp_path / "rtstone-engine"))
    (tmp_path / "rtstone_attach.bpf.o").write_bytes(b"another user's")
    words = (f"--pid={os.getpid()}", "--duration-ns=100000000")
    done = subprocess.run([str(alone), "attach", *words], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout.splitlines()[-1])["elapsed"] >= 100_000_000


@pytest.mark.needs("bpf", "host-processes")
def test_nothing_stays_attached_when_the_tool_is_killed(woken: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + 20
    while _programs() and time.monotonic() < until:
        time.sleep(0.2)  # those of the test before
    before = _programs()
    watching = _started("--pid", str(woken.pid), "--duration", "5min", "--no-archive")
    assert _programs() > before
    watching.kill()
    watching.communicate()
    until = time.monotonic() + 60
    while _programs() > before and time.monotonic() < until:
        time.sleep(0.2)
    assert _programs() <= before
    assert woken.poll() is None


@pytest.mark.needs("bpf", "host-processes")
def test_a_terminal_that_hangs_up_loses_nothing(woken: subprocess.Popen[bytes], tmp_path: Path) -> None:
    archive, (master, slave) = str(tmp_path / "runs.sqlite"), os.openpty()
    words = command("attach", "--pid", str(woken.pid), "--duration", "5min", "--archive", archive)
    with subprocess.Popen(
        ["setsid", "--ctty", *words], stdin=slave, stdout=slave, stderr=slave, env=environment()
    ) as watching:
        os.close(slave)
        assert woken.stdin is not None
        said = b""
        while b": 1 s: " not in said:
            said += os.read(master, 1000)
            if b": 0 s: " in said:
                woken.stdin.write(b"x")
        os.close(master)
        assert watching.wait(timeout=60) in {0, 3, 4}, "the table has nowhere to go"
    (run,) = json.loads(rtstone("show", "last", "--json", "--archive", archive).stdout)["runs"]
    assert run["host"]["attach.ended"] == "by the user"
    assert run["sessions"][0]["results"][0]["count"] > 0


@pytest.mark.needs("bpf", "host-processes")
def test_what_was_counted_outlives_a_kill(tmp_path: Path) -> None:
    """Checkpoints are taken while the programs count, and add up all the same."""
    archive = str(tmp_path / "runs.sqlite")
    sleeps = "import time\nwhile True: time.sleep(0.001)"
    with subprocess.Popen([sys.executable, "-c", sleeps]) as child:
        try:
            watching = _started(
                "--pid", str(child.pid), "--duration", "5min", "--archive", archive, "--label", "killed"
            )
            until = time.monotonic() + 60
            while not open_archive(archive).list():
                assert watching.poll() is None
                assert time.monotonic() < until
                time.sleep(0.2)
            watching.kill()
            watching.communicate()
        finally:
            child.kill()
    run = open_archive(archive).load("last")
    assert (run.label, run.status, run.planned) == ("killed", "incomplete", 1)
    (result,) = run.results()
    assert result.histogram is not None
    assert result.count == sum(count for _, count in result.histogram.positive) + result.overflow > 1000
    assert result.elapsed >= 10_000_000_000
    assert len(open_archive(archive).raw_logs("last")) == 1


def _programs() -> int:
    """How many of the programs the kernel holds."""
    tool = shutil.which("bpftool") or shutil.which("bpftool", path="/usr/sbin")
    if tool is None:
        pytest.fail("bpftool is not installed: tools/setup test installs it")
    listed = json.loads(subprocess.run([tool, "-j", "prog", "show"], capture_output=True, check=True).stdout)
    return sum(str(program.get("name", "")).startswith("attach_") for program in listed)


@pytest.mark.needs("bpf", "host-processes", "settings")
def test_settings_are_judged_by_a_thread_of_the_users(tmp_path: Path) -> None:
    """Five seconds: two levels in two rounds, of half a second each. That they show something is the judging's own test."""
    migration = Path("/proc/sys/kernel/timer_migration")
    before = migration.read_text()
    name = f"loop-{os.getpid()}"
    sleeper = (
        f"import time\nopen('/proc/self/comm', 'w').write('{name}')\nprint(flush=True)\nwhile True: time.sleep(0.001)"
    )
    file = tmp_path / "settings.toml"
    file.write_text(
        'schema = "rtstone.tune"\nversion = "1.0"\nrounds = 2\nduration = "500ms"\nsettle = "1ms"\ndeadline = "1s"\n'
        "[settings]\ntimer-migration = [1, 0]\n"
    )
    with subprocess.Popen([sys.executable, "-c", sleeper], stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout is not None
            process.stdout.readline()
            done = rtstone("tune", str(file), "--for", f"comm={name}", "--json", "-q", expect=None)
        finally:
            process.kill()
    assert migration.read_text() == before
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert (report["measurement"], report["quantity"]) == ("attach", f"response-{name}")
    assert (report["rounds"], report["rows"], len(report["runs"])) == (2, 2, 2)
    archive = open_archive()
    for one in report["runs"]:
        run = archive.load(one)
        assert [session.repetition for session in run.sessions] == [0, 1]
        assert run.host["target.tune.set.timer-migration"] in {"0", "1"}
        assert all(result.count > 50 for result in run.results() if result.quantity == report["quantity"])


@pytest.mark.needs("bpf", "host-processes")
def test_threads_that_come_later_are_waited_for() -> None:
    """Two of them, one after the other, as of a program that is started again."""
    name = f"later-{os.getpid()}"
    watching = _started("--comm", name, "--wait", "--duration", "5min", "--no-archive", "--json")
    program = f"import time\nopen('/proc/self/comm', 'w').write('{name}')\nfor _ in range(100): time.sleep(0.001)"
    for _ in range(2):
        subprocess.run([sys.executable, "-c", program], check=True)
    watching.terminate()
    first, second = _ended(watching)
    assert first["quantity"] == f"wakeup-latency-{name}"
    assert second["quantity"] == f"wakeup-latency-{name}-2"
    for result in (first, second):
        figures = _figures(result)
        assert result["count"] + figures["wakings-unseen"] + figures["returns-unseen"] + figures["wakings-awake"] >= 100


@pytest.mark.needs("bpf", "host-processes")
def test_threads_that_live_briefly_are_each_counted_though_there_are_more_of_them_than_slots(
    root: Path, tmp_path: Path
) -> None:
    """600 threads of five wake-ups, fifty at a time, with their cycles and trails: nothing of one is counted as another's."""
    groups, of_one, sleeps = 12, 50, 5
    source = root / "tests" / "support" / "short_threads.c"
    program = static_program(tmp_path / "short_threads", source, flags=("-pthread",))
    name = f"brief-{os.getpid()}"
    words = [str(number) for number in (program, groups, of_one, sleeps, name)]
    with subprocess.Popen(words, stdin=subprocess.PIPE) as brief:
        try:
            place = str(tmp_path / "runs.sqlite")
            watching = _started(
                "--pid", str(brief.pid), "--trace-over", "60us", "--duration", "5min", "--archive", place
            )
            brief.communicate(b"x", timeout=120)
            _, said = watching.communicate(timeout=60)
        finally:
            brief.kill()
            watching.kill()
    assert watching.returncode == 0, said
    run = open_archive(place).load("last")
    assert "attach-threads" not in {lack.reason for lack in run.degraded}
    woken, started = (
        [result for result in run.results() if result.quantity.startswith(f"{kind}-{name}")]
        for kind in ("wakeup-latency", "start-latency")
    )
    of = [{one.name: one.value for one in result.figures} for result in woken]
    assert len(of) == len({one["thread"] for one in of}) == groups * of_one
    # A waking that comes while its own program runs on that CPU is not seen, and the sleep that it ended is counted as such.
    ended = Counter((one["wakings"] + one["wakings-unseen"], one["wakings-unseen"], one["wakings-awake"]) for one in of)
    assert all(number <= sleeps + 3 for number, _, _ in ended), ended
    # This machine's kernel runs no program at all now and then. Most such moments hide a part of a sleep, few a whole one.
    hidden = sum(max(0, sleeps - number) * threads for (number, _, _), threads in ended.items())
    assert hidden <= sum(unseen * threads for (_, unseen, _), threads in ended.items()), ended
    threads = {result.item: figures["thread"] for result, figures in zip(woken, of, strict=True)}
    cycles = [next(one.value for one in result.figures if one.name == "cycles") for result in started]
    assert sum(cycles) >= 0.95 * groups * of_one * sleeps
    assert max(cycles) <= sleeps
    trails = [(event, result) for result in started for event in result.events if event.kind.startswith("sample start")]
    assert len(trails) > groups, "few cycles were late: the trails say nothing"
    for event, result in trails:
        assert event.pid == threads[result.item]
        assert event.value < result.count


_EXECS = """
import os, sys, threading
sys.stdin.read(1)
words = [sys.executable, "-c", "import time\\nfor _ in range(100): time.sleep(0.002)"]
threading.Thread(target=lambda: os.execv(sys.executable, words)).start()
threading.Event().wait()
"""


@pytest.mark.needs("bpf", "host-processes")
def test_a_thread_that_starts_another_program_is_watched_under_its_new_number() -> None:
    """It is not the first one of its process: the kernel gives it the number of the first, which ends."""
    with subprocess.Popen([sys.executable, "-c", _EXECS], stdin=subprocess.PIPE) as child:
        try:
            watching = _started("--pid", str(child.pid), "--duration", "5min", "--no-archive", "--json")
            child.communicate(b"x", timeout=60)
            results = _ended(watching)  # by itself: all its threads have ended
        finally:
            child.kill()
    counts = [(one["count"], _figures(one)["thread"]) for one in results if one.get("count", 0) >= 95]
    assert [thread for _, thread in counts] == [child.pid], results


def test_waiting_is_for_a_name_alone() -> None:
    done = rtstone("attach", "--pid", str(os.getpid()), "--wait", expect=2)
    assert done.stderr.count("\n") == 1
    assert "--wait is for --comm alone" in done.stderr
