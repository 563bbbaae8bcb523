# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Watches threads of another program, and makes a run from the counts of the engine's BPF programs."""

from __future__ import annotations

import os
import re
import secrets
import subprocess
from collections import Counter, defaultdict
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from datetime import UTC, datetime
from typing import TypeVar

import msgspec

from rtstone.attach._private import Private, kernel_threads
from rtstone.attach._processes import nearest_thread
from rtstone.attach._results import (
    UNSEEN_SHARE,
    CycleCounts,
    NamedShare,
    WatchedThread,
    latency_of,
    unseen_most,
    with_cycles,
)
from rtstone.attach._trails import Late, name_of
from rtstone.errors import InfrastructureError, RtstoneError, UsageError
from rtstone.machine.identity import VARIABLE
from rtstone.machine.system import System
from rtstone.measure import host
from rtstone.measure._interrupt import Interruption
from rtstone.measure._measure import Outcome
from rtstone.model import (
    Clock,
    Degraded,
    Losses,
    Result,
    Run,
    RunStatus,
    Session,
    sense,
)
from rtstone.model.ids import new_id
from rtstone.model.units import counted
from rtstone.resources import engine_path
from rtstone.version import __version__

KIND = "attached:"
"""Prefix of the targets of such runs."""
_MARKED_SHARE = 1000
"""A run is degraded if more than one event in so many wake-ups lacks. Fewer are counted only: one in ten thousand made runs of one
program incomparable."""
BY_THE_USER, WITH_ITS_THREADS = "by the user", "with its threads"
"""Reasons of an early end: values of the run's fact `attach.ended`."""


class AttachProgress(msgspec.Struct, frozen=True):
    """The state of the measurement, reported each second."""

    at: int
    """ns since the beginning."""
    threads: int
    samples: int


class _End(msgspec.Struct, frozen=True):
    elapsed: int
    start: int
    stopped: bool
    timed: bool
    runs: int
    run_ns: int
    missed: int
    refused: int


_Line = TypeVar("_Line", AttachProgress, WatchedThread, CycleCounts, Late, NamedShare, _End)


class Wanted(msgspec.Struct, frozen=True, kw_only=True):
    """Which threads, and for how long."""

    name: str
    """The run's target after the prefix `attached:`."""
    pids: tuple[int, ...] = ()
    comm: str = ""
    """Only threads of this name; without `pids` of all processes of this user's (of all, for root)."""
    children: bool = False
    """Also watch processes that the watched ones start; threads that they start are always watched."""
    duration_s: float
    wait: bool = False
    """Threads of the name may come later; only with `comm` alone, as root."""
    cost: bool = False
    """Have the kernel time the programs, which makes them slower."""
    trace_over_ns: int = 0
    """Save the trail of each cycle whose thread first runs later than this after the cycle's beginning, and of each missed
    deadline; 0: no trails."""
    deadline_ns: int = 0
    """A cycle that ends later than this after its due time is a miss; 0: no deadline."""
    private: bool = False
    """Store neither names nor numbers of tasks that are not watched, except the kernel's own."""


def attach(
    wanted: Wanted,
    *,
    label: str = "",
    on_progress: Callable[[AttachProgress], None] = lambda _: None,
    on_checkpoint: Callable[[Outcome], None] = lambda _: None,
) -> Outcome:
    """The run, and the engine's lines as its log.
    `on_checkpoint`: called with the run so far, each ten seconds and later more rarely.

    Ctrl-C, SIGTERM or a hangup of the terminal ends it early, and the run is still complete. UsageError where nothing
    matches or the threads may not be watched, InfrastructureError where the kernel or the engine fails.
    """
    made = _Made(new_id(began := datetime.now(UTC)), began, host.Snapshot.now(), wanted, label)
    owner = secrets.token_hex(16)
    # Counts are of the whole time, so only the last of several blocks is useful; those of retired threads come once.
    log, block, retired, counts = bytearray(), bytearray(), bytearray(), b""
    shown = Private(kernel_threads()) if wanted.private else bytes
    with closing(_lines(wanted)) as lines:
        for line in lines:
            if line.startswith(b'{"retired"'):
                retired += block  # the thread's slot is another's from now on
                block.clear()
            elif line.startswith(b'{"at"'):
                if counts:
                    run = made.run(counts, status="incomplete")
                    if (
                        sense.fault(run) is None
                    ):  # else a count was read while it was changed: the next checkpoint has it
                        on_checkpoint(Outcome(run=run, logs=(bytes(log) + counts,), owner=owner))
                    counts = b""
                log += line
                on_progress(_decoded(line, AttachProgress))
            else:
                block += line
                if line.startswith(b'{"elapsed"'):
                    counts = shown(bytes(retired + block))
                    block.clear()
    run = made.run(counts, status="complete")
    wrong = sense.fault(run)
    if wrong is not None:
        raise InfrastructureError(f"the counts of the engine make no sense: {wrong}")
    return Outcome(run=run, logs=(bytes(log) + counts,), owner=owner)


