# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Watches threads of another program, and makes a run from the counts of the engine's BPF programs."""

from __future__ import annotations

import os
import re
import secrets
import subprocess
from collections import Counter, defaultdict
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

import msgspec

from rtstone.attach._private import Private, kernel_threads
from rtstone.attach._trails import RESPONSE, START, WAKE, Late, events
from rtstone.errors import InfrastructureError, RtstoneError, UsageError, nearest
from rtstone.machine.identity import VARIABLE
from rtstone.machine.system import System
from rtstone.measure import host
from rtstone.measure._interrupt import Interruption
from rtstone.measure._measure import Outcome
from rtstone.model import (
    Check,
    Clock,
    Degraded,
    Event,
    Figure,
    Geometry,
    Histogram,
    Losses,
    Result,
    Run,
    RunStatus,
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
"""Prefix of the targets of such runs."""
_GEOMETRY = Geometry(8, 36, 1)
"""Same value as in probe/bpf/rtstone_attach.h."""
_REALTIME = {1, 2, 6}
_UNSEEN_SHARE = 20
"""Smallest number of wake-ups for each one that is seen only in part.
Some supervisors' kernels run no program while a thread of theirs is current."""
_MARKED_SHARE = 1000
"""A run is degraded if more than one event in so many wake-ups lacks. Fewer are counted only: one in ten thousand made runs of one
program incomparable."""
_BRIEF = 20
"""A thread that ended after fewer samples lived briefly: its result is valid though a wake-up was seen in part."""
_NAMED = 12
"""Most wakers and holders of a thread that are named; the others are added up."""
_SOFTIRQS = ("hi", "timer", "net_tx", "net_rx", "block", "irq_poll", "tasklet", "sched", "hrtimer", "rcu")
_CGROUPS = "/sys/fs/cgroup"
_PARTS = ("running", "preempted", "blocked", "stopped")
_SERIES = (*_PARTS, "start-latency", "expiry-to-waking", "response", "page-faults")
"""Parts of a cycle, in the order of probe/bpf/rtstone_attach.h. The last one only where the kernel shows page faults."""


BY_THE_USER, WITH_ITS_THREADS = "by the user", "with its threads"
"""Reasons of an early end: values of the run's fact `attach.ended`."""


class AttachProgress(msgspec.Struct, frozen=True):
    """The state of the measurement, reported each second."""

    at: int
    """ns since the beginning."""
    threads: int
    samples: int


class _Thread(msgspec.Struct, frozen=True):
    thread: int
    """Its number: the threads are counted from 0 as they are found."""
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


class _AttachedSeries(msgspec.Struct, frozen=True):
    samples: int
    sum: int
    squares: int
    squares_high: int
    least: int
    most: int
    overflow: int
    buckets: tuple[tuple[int, int], ...]


class _Cycle(msgspec.Struct, frozen=True):
    """The cycles of a thread; the names of its series are `_SERIES`."""

    cycle: int
    """The thread's number."""
    cycles: int
    broken: int
    endless: int
    open: int
    waits: int
    undated: int
    misses: int
    late_starts: int
    late_wakings: int
    lost: int
    series: tuple[_AttachedSeries, ...]


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
    start: int
    stopped: bool
    timed: bool
    runs: int
    run_ns: int
    missed: int
    refused: int


_Line = TypeVar("_Line", AttachProgress, _Thread, _Cycle, Late, _Share, _End)


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


def processes_of_cgroup(folder: str, root: Path = Path(_CGROUPS)) -> tuple[int, ...]:
    """The processes of a control group and those below it. UsageError where it is not there or empty.

    `folder`: its path in the file system, or in /proc/PID/cgroup.
    """
    inside = folder if folder.startswith(f"{root}/") else f"{root}/{folder.strip('/')}"
    found: set[int] = set()
    beside_v1 = (
        root / "unified" / folder.strip("/")
    )  # the path in /proc/PID/cgroup after `0::`, where version 1 exists too
    lists = sorted(Path(inside).rglob("cgroup.procs")) or sorted(beside_v1.rglob("cgroup.procs"))
    if ".." in Path(folder).parts or not lists:
        raise UsageError(f"there is no control group {folder} below {root}")
    for path in lists:
        try:
            found.update(int(word) for word in path.read_text().split())
        except OSError:
            continue  # it has ended since
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
        max(0, check.value - _unseen_most(result.count or 0))
        for result in woken
        for check in result.checks
        if check.name == "wake-ups-unseen"
    )
    return excess if excess * _UNSEEN_SHARE > sum(result.count or 0 for result in woken) else 0


