# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""A measured window holds what is measured and nothing else: the system calls and the page faults of each, seen by a tracer."""

from __future__ import annotations

import json
import subprocess
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

from rtstone.stream import framing

FUTEX_PRIVATE = 128

THREAD_LIFE = {
    "rt_sigprocmask",
    "clone3",
    "clone",
    "sched_setscheduler",
    "futex",
    "set_robust_list",
    "rseq",
    "madvise",
    "exit",
}
PROCESS_END = {"wait4", "exit", "exit_group"}

MAY = {
    "task-create-delete": THREAD_LIFE,
    "process-ping-suspend-resume": {"kill"},
    "process-suspend-resume": {"kill"},
    "semaphore-ping": {"futex"},
    "semaphore-ping-shared": {"futex"},
    "queue-fill": {"mq_timedsend"},
    "queue-drain": {"mq_timedreceive"},
    "queue-fill-urgent": {"mq_timedsend"},
    "queue-fill-drain": {"mq_timedsend", "mq_timedreceive"},
    "queue-alternate": {"mq_timedsend", "mq_timedreceive"},
    "task-switch": {"sched_yield"},
    "task-preemption": {"futex"},
    "semaphore-shuffle": {"futex"},
    "deadlock-break": {"futex"},
    "message-latency": {"mq_timedsend", "mq_timedreceive"},
    "process-switch": {"futex"},
    "thread-switch": {"futex"},
    "futex-switch": {"futex"},
    "system-v-queue-fill": {"msgsnd"},
    "system-v-queue-drain": {"msgrcv"},
    "system-v-queue-fill-urgent": {"msgsnd"},
    "system-v-queue-fill-drain": {"msgsnd", "msgrcv"},
    "system-v-queue-alternate": {"msgsnd", "msgrcv"},
    "fork": {"rt_sigprocmask", "clone", "set_robust_list", *PROCESS_END},  # glibc 2.41 blocks signals meanwhile
    "vfork": {"vfork", *PROCESS_END},
    "clone": {"clone", *PROCESS_END},
    "posix-spawn": {"rt_sigprocmask", "rt_sigaction", "mmap", "munmap", "clone3", "clone", "execve", *PROCESS_END},
    "signal-intercept": {"kill", "rt_sigreturn"},
}
"""The system calls that each operation may make. A measurement that is not listed may make none."""

BIRTHS = {"fork", "vfork", "clone", "posix-spawn"}
"""Page faults are what a new process is made of."""

SHARED = {"semaphore-ping-shared", "process-switch"}
SINGLE_ONLY = {"task-preemption", "semaphore-shuffle", "deadlock-break", "message-latency"}
NEED_PRIORITIES = {
    "task-create-delete",
    "task-switch",
    "process-ping-suspend-resume",
    "process-suspend-resume",
    *SINGLE_ONLY,
}
SYSTEM_V = {name for name in MAY if name.startswith("system-v-")}
"""Not every machine lets an ordinary user make these queues."""
STOPPED = "process-suspend-resume"


class Call(NamedTuple):
    """A system call: of which thread, its name, its first two arguments; of a clock reading also all page faults so far."""

    thread: int
    name: str
    first: int
    second: int
    faults: int


class Window(NamedTuple):
    """The system calls and page faults between two readings of the clock."""

    calls: tuple[Call, ...]
    faults: int


@pytest.fixture(scope="module")
def tracer(root: Path) -> Path:
    """The program that traces; built if need be."""
    program = root / "build" / "test" / "tool_trace"
    for step in (["cmake", "--preset", "test"], ["cmake", "--build", "--preset", "test", "--target", "tool_trace"]):
        subprocess.run(step, cwd=root, check=True, capture_output=True)
    return program


def _calls(text: str) -> dict[str, list[Call]]:
    """The calls of each measurement, from its begin to its end."""
    found: dict[str, list[Call]] = {}
    under_way = ""
    for line in text.splitlines():
        thread, name, *rest = line.split(" ", 2)
        if name == "says":
            told = json.loads(framing.decode(rest[0].encode())[1])
            if told["t"] == "begin" and "measurement" in told:
                under_way = told["measurement"]
            elif told["t"] in ("end", "bye"):
                under_way = ""
            continue
        if under_way:
            numbers = [int(word) for word in rest[0].split()]
            found.setdefault(under_way, []).append(Call(int(thread), name, numbers[0], numbers[1], sum(numbers[2:])))
    return found


