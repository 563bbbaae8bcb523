# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Watches threads of somebody else's program, and makes a run of what the engine's BPF programs counted."""

from __future__ import annotations

import os
import re
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

import msgspec

from rtstone.errors import InfrastructureError, RtstoneError, UsageError
from rtstone.machine.system import System
from rtstone.measure import host
from rtstone.measure._interrupt import Interruption
from rtstone.model import (
    Check,
    Clock,
    Degraded,
    Figure,
    Geometry,
    Histogram,
    Losses,
    Result,
    Run,
    Session,
    Variant,
    sense,
)
from rtstone.model.ids import new_id
from rtstone.model.units import counted
from rtstone.resources import engine_path
from rtstone.version import __version__

MEASUREMENT = "attach"
KIND = "attached:"
"""How the targets of such runs begin."""
_GEOMETRY = Geometry(8, 36, 1)
"""As probe/bpf/rtstone_attach.h has it."""
_REALTIME = {1, 2, 6}
_UNSEEN_SHARE = 20
"""At most one wake-up in so many may be seen only in part. Some supervisors' kernels run no program while a thread of theirs is current."""
_NAMED = 12
"""Wakers and holders of a thread that are named; the others are added up."""
_SOFTIRQS = ("hi", "timer", "net_tx", "net_rx", "block", "irq_poll", "tasklet", "sched", "hrtimer", "rcu")
_CGROUPS = "/sys/fs/cgroup"


class Progress(msgspec.Struct, frozen=True):
    """What is known each second."""

    at: int
    """ns since the beginning."""
    threads: int
    samples: int


class _Thread(msgspec.Struct, frozen=True):
    slot: int
    tid: int
    pid: int
    ended: int
    pending: int
    policy: int
    priority: int
    cpu: int
    wakings: int
    samples: int
    awake: int
    unseen: int
    untold: int
    preempted: int
    by_timer: int
    migrations: int
    unnamed: int
    sum: int
    squares: int
    squares_high: int
    least: int
    most: int
    overflow: int
    faults: int
    major_faults: int
    comm: str
    buckets: tuple[tuple[int, int], ...]


class _Share(msgspec.Struct, frozen=True):
    of: int
    kind: str
    number: int
    count: int
    total: int
    most: int
    comm: str


class _End(msgspec.Struct, frozen=True):
    elapsed: int
    stopped: bool
    timed: bool
    runs: int
    run_ns: int
    missed: int
    refused: int


_Line = TypeVar("_Line", Progress, _Thread, _Share, _End)


class Wanted(msgspec.Struct, frozen=True, kw_only=True):
    """Which threads, and for how long."""

    name: str
    """What the run's target is called behind `attached:`."""
    pids: tuple[int, ...] = ()
    comm: str = ""
    """Only threads of this name; without `pids` of all processes of this user's (of all, for root)."""
    children: bool = False
    """Processes that the watched ones start are watched too; threads that they start always are."""
    duration_s: float
    cost: bool = False
    """Have the kernel time the programs; that makes them dearer."""


def processes_of_cgroup(folder: str, root: Path = Path(_CGROUPS)) -> tuple[int, ...]:
    """The processes of a control group and those below it. UsageError where it is not there or empty.

    `folder`: as the file system has it, or as /proc/PID/cgroup tells it.
    """
    inside = folder if folder.startswith(f"{root}/") else f"{root}/{folder.strip('/')}"
    found: set[int] = set()
    beside_v1 = (
        root / "unified" / folder.strip("/")
    )  # as /proc/PID/cgroup tells it behind `0::` where there is version 1 too
    lists = sorted(Path(inside).rglob("cgroup.procs")) or sorted(beside_v1.rglob("cgroup.procs"))
    if ".." in Path(folder).parts or not lists:
        raise UsageError(f"there is no control group {folder} below {root}")
    for path in lists:
        try:
            found.update(int(word) for word in path.read_text().split())
        except OSError:
            continue  # it has gone since
    found.discard(0)
    if not found:
        raise UsageError(f"the control group {folder} has no process")
    return tuple(sorted(found))