def unseen_in_brief_threads(run: Run) -> int:
    """Wake-ups of threads that lived briefly that were seen only in part, as far as a longer thread's result would be invalid.

    Returns 0 if there are at most one in twenty of all wake-ups: then the run of the other threads is not doubtful.
    """
    woken = [result for result in run.results() if result.quantity.startswith("wakeup-latency-")]
    excess = sum(
        max(0, check.value - unseen_most(result.count or 0))
        for result in woken
        for check in result.checks
        if check.name == "wake-ups-unseen"
    )
    return excess if excess * UNSEEN_SHARE > sum(result.count or 0 for result in woken) else 0


def _lines(wanted: Wanted) -> Generator[bytes, None, None]:
    words = [
        str(engine_path()),
        "attach",
        f"--duration-ns={round(wanted.duration_s * 1e9)}",
        f"--with-parent={os.getpid()}",
    ]
    words += [f"--pid={pid}" for pid in wanted.pids]
    words += [f"--comm={wanted.comm}"] if wanted.comm else []
    words += ["--children"] if wanted.children else []
    words += ["--wait"] if wanted.wait else []
    words += ["--cost"] if wanted.cost else []
    words += [f"--trace-over-ns={wanted.trace_over_ns}"] if wanted.trace_over_ns else []
    words += [f"--deadline-ns={wanted.deadline_ns}"] if wanted.deadline_ns else []
    process = subprocess.Popen(
        words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, process_group=0
    )
    assert process.stdout is not None  # noqa: S101 - it is a pipe
    assert process.stderr is not None  # noqa: S101
    try:
        with Interruption() as interruption:
            interruption.on_request(process.terminate)
            yield from process.stdout
        complaint = process.stderr.read().decode("utf-8", "replace").strip().removeprefix("rtstone-engine: ")
        code = process.wait()
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
        process.stderr.close()
    if code:
        kind: type[RtstoneError] = UsageError if code == UsageError.exit_code else InfrastructureError
        text = (complaint.splitlines() or [f"the engine ended with {code}"])[-1]
        if text.startswith("no thread ") and (guess := nearest_thread(wanted.comm)):
            text += f".{guess}"
        raise kind(text)


def _decoded(line: bytes, kind: type[_Line]) -> _Line:
    try:
        return msgspec.json.decode(line, type=kind)
    except msgspec.MsgspecError as error:
        raise InfrastructureError(f"the engine is of another version: {error}") from error


