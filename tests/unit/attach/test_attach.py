# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The engine's counts of watched threads are in the run. Every decoded field is shown."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest

from rtstone.attach import _processes, _results, command
from rtstone.attach import threads as attach
from rtstone.attach._private import NOBODY, Private, kernel_threads
from rtstone.errors import UsageError
from rtstone.machine.system import System
from rtstone.measure import host
from rtstone.model import Run

THREAD = _results.WatchedThread(
    **dict.fromkeys((name for name in _results.WatchedThread.__struct_fields__ if name not in ("comm", "buckets")), 3),
    comm=b"scan-1".hex(),
    buckets=((7, 3),),
)


def _line(one: msgspec.Struct) -> bytes:
    """A line of the engine, which begins with the field that says what it is."""
    first = {"thread": one.thread} if isinstance(one, _results.WatchedThread) else {}
    return msgspec.json.encode({**first, **msgspec.structs.asdict(one)})


def _told(
    thread: _results.WatchedThread, *others: msgspec.Struct, over: int = 0, deadline: int = 0, missed: int = 0
) -> Run:
    end = attach._End(elapsed=10, start=0, stopped=False, timed=False, runs=0, run_ns=0, missed=missed, refused=0)
    share = _results.NamedShare(of=3, kind="task", number=0, count=1, total=0, most=0, comm=b"waker".hex())
    said = b"\n".join(map(_line, (thread, *others, share, end)))
    wanted = attach.Wanted(name="comm scan-1", duration_s=1, trace_over_ns=over, deadline_ns=deadline)
    return attach._Made("r-1", datetime(2026, 1, 1, tzinfo=UTC), host.Snapshot.now(), wanted, "").run(
        said, status="complete"
    )


def _shown(run: Run) -> tuple[object, ...]:
    (session,) = run.sessions
    return session.results, session.degraded, run.host["attach.ended"]


@pytest.mark.parametrize(
    "field", [one for one in _results.WatchedThread.__struct_fields__ if one not in ("comm", "buckets")]
)
def test_every_count_of_a_thread_is_in_the_run(field: str) -> None:
    changed = msgspec.structs.replace(THREAD, **{field: 1 if field == "policy" else 0})
    assert _shown(_told(changed)) != _shown(_told(THREAD))


def _series(*values: int) -> _results.AttachedSeries:
    return _results.AttachedSeries(
        samples=len(values),
        sum=sum(values),
        squares=sum(value**2 for value in values),
        squares_high=0,
        least=min(values, default=0),
        most=max(values, default=0),
        overflow=0,
        buckets=tuple((value, values.count(value)) for value in sorted(set(values))),
    )


CYCLE = _results.CycleCounts(
    cycle=3,
    cycles=5,
    broken=1,
    endless=1,
    open=1,
    waits=2 + 5,
    undated=7,
    misses=1,
    late_starts=1,
    late_wakings=2,
    lost=3,
    series=(
        *(_series(*values) for values in ((10, 20), (0, 4), (1, 1), (0, 0))),
        *(_series(*values) for values in ((2, 5, 6, 7, 8), (1, 1, 1, 1, 1))),
        _series(2 + 10 + 0 + 1, 5 + 20 + 4 + 1),
        _series(3, 0),
    ),
)
"""Five cycles: two complete, one seen in part, one with too many sleeps, one under way."""