def processes_of_unit(unit: str) -> tuple[int, ...]:
    """The processes of a unit of systemd. UsageError where it does not run, InfrastructureError where systemd does not answer."""
    if not re.fullmatch(r"[A-Za-z0-9:_.@\\-]{1,255}", unit) or unit.startswith("-"):
        raise UsageError(f"'{unit}' is no name of a unit")
    command = ["systemctl", "show", "--property=ControlGroup", "--value", "--", unit]
    try:
        said = subprocess.run(command, capture_output=True, text=True, timeout=10, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise InfrastructureError("systemctl cannot be asked: name the processes with --pid or --cgroup") from error
    if said.returncode:
        why = (said.stderr.strip().splitlines() or ["it does not say why"])[0]
        raise InfrastructureError(f"systemctl does not answer: {why}")
    if not said.stdout.strip():
        raise UsageError(f"the unit {unit} does not run")
    return processes_of_cgroup(said.stdout.strip())


def attach(
    wanted: Wanted, *, label: str = "", on_progress: Callable[[Progress], None] = lambda _: None
) -> tuple[Run, bytes]:
    """The run, and what the engine said.

    Ctrl-C, SIGTERM or a hangup of the terminal ends it early, and it is whole all the same. UsageError where nothing matches or may
    not be watched, InfrastructureError where the kernel or the engine does not do it.
    """
    began = datetime.now(UTC)
    before = host.Snapshot.take()
    said = bytearray()
    for line in _lines(wanted, said):
        if line.startswith(b'{"at"'):
            on_progress(_decoded(line, Progress))
    run = _run(wanted, bytes(said), label, began, before)
    wrong = sense.fault(run)
    if wrong is not None:
        raise InfrastructureError(f"what the engine counted makes no sense: {wrong}")
    return run, bytes(said)


def _lines(wanted: Wanted, said: bytearray) -> Iterator[bytes]:
    words = [
        str(engine_path()),
        "attach",
        f"--duration-ns={round(wanted.duration_s * 1e9)}",
        f"--with-parent={os.getpid()}",
    ]
    words += [f"--pid={pid}" for pid in wanted.pids]
    words += [f"--comm={wanted.comm}"] if wanted.comm else []
    words += ["--children"] if wanted.children else []
    words += ["--cost"] if wanted.cost else []
    process = subprocess.Popen(
        words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, process_group=0
    )
    assert process.stdout is not None  # noqa: S101 - it is a pipe
    assert process.stderr is not None  # noqa: S101
    try:
        with Interruption() as interruption:
            interruption.on_request(process.terminate)
            for line in process.stdout:
                said += line
                yield line
        complaint = process.stderr.read().decode("utf-8", "replace").strip().removeprefix("rtstone-engine: ")
        code = process.wait()
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
        process.stderr.close()
    if code:
        kind: type[RtstoneError] = UsageError if code == UsageError.exit_code else InfrastructureError
        raise kind((complaint.splitlines() or [f"the engine ended with {code}"])[-1])


def _decoded(line: bytes, kind: type[_Line]) -> _Line:
    try:
        return msgspec.json.decode(line, type=kind)
    except msgspec.MsgspecError as error:
        raise InfrastructureError(f"the engine is of another version: {error}") from error


def _name(comm: str) -> str:
    return bytes.fromhex(comm).decode("utf-8", "replace")


def _run(wanted: Wanted, said: bytes, label: str, began: datetime, before: host.Snapshot) -> Run:
    threads: list[_Thread] = []
    shares: list[_Share] = []
    end: _End | None = None
    for line in said.splitlines():
        if line.startswith(b'{"slot"'):
            threads.append(_decoded(line, _Thread))
        elif line.startswith(b'{"of"'):
            shares.append(_decoded(line, _Share))
        elif line.startswith(b'{"elapsed"'):
            end = _decoded(line, _End)
    if end is None:
        raise InfrastructureError("the engine ended before it told its counts")
    seen: Counter[str] = Counter()
    results = []
    for number, thread in enumerate(threads):
        quantity = f"wakeup-latency-{re.sub(r'[^A-Za-z0-9._-]', '_', _name(thread.comm)) or 'unnamed'}"
        seen[quantity] += 1
        if seen[quantity] > 1:
            quantity += f"-{seen[quantity]}"
        results.append(_result(number, quantity, thread, [one for one in shares if one.of == thread.slot], end.elapsed))
    degraded = _degraded(end, sum(one.unseen + one.untold for one in threads), sum(one.unnamed for one in threads))
    facts = host.look()
    uname = os.uname()
    session = Session(
        nonce=os.urandom(8).hex(),
        engine=f"rtstone-engine {__version__}",
        port="attach",
        stream_version="1.0",
        repetition=0,
        seed=0,
        env={
            "kernel.sysname": uname.sysname,
            "kernel.release": uname.release,
            "kernel.version": uname.version,
            "machine.id": facts["host.machine.id"],
            "machine.name": System().text("/proc/sys/kernel/hostname") or uname.nodename,
        },
        clocks=(Clock(id=0, name="CLOCK_MONOTONIC", hz=1_000_000_000, source="bpf_ktime_get_ns"),),
        calibrations=(),
        degraded=degraded,
        results=tuple(results),
        losses=Losses(),
        complete=True,
        lines=0,
    )
    usage = host.Usage.between(before, host.Snapshot.take())
    told = host.facts([usage], (session,))
    if end.timed:
        told |= {"attach.programs.runs": str(end.runs), "attach.programs.ns": str(end.run_ns)}
    told["attach.ended"] = "by the user" if end.stopped else "with its threads" if _all_ended(threads) else "in time"
    return Run(
        id=new_id(began),
        started=began.isoformat(timespec="seconds"),
        ended=datetime.now(UTC).isoformat(timespec="seconds"),
        target=KIND + wanted.name,
        label=label,
        studies=(),
        profile="attached",
        seed=0,
        tool=__version__,
        host=told,
        sessions=(session,),
        status="complete",
        degraded=degraded,
        warnings=host.warnings([usage], ()),
        planned=1,
    )


def _all_ended(threads: Sequence[_Thread]) -> bool:
    return all(thread.ended for thread in threads)


def _degraded(end: _End, unseen: int, unnamed: int) -> tuple[Degraded, ...]:
    found = []
    if end.refused:
        found.append(
            Degraded(
                "attach-threads",
                f"not watched, because there is no room: {counted(end.refused, 'more thread')} that matched",
            )
        )
    if end.missed:
        found.append(
            Degraded(
                "attach-missed",
                f"the kernel left out {counted(end.missed, 'run')} of the programs: so many events may lack",
            )
        )
    if unseen:
        found.append(Degraded("attach-unseen", f"{unseen} wake-ups were seen only in part, and are no samples"))
    if unnamed:
        found.append(
            Degraded(
                "attach-unnamed",
                f"{counted(unnamed, 'time')} there was no room for the name of who woke a thread or held its CPU",
            )
        )
    return tuple(found)


def _result(number: int, quantity: str, thread: _Thread, shares: Sequence[_Share], elapsed: int) -> Result:
    counted = thread.samples + thread.awake + thread.untold + thread.pending
    most = thread.samples // _UNSEEN_SHARE + 1
    checks = (
        Check("wakings-accounted", counted, thread.wakings, thread.wakings),
        Check("wake-ups-unseen", thread.unseen + thread.untold, 0, most),
    )
    common = Result(
        item=number,
        measurement=MEASUREMENT,
        quantity=quantity,
        variant=Variant(sched="rt" if thread.policy in _REALTIME else "ts"),
        status="ok",
        cpu=thread.cpu - 1,
        priority=thread.priority,
        meaning=1,
        elapsed=elapsed,
        checks=checks,
        figures=tuple(_figures(thread, shares)),
    )
    if not thread.samples:
        return msgspec.structs.replace(common, status="skipped", reason="no-samples", text="nothing woke the thread")
    wrong = [check.name for check in checks if not check.holds]
    return msgspec.structs.replace(
        common,
        status="invalid" if wrong else "ok",
        reason="check" if wrong else "",
        text=f"{wrong[0]} does not hold" if wrong else "",
        count=thread.samples,
        overflow=thread.overflow,
        min=thread.least,
        max=thread.most,
        sum=thread.sum,
        sumsq=(thread.squares_high << 64) + thread.squares,
        histogram=Histogram(_GEOMETRY, tuple(sorted(thread.buckets)), (), thread.overflow),
    )


def _figures(thread: _Thread, shares: Sequence[_Share]) -> Iterator[Figure]:
    for name, unit, value in (
        ("thread", "tid", thread.tid),
        ("process", "pid", thread.pid),
        ("wakings", "wake-ups", thread.wakings),
        ("wakings-awake", "wake-ups", thread.awake),
        ("wakings-unseen", "wake-ups", thread.unseen),
        ("returns-unseen", "wake-ups", thread.untold),
        ("preempted", "times", thread.preempted),
        ("migrations", "times", thread.migrations),
        ("page-faults", "faults", thread.faults),
        ("page-faults-disk", "faults", thread.major_faults),
        ("causes-unnamed", "times", thread.unnamed),
    ):
        yield Figure(name, unit, value)
    timer = _Share(thread.slot, "timer", 0, thread.by_timer, 0, 0, "")
    others = [one for one in shares if one.kind != "holder"]
    wakers = sorted([timer, *others] if timer.count else others, key=lambda one: -one.count)
    holders = sorted((one for one in shares if one.kind == "holder"), key=lambda one: -one.total)
    for one in wakers[:_NAMED]:
        yield Figure(f"woken-by {_who(one)}", "wake-ups", one.count)
    if wakers[_NAMED:]:
        yield Figure("woken-by others", "wake-ups", sum(one.count for one in wakers[_NAMED:]))
    for one in holders[:_NAMED]:
        yield Figure(f"held-by {_who(one)}", "ns", one.total)
        yield Figure(f"held-most-by {_who(one)}", "ns", one.most)
    if holders[_NAMED:]:
        yield Figure("held-by others", "ns", sum(one.total for one in holders[_NAMED:]))


def _who(share: _Share) -> str:
    if share.kind == "interrupt":
        return f"interrupt {share.number}"
    if share.kind == "softirq":
        vector = _SOFTIRQS[share.number] if share.number < len(_SOFTIRQS) else str(share.number)
        return f"soft interrupt {vector}"
    return "timer" if share.kind == "timer" else _name(share.comm)