def other_threads(comm: str, system: System | None = None) -> str:
    """A clause that names the other threads of the first process that has the name `comm`. Empty if there are none.

    `comm`: the name of a process is that of its first thread, which often only waits for the others.
    """
    names: dict[str, dict[str, str]] = defaultdict(dict)
    for path, name in (system or System()).texts("/proc/[0-9]*/task/[0-9]*/comm").items():
        pid, tid = path.split("/")[2::2][:2]
        names[pid][tid] = name
    for pid, threads in names.items():
        others = sorted({name for name in threads.values() if name != comm})
        if threads.get(pid) == comm and others:
            more = ", …" if len(others) > _NAMED else ""
            return f"process {pid} ({comm}) also has threads {', '.join(others[:_NAMED])}{more}: name one, or use --pid {pid}"
    return ""


def _nearest_thread(comm: str) -> str:
    """The nearest name of a thread, as a sentence; empty where none is near."""
    return nearest(comm, sorted(set(System().texts("/proc/[0-9]*/task/[0-9]*/comm").values())))


def _unseen_most(samples: int, *, brief: bool = False) -> int:
    """How many wake-ups may be seen only in part. `brief`: of a thread that has ended, after few of them."""
    return _BRIEF if brief and samples < _BRIEF else samples // _UNSEEN_SHARE + 1


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
        if text.startswith("no thread ") and (guess := _nearest_thread(wanted.comm)):
            text += f".{guess}"
        raise kind(text)


def _decoded(line: bytes, kind: type[_Line]) -> _Line:
    try:
        return msgspec.json.decode(line, type=kind)
    except msgspec.MsgspecError as error:
        raise InfrastructureError(f"the engine is of another version: {error}") from error


def _name(comm: str) -> str:
    return bytes.fromhex(comm).decode("utf-8", "replace")


class _Made(msgspec.Struct, frozen=True):
    """Facts of a run that are known when it begins."""

    id: str
    began: datetime
    before: host.Snapshot
    wanted: Wanted
    label: str

    def run(self, said: bytes, *, status: RunStatus) -> Run:
        """The run of one block of counts."""
        threads: list[_Thread] = []
        cycles: dict[int, _Cycle] = {}
        late: dict[int, list[Late]] = defaultdict(list)
        shares: dict[int, list[_Share]] = defaultdict(list)
        end: _End | None = None
        for line in said.splitlines():
            if line.startswith(b'{"thread"'):
                threads.append(_decoded(line, _Thread))
            elif line.startswith(b'{"cycle"'):
                cycle = _decoded(line, _Cycle)
                cycles[cycle.cycle] = cycle
            elif line.startswith(b'{"late"'):
                trail = _decoded(line, Late)
                late[trail.late].append(trail)
            elif line.startswith(b'{"of"'):
                share = _decoded(line, _Share)
                shares[share.of].append(share)
            elif line.startswith(b'{"elapsed"'):
                end = _decoded(line, _End)
        if end is None:
            raise InfrastructureError("the engine ended before it reported its counts")
        seen: Counter[str] = Counter()
        results: list[Result] = []
        for number, thread in enumerate(sorted(threads, key=lambda one: one.thread)):
            name = re.sub(r"[^A-Za-z0-9._-]", "_", _name(thread.comm)) or "unnamed"
            seen[name] += 1
            if seen[name] > 1:
                name += f"-{seen[name]}"
            latency = _result(
                number,
                f"wakeup-latency-{name}",
                thread,
                _merged(shares[thread.thread]),
                end.elapsed,
            )
            counts = cycles.get(thread.thread)
            if counts is None:
                results.append(latency)
                continue
            trails = {
                kind: [one for one in late[thread.thread] if one.kind == kind] for kind in (START, WAKE, RESPONSE)
            }
            results += self._with_cycles(latency, name, counts, trails, end.start, brief=bool(thread.ended))
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

    def _with_cycles(
        self,
        latency: Result,
        name: str,
        counts: _Cycle,
        trails: dict[int, list[Late]],
        origin: int,
        *,
        brief: bool,
    ) -> Iterator[Result]:
        """The thread's wake-ups with their trails, and the results of its cycles."""
        over, deadline = self.wanted.trace_over_ns, self.wanted.deadline_ns
        yield _with_trails(latency, over, counts.late_wakings, trails[WAKE], origin)
        of = dict(zip(_SERIES, counts.series, strict=False))
        common = msgspec.structs.replace(latency, checks=_cycle_checks(counts, brief=brief), figures=())
        for kind in ("start-latency", "response", "expiry-to-waking", *_PARTS, "page-faults"):
            if kind not in of:
                continue
            made = _of_series(msgspec.structs.replace(common, quantity=f"{kind}-{name}"), of[kind], "no-cycles")
            if kind == "start-latency":
                made = msgspec.structs.replace(made, figures=tuple(_cycle_figures(counts)))
                made = _with_trails(made, over, counts.late_starts, trails[START], origin)
            elif kind == "response" and deadline:
                limit = (Figure("deadline", "ns", deadline), Figure("deadline-misses", "cycles", counts.misses))
                made = msgspec.structs.replace(made, figures=limit)
                # A cycle that is unfinished, or was not seen to its end, has no sample for its trail.
                open_ = {counts.cycles - 1} if counts.open else set()
                ended = [one for one in trails[RESPONSE] if one.index not in open_]
                made = _with_trails(made, deadline if over else 0, counts.misses, ended, origin)
            yield made