def test_cycles_and_their_parts_are_results_of_the_thread() -> None:
    run = _told(THREAD, CYCLE, over=6, deadline=20)
    found = {result.quantity: result for result in run.results()}
    assert {*found} == {f"{name}-scan-1" for name in ("wakeup-latency", *_results.SERIES)}
    assert all(result.status == "ok" for name, result in found.items() if not name.startswith("wakeup")), found
    figures = {one.name: one.value for result in found.values() for one in result.figures}
    assert (figures["cycles"], figures["cycles-unseen"], figures["timers-undated"], figures["trails-lost"]) == (
        5,
        1,
        7,
        3,
    )
    assert (figures["deadline"], figures["deadline-misses"]) == (20, 1)
    over = {
        name: one.value for name, result in found.items() for one in result.figures if one.name == "samples-over-limit"
    }
    assert over == {"wakeup-latency-scan-1": 2, "start-latency-scan-1": 1, "response-scan-1": 1}
    limits = {name: result.variant.trace_over_ns for name, result in found.items()}
    assert (limits["start-latency-scan-1"], limits["response-scan-1"], limits["running-scan-1"]) == (6, 20, 0)
    unseen = _told(THREAD, msgspec.structs.replace(CYCLE, series=CYCLE.series[:-1]), over=6, deadline=20)
    assert {one.quantity for one in unseen.results()} == {*found} - {"page-faults-scan-1"}
    # One that is not accounted for, and one whose parts do not add up.
    for changed in ({"broken": 0}, {"waits": 1}):
        wrong = _told(THREAD, msgspec.structs.replace(CYCLE, **changed), over=6)
        assert all(result.status == "invalid" for result in wrong.results() if result.quantity == "response-scan-1")
    none = msgspec.structs.replace(CYCLE, cycles=0, broken=0, endless=0, open=0, waits=0, series=(_series(),) * 7)
    (start,) = (one for one in _told(THREAD, none, over=6).results() if one.quantity == "start-latency-scan-1")
    assert (start.status, start.reason, start.count, start.histogram) == ("skipped", "no-cycles", 0, None)


@pytest.mark.parametrize(
    ("brief", "wakings", "statuses", "unseen"),
    [
        ({"ended": 1}, 36, ["ok", "ok"], 0),
        ({"ended": 1}, 35, ["ok", "ok"], 2),  # of 39 samples: more than one in twenty
        ({"ended": 0}, 200, ["ok", "invalid"], 0),
        ({"ended": 1, "samples": 20, "wakings": 20, "unseen": 4}, 200, ["ok", "invalid"], 0),
    ],
)
def test_a_thread_that_lived_briefly_does_not_make_the_others_doubtful(
    brief: dict[str, int], wakings: int, statuses: list[str], unseen: int
) -> None:
    none = {"pending": 0, "awake": 0, "unseen": 0, "untold": 0, "ended": 0}
    long = msgspec.structs.replace(THREAD, **none, samples=wakings, wakings=wakings)
    short = {"thread": 4, "samples": 4, "wakings": 4, "unseen": 3}
    run = _told(long, msgspec.structs.replace(THREAD, **none | short | brief))
    assert [result.status for result in run.results()] == statuses
    assert attach.unseen_in_brief_threads(run) == unseen


@pytest.mark.parametrize(
    ("unseen", "missed", "marks"),
    [
        (0, 0, []),
        (10, 10, []),
        (11, 10, ["attach-unseen"]),
        (10, 11, ["attach-missed"]),
    ],
)
def test_few_missed_events_are_counted_and_do_not_mark_the_run(unseen: int, missed: int, marks: list[str]) -> None:
    """Of ten thousand wake-ups, ten may lack."""
    none = {"pending": 0, "awake": 0, "untold": 0, "unnamed": 0, "ended": 0}
    seen = 10_000 - unseen
    thread = msgspec.structs.replace(THREAD, **none, samples=seen, wakings=seen, unseen=unseen)
    run = _told(thread, missed=missed)
    assert [lack.reason for lack in run.degraded] == marks
    assert {figure.name: figure.value for figure in run.results()[0].figures}["wakings-unseen"] == unseen
    assert run.host.get("attach.programs.missed", "0") == str(missed)


@pytest.mark.parametrize(
    ("comm", "said"),
    [
        ("arm", "process 40 (arm) also has threads arm-ctl, arm-log: name one, or use --pid 40"),
        ("arm-ctl", ""),
        ("lone", ""),
    ],
)
def test_the_name_of_a_process_leads_to_its_threads(tmp_path: Path, comm: str, said: str) -> None:
    for pid, tid, name in ((40, 40, "arm"), (40, 41, "arm-ctl"), (40, 42, "arm-log"), (50, 50, "lone")):
        task = tmp_path / "proc" / str(pid) / "task" / str(tid)
        task.mkdir(parents=True)
        (task / "comm").write_text(f"{name}\n")
    assert _processes.other_threads(comm, System(tmp_path)) == said


def _step(pid: int, name: str) -> dict[str, object]:
    return {"at": 1, "kind": 1, "what": 0, "pid": pid, "prio": 19, "cpu": 0, "task": name.encode().hex()}