class _Made(msgspec.Struct, frozen=True):
    """Facts of a run that are known when it begins."""

    id: str
    began: datetime
    before: host.Snapshot
    wanted: Wanted
    label: str

    def run(self, said: bytes, *, status: RunStatus) -> Run:
        """The run of one block of counts."""
        threads: list[WatchedThread] = []
        cycles: dict[int, CycleCounts] = {}
        late: dict[int, list[Late]] = defaultdict(list)
        shares: dict[int, list[NamedShare]] = defaultdict(list)
        end: _End | None = None
        for line in said.splitlines():
            if line.startswith(b'{"thread"'):
                threads.append(_decoded(line, WatchedThread))
            elif line.startswith(b'{"cycle"'):
                cycle = _decoded(line, CycleCounts)
                cycles[cycle.cycle] = cycle
            elif line.startswith(b'{"late"'):
                trail = _decoded(line, Late)
                late[trail.late].append(trail)
            elif line.startswith(b'{"of"'):
                share = _decoded(line, NamedShare)
                shares[share.of].append(share)
            elif line.startswith(b'{"elapsed"'):
                end = _decoded(line, _End)
        if end is None:
            raise InfrastructureError("the engine ended before it reported its counts")
        seen: Counter[str] = Counter()
        results: list[Result] = []
        for number, thread in enumerate(sorted(threads, key=lambda one: one.thread)):
            name = re.sub(r"[^A-Za-z0-9._-]", "_", name_of(thread.comm)) or "unnamed"
            seen[name] += 1
            if seen[name] > 1:
                name += f"-{seen[name]}"
            latency = latency_of(
                number,
                f"wakeup-latency-{name}",
                thread,
                shares[thread.thread],
                end.elapsed,
            )
            counts = cycles.get(thread.thread)
            if counts is None:
                results.append(latency)
                continue
            results += with_cycles(
                latency,
                name,
                counts,
                late[thread.thread],
                end.start,
                over=self.wanted.trace_over_ns,
                deadline=self.wanted.deadline_ns,
                brief=bool(thread.ended),
            )
        degraded = _degraded(end, threads)
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
                **{
                    key.removeprefix("host."): facts[key]
                    for key in ("host.machine.id", "host.machine.id-source")
                    if key in facts
                },
                "machine.name": os.environ.get(VARIABLE)
                or System().text("/proc/sys/kernel/hostname")
                or uname.nodename,
            },
            clocks=(Clock(id=0, name="CLOCK_MONOTONIC", hz=1_000_000_000, source="bpf_ktime_get_ns"),),
            calibrations=(),
            degraded=degraded,
            results=tuple(results),
            losses=Losses(),
            complete=status == "complete",
            lines=0,
        )
        usage = host.Usage.between(self.before, host.Snapshot.now())
        host_facts = host.facts([usage], (session,))
        if self.wanted.trace_over_ns or end.missed:
            host_facts["attach.programs.missed"] = str(end.missed)
        if self.wanted.trace_over_ns:
            host_facts["attach.began-at.ns"] = str(end.start)
        if end.timed:
            host_facts |= {"attach.programs.runs": str(end.runs), "attach.programs.ns": str(end.run_ns)}
        host_facts["attach.ended"] = (
            BY_THE_USER if end.stopped else WITH_ITS_THREADS if _all_ended(threads) else "in time"
        )
        return Run(
            id=self.id,
            started=self.began.isoformat(timespec="seconds"),
            ended=datetime.now(UTC).isoformat(timespec="seconds"),
            target=KIND + self.wanted.name,
            label=self.label,
            studies=(),
            profile="attached",
            seed=0,
            tool=__version__,
            host=host_facts,
            sessions=(session,),
            status=status,
            degraded=degraded,
            warnings=host.warnings([usage], ()),
            planned=1,
        )


def _all_ended(threads: Sequence[WatchedThread]) -> bool:
    return all(thread.ended for thread in threads)


def _degraded(end: _End, threads: Sequence[WatchedThread]) -> tuple[Degraded, ...]:
    """What the run lacks. Few missed events are no lack; the results and the host's facts have their counts."""
    unseen = sum(one.unseen + one.untold for one in threads)
    unnamed = sum(one.unnamed for one in threads)
    few = sum(one.wakings + one.unseen for one in threads) // _MARKED_SHARE
    found = []
    if end.refused:
        found.append(
            Degraded(
                "attach-threads",
                f"not watched, because there is no room: {counted(end.refused, 'more thread')} that matched",
            )
        )
    if end.missed > few:
        found.append(
            Degraded(
                "attach-missed",
                f"the kernel left out {counted(end.missed, 'run')} of the programs: so many events may lack",
            )
        )
    if unseen > few:
        lack = f"{counted(unseen, 'wake-up')} {'was' if unseen == 1 else 'were'} seen only in part, and so no sample"
        found.append(Degraded("attach-unseen", lack))
    if unnamed:
        found.append(
            Degraded(
                "attach-unnamed",
                f"{counted(unnamed, 'time')} there was no room for the name of who woke a thread or held its CPU",
            )
        )
    return tuple(found)