def _cycle_checks(counts: _Cycle, *, brief: bool) -> tuple[Check, ...]:
    """Checks of the cycles: all are counted, the parts of each add up to it, and few were seen only in part."""
    start, response = counts.series[_SERIES.index("start-latency")], counts.series[_SERIES.index("response")]
    parts = counts.waits + sum(one.sum for one in counts.series[: len(_PARTS)])
    accounted = response.samples + counts.broken + counts.endless + counts.open
    return (
        Check("cycles-accounted", accounted, start.samples, start.samples),
        Check("cycle-parts-accounted", parts, response.sum, response.sum),
        Check("cycles-unseen", counts.broken, 0, _unseen_most(start.samples, brief=brief)),
    )


def _cycle_figures(counts: _Cycle) -> Iterator[Figure]:
    for name, unit, value in (
        ("cycles", "cycles", counts.cycles),
        ("cycles-unseen", "cycles", counts.broken),
        ("cycles-endless", "cycles", counts.endless),
        ("timers-undated", "wake-ups", counts.undated),
        ("trails-lost", "trails", counts.lost),
    ):
        yield Figure(name, unit, value)


def _with_trails(result: Result, limit: int, late: int, trails: Sequence[Late], origin: int) -> Result:
    """The result with the saved trails of its samples above the limit (ns; 0: no trails were requested)."""
    if not limit:
        return result
    found: list[Event] = []
    for one in sorted(trails, key=lambda one: one.index):
        found += events(one, origin)
    return msgspec.structs.replace(
        result,
        variant=msgspec.structs.replace(result.variant, trace_over_ns=limit),
        figures=(*result.figures, Figure("samples-over-limit", "samples", late)),
        events=tuple(found),
    )


def _all_ended(threads: Sequence[_Thread]) -> bool:
    return all(thread.ended for thread in threads)


def _degraded(end: _End, threads: Sequence[_Thread]) -> tuple[Degraded, ...]:
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


def _result(number: int, quantity: str, thread: _Thread, shares: Sequence[_Share], elapsed: int) -> Result:
    counted = thread.samples + thread.awake + thread.untold + thread.pending
    most = _unseen_most(thread.samples, brief=bool(thread.ended))
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
    return _of_series(common, thread, "no-samples")


def _of_series(common: Result, series: _AttachedSeries | _Thread, none: str) -> Result:
    """The result of a series, with the status from its checks. `none`: the reason if there is no sample."""
    if not series.samples:
        text = "nothing woke the thread" if none == "no-samples" else "no timer woke the thread"
        return msgspec.structs.replace(
            common,
            status="skipped",
            reason=none,
            text=text,
            count=0,
            overflow=0,
            min=None,
            max=None,
            sum=0,
            sumsq=0,
            histogram=None,
        )
    wrong = [check.name for check in common.checks if not check.holds]
    return msgspec.structs.replace(
        common,
        status="invalid" if wrong else "ok",
        reason="check" if wrong else "",
        text=f"{wrong[0]} does not hold" if wrong else "",
        count=series.samples,
        overflow=series.overflow,
        min=series.least,
        max=series.most,
        sum=series.sum,
        sumsq=(series.squares_high << 64) + series.squares,
        histogram=Histogram(_GEOMETRY, tuple(sorted(series.buckets)), (), series.overflow),
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
    timer = _Share(thread.thread, "timer", 0, thread.by_timer, 0, 0, "")
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


def _merged(shares: Sequence[_Share]) -> list[_Share]:
    """Adds up the shares of one name: hidden tasks have the same one."""
    found: dict[tuple[str, int, str], _Share] = {}
    for one in shares:
        key = (one.kind, one.number, one.comm)
        before = found.get(key)
        found[key] = (
            one
            if before is None
            else msgspec.structs.replace(
                one,
                count=before.count + one.count,
                total=before.total + one.total,
                most=max(before.most, one.most),
            )
        )
    return list(found.values())


def _who(share: _Share) -> str:
    if share.kind == "interrupt":
        return f"interrupt {share.number}"
    if share.kind == "softirq":
        vector = _SOFTIRQS[share.number] if share.number < len(_SOFTIRQS) else str(share.number)
        return f"soft interrupt {vector}"
    return "timer" if share.kind == "timer" else _name(share.comm)