def test_only_watched_tasks_and_the_kernel_s_are_named_in_a_private_run() -> None:
    steps = [_step(pid, name) for pid, name in ((3, "scan-1"), (9, "secret"), (11, "migration/0"), (0, "swapper/1"))]
    steps += [_step(12, "kworker/1:0"), _step(9, "secret"), _step(3, "reused")]
    late = {"late": 3, "slot": 3, "kind": 0, "own": steps, "steps": steps}
    shares = [
        _results.NamedShare(of=3, kind="holder", number=0, count=n, total=10 * n, most=n, comm=name.encode().hex())
        for n, name in enumerate(("secret", "reused", "migration/0", "scan-1"), 1)
    ]
    # A retired thread's lines come before those of a thread that is watched still.
    said = b"\n".join((msgspec.json.encode(late), *map(_line, (*shares, THREAD)))) + b"\n"
    stored = Private({"migration/0"})(said)
    assert b"secret".hex() not in stored.decode()
    assert b"reused".hex() not in stored.decode()
    lines = stored.splitlines()
    kept = msgspec.json.decode(lines[0])
    for place in ("own", "steps"):
        assert [(one["pid"], bytes.fromhex(one["task"]).decode()) for one in kept[place]] == [
            (3, "scan-1"),
            (NOBODY + 1, "another task 1"),
            (11, "migration/0"),
            (0, "swapper/1"),
            (12, "kworker/1:0"),
            (NOBODY + 1, "another task 1"),
            (NOBODY + 2, "another task 2"),
        ]
    run = _told(THREAD, *(msgspec.json.decode(line, type=_results.NamedShare) for line in lines[1:-1]))
    figures = {one.name: one.value for one in run.results()[0].figures if one.name.startswith("held-")}
    assert figures == {
        "held-by scan-1": 40,
        "held-most-by scan-1": 4,
        "held-by migration/0": 30,
        "held-most-by migration/0": 3,
        "held-by another task": 30,
        "held-most-by another task": 2,
    }


def test_the_kernel_s_threads_are_those_with_its_flag(tmp_path: Path) -> None:
    for pid, name, flags in (
        (2, "kthreadd", 0x208040),
        (9, "a (b) c", 0x400040),
        (11, "rcu_tasks_kthread_worker", 0x4208040),
    ):
        (tmp_path / str(pid)).mkdir()
        (tmp_path / str(pid) / "stat").write_text(f"{pid} ({name}) S 0 0 0 0 -1 {flags} 0 0\n")
    (tmp_path / "12").mkdir()  # it has ended
    assert kernel_threads(tmp_path) == {"kthreadd", "rcu_tasks_kthre"}


def test_causes_without_a_name_are_told_in_words() -> None:
    run = _told(msgspec.structs.replace(THREAD, unnamed=5))
    assert any("5 times there was no room for the name" in lack.text for lack in run.degraded)
    assert {one.name: one.value for one in run.results()[0].figures}["causes-unnamed"] == 5


def test_a_control_group_has_the_name_that_proc_tells(tmp_path: Path) -> None:
    """Of version 2 alone, and of version 2 beside version 1."""
    for folder, pid in (("system.slice/a", 11), ("unified/system.slice/b/inner", 12)):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "cgroup.procs").write_text(f"{pid}\n")
    assert _processes.processes_of_cgroup("/system.slice/a", tmp_path) == (11,)
    assert _processes.processes_of_cgroup("/system.slice/b", tmp_path) == (12,)
    assert _processes.processes_of_cgroup(f"{tmp_path}/unified/system.slice", tmp_path) == (12,)
    with pytest.raises(UsageError, match="there is no control group /c below"):
        _processes.processes_of_cgroup("/c", tmp_path)


@pytest.mark.parametrize(
    ("holder", "shown", "is_explained"),
    [("rtstone-engine", "rtstone (measuring)", True), ("rtstone-engine2", "rtstone-engine2", False), ("hog", "hog", False)],
)  # fmt: skip
def test_the_table_names_rtstone_s_own_program_in_the_user_s_words(
    holder: str, shown: str, is_explained: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    share = _results.NamedShare(of=3, kind="holder", number=0, count=2, total=40, most=30, comm=holder.encode().hex())
    command._print(_told(THREAD, share))
    _, _, _, headings, row, *others = capsys.readouterr().out.splitlines()
    assert dict(zip(headings.split("\t"), row.split("\t"), strict=True))["task before it on the CPU"] == shown
    assert (
        any(line.startswith("rtstone (measuring): a measurement of rtstone had the CPU") for line in others)
        is is_explained
    )