def _windows(measurement: str, calls: Sequence[Call], engine: int) -> list[Window]:
    """The windows of the parties: from one reading of theirs to the next, and so on in pairs, in each slice by itself."""
    found: list[Window] = []
    # One way only: its first party reads the clock once more, when it has the CPU again.
    step = 3 if measurement in ("task-preemption", "message-latency") else 2
    inside: list[Call] = []
    for call in (*calls, Call(engine, "clock_gettime", 0, 0, 0)):
        if call.thread != engine:
            inside.append(call)
        elif call.name == "clock_gettime":  # between slices the engine's own thread reads the clock
            readings = [n for n, call in enumerate(inside) if call.name == "clock_gettime"]
            found += [
                Window(tuple(inside[begin + 1 : end]), inside[end].faults - inside[begin].faults)
                for begin, end in zip(readings[::step], readings[1::step], strict=False)
            ]
            inside = []
    return found


def _trace(
    tracer: Path, engine: Path, tmp_path: Path, how: Sequence[str], mode: str, words: Sequence[str]
) -> dict[str, list[Window]]:
    path = tmp_path / "calls"
    command = [str(tracer), mode, str(path), *how, str(engine), "run", *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    text = path.read_text(encoding="utf-8", errors="replace")
    first = int(text.split(" ", 1)[0])
    return {name: _windows(name, calls, first) for name, calls in _calls(text).items()}


def _traced(engine: Path) -> set[str]:
    """The measurements whose windows can be found by their readings of the clock: all that wait for nothing between
    their operations, other than those that read a clock as their operation."""
    told = json.loads(subprocess.run([str(engine), "list", "--json"], capture_output=True, check=True).stdout)
    return {
        one["name"] for one in told["measurements"] if one["supported"] and not one["paced_by"] and one["of"] != "clock"
    }


UNLOCKED = ["setpriv", "--bounding-set", "-ipc_lock", "--inh-caps", "-ipc_lock", "prlimit", "--memlock=0:0"]


UNPRIVILEGED = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", "prlimit", "--memlock=0:0"]


REALTIME = pytest.mark.needs("realtime")


def _long(*values: object) -> object:
    return pytest.param(*values, marks=(pytest.mark.long, REALTIME))


@pytest.mark.parametrize(
    ("how", "pass_"),
    [
        pytest.param([], "single", marks=REALTIME),
        pytest.param(UNLOCKED, "batch", marks=REALTIME),
        _long([], "batch"),
        _long(UNLOCKED, "single"),
        (UNPRIVILEGED, "single"),
    ],
    ids=["locked-single", "unlocked-batch", "locked-batch", "unlocked-single", "unprivileged-single"],
)
def test_a_window_holds_what_is_measured_and_nothing_else(
    tracer: Path, engine: Path, tmp_path: Path, how: Sequence[str], pass_: str
) -> None:
    traced = _traced(engine) - (SYSTEM_V if how == UNPRIVILEGED else set())
    names = sorted(traced - {STOPPED})
    words = [word for name in names for word in ("--measurement", name)]
    sizes = ["--count", "290"] if pass_ == "single" else ["--count", "33", "--sets", "9"]
    found = _trace(tracer, engine, tmp_path, how, "all", [*words, "--pass", pass_, *sizes])
    stopped = _trace(tracer, engine, tmp_path, how, "but-stopped", ["--measurement", STOPPED, "--pass", pass_, *sizes])
    left_out = (NEED_PRIORITIES if how == UNPRIVILEGED else set()) | (SINGLE_ONLY if pass_ == "batch" else set())
    assert found.keys() | stopped.keys() == traced - left_out
    wrong = []
    for name, windows in (found | stopped).items():
        assert len(windows) >= 9, name
        # Warm-up operations come first: their purpose is to take such things away.
        for window in windows[len(windows) // 3 :]:
            calls = Counter(call.name for call in window.calls)
            if set(calls) - MAY.get(name, set()):
                wrong.append(f"{name}: {dict(calls)}")
            if window.faults and name not in BIRTHS:
                wrong.append(f"{name}: {window.faults} page faults")
            kinds = {bool(call.second & FUTEX_PRIVATE) for call in window.calls if call.name == "futex"}
            if kinds and name != "task-create-delete" and kinds != {name not in SHARED}:
                wrong.append(f"{name}: semaphores of the wrong kind")
    assert not wrong, "\n".join(sorted(set(wrong)))
