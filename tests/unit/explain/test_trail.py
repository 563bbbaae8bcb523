# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""A live sample's trail: each nanosecond has one cause.

A task that outranks the thread is to blame; unknown time is called so.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rtstone.archive import open_archive
from rtstone.cli import main
from rtstone.errors import UsageError
from rtstone.explain import _cpu, _trail, explain, text
from rtstone.explain.document import NOTHING, RECORDED_CALLS, Blame
from rtstone.model import Event, Result, Variant
from support.explained import Page
from support.runs import make_run, make_session

ROOT = Path(__file__).resolve().parents[3]
OWN = ("rtstone-engine", 9, 90)
HOG, LOW, IDLE = ("hog", 7, 99), ("low", 8, 10), ("swapper/0", 0, 0)
USUAL = 100.0


def _step(kind: str, at: int, task: tuple[str, int, int], sample: int = 0) -> Event:
    name, pid, priority = task
    return Event(kind, at, sample, task=name, pid=pid, priority=priority)


def _end(due: int, user: int, became: str = "split", sample: int = 0) -> Event:
    name, pid, priority = OWN
    return Event(f"sample {became}", user, sample, ticks=user - due, task=name, pid=pid, priority=priority)


def _result(*events: Event) -> Result:
    variant = Variant(trace_over_ns=1)
    return Result(
        item=0,
        measurement="interrupt-split",
        quantity="interrupt-task-response",
        variant=variant,
        status="ok",
        events=events,
    )


def _one(*steps: Event, due: int = 1000, user: int = 3000, became: str = "split") -> _cpu.Trail:
    (trail,) = _trail.trails(_result(*steps, _end(due, user, became)))
    return trail


def _woken(task: tuple[str, int, int], at: int = 1010) -> list[Event]:
    """The timer expires while the task has the CPU, and wakes the thread."""
    return [_step("timer", at, task), _step("waking", at + 5, task), _step("timer-end", at + 10, task)]


def _switches(at: int, *tasks: tuple[str, int, int]) -> list[Event]:
    return [_step(f"switch {task[0]}", at + 10 * n, task) for n, task in enumerate(tasks)]


@pytest.mark.parametrize(
    ("steps", "became", "cause"),
    [
        ([*_switches(900, HOG), *_woken(HOG), *_switches(2950, OWN)], "split", "task hog, priority 99"),
        # A task below the thread may have been running all the time: that is no cause.
        ([*_switches(900, LOW), *_woken(LOW), *_switches(2950, OWN)], "split", f"{NOTHING}: slow from the waking to the switch"),
        ([*_switches(900, LOW), *_woken(LOW, 2900), *_switches(2950, OWN)], "split", f"{NOTHING}: the timer's interrupt came late"),
        ([*_switches(900, IDLE), *_woken(IDLE, 2900), *_switches(2950, OWN)], "split", f"{NOTHING}: the timer's interrupt came late"),
        ([*_switches(900, LOW), *_woken(LOW), *_switches(1100, OWN)], "split", f"{NOTHING}: slow from the switch to user space"),
        # Two tasks have the same name: the number identifies the task.
        ([*_switches(900, (OWN[0], 3, 10)), *_woken((OWN[0], 3, 10), 2900), *_switches(2950, OWN)], "split",
         f"{NOTHING}: the timer's interrupt came late"),
        # Chosen instead of a thread that could run, and below it.
        ([*_switches(900, LOW), *_woken(LOW), *_switches(1100, ("cc1", 5, 0)), *_switches(2950, OWN)], "split", _cpu.PASSED),
        ([*_switches(900, LOW), *_woken(LOW), *_switches(1100, OWN, LOW), *_switches(2950, OWN)], "split",
         "the thread waited in the kernel while task low, priority 10 ran"),
        ([*_switches(900, LOW), _step("interrupt 24 eth0", 1005, LOW), _step("interrupt-end 24 eth0", 2900, LOW), *_woken(LOW, 2910)],
         "split", "interrupt 24 eth0"),
        # It began before the first step that was kept.
        ([*_switches(900, LOW), _step("softirq-end 3", 2900, LOW), *_woken(LOW, 2910)], "split", "softirq NET_RX"),
        ([_step("waking", 950, LOW), *_switches(1500, HOG), *_switches(2950, OWN)], "late", "task hog, priority 99"),
        ([], "late", f"{NOTHING}: the thread itself ran"),
    ],
)  # fmt: skip
def test_who_is_to_blame(steps: Sequence[Event], became: str, cause: str) -> None:
    trail = _one(*steps, became=became)
    assert _trail.blame(trail, USUAL).function == cause


def _left(how: str, at: int, task: tuple[str, int, int] = OWN) -> Event:
    return _step(f"left {how}", at, task)


def _held(by: str, at: int, *tasks: tuple[str, int, int]) -> list[Event]:
    """The thread can run, and the kernel says why it may not while these have the CPU."""
    return [
        step
        for n, task in enumerate(tasks)
        for step in (_step(f"held {by}", at + 10 * n, task), *_switches(at + 10 * n, task))
    ]


_PREEMPTED = [_left("runnable", 800), *_switches(800, HOG)]
_ASLEEP = [_left("asleep", 800), *_switches(800, IDLE)]


@pytest.mark.parametrize(
    ("steps", "became", "cause"),
    [
        # Out of its budget while it ran, before it was due: the CPU idles, or somebody below it runs.
        ([_left("runnable", 800), *_held("real-time-budget", 800, IDLE), *_switches(2950, OWN)], "late", _cpu.THROTTLED),
        ([_left("runnable", 800), *_held("real-time-budget", 800, LOW), *_switches(2950, OWN)], "late", _cpu.THROTTLED),
        # Woken while others have used the budget up: nobody is switched to.
        ([*_ASLEEP, _step("timer", 1010, IDLE), _step("held real-time-budget", 1014, IDLE), _step("waking", 1015, IDLE),
          _step("timer-end", 1020, IDLE), *_switches(2950, OWN)], "split", _cpu.THROTTLED),
        # The budget comes back, and a task above the thread has the rest.
        ([*_ASLEEP, _step("held real-time-budget", 1014, IDLE), _step("waking", 1015, IDLE), *_switches(1300, HOG),
          *_switches(2950, OWN)], "split", "task hog, priority 99"),
        ([*_PREEMPTED, *_held("fair-server", 1100, LOW), *_switches(2950, OWN)], "late", _cpu.FAIR_SERVER),
        ([*_PREEMPTED, *_held("quota", 1100, IDLE), *_switches(2950, OWN)], "late", _cpu.QUOTA),
        ([_left("runnable", 800), *_held("deadline-budget", 800, LOW), *_switches(2950, OWN)], "late", _cpu.DEADLINE_BUDGET),
        # Stopped: whoever runs meanwhile is innocent, of the highest priority too.
        ([_left("stopped", 800), *_switches(800, IDLE), *_switches(2950, OWN)], "late", _cpu.STOPPED),
        ([_left("stopped", 800), *_switches(800, HOG), *_switches(2950, OWN)], "split", _cpu.STOPPED),
        ([_left("stopped", 800), *_switches(800, IDLE), _step("woken", 1100, IDLE), *_switches(1200, HOG), *_switches(2950, OWN)],
         "split", "task hog, priority 99"),
        # Idle was chosen instead of a thread that can run, and nothing says why.
        ([*_PREEMPTED, *_switches(1100, IDLE), *_switches(2950, OWN)], "late", _cpu.IDLE),
        # The CPU took interrupts and let the woken thread wait.
        ([*_ASLEEP, *_woken(IDLE), _step("timer", 1200, IDLE), _step("timer-end", 1210, IDLE), *_switches(2950, OWN)],
         "split", _cpu.IDLE),
        # It did nothing that a step shows: that is not known to be the scheduler's choice.
        ([*_ASLEEP, *_woken(IDLE), *_switches(2950, OWN)], "split", f"{NOTHING}: slow from the waking to the switch"),
        ([*_ASLEEP, *_woken(IDLE, 2900), *_switches(2950, OWN)], "split", f"{NOTHING}: the timer's interrupt came late"),
        ([*_ASLEEP, *_woken(IDLE), *_switches(1100, OWN), _left("asleep", 1110), *_switches(1110, LOW), *_switches(2950, OWN)],
         "split", "the thread waited in the kernel while task low, priority 10 ran"),
        ([*_ASLEEP, *_woken(IDLE), *_switches(1100, OWN), _left("runnable", 1110), *_switches(1110, HOG), *_switches(2950, OWN)],
         "split", "task hog, priority 99"),
        # Time that nothing else explains was taken by a hypervisor; time of a task belongs to the task.
        ([*_ASLEEP, *_woken(IDLE, 2900), Event("stolen", 2940, 0, ticks=1800, task="swapper/0"), *_switches(2950, OWN)],
         "split", _trail.STOLEN),
        ([*_ASLEEP, *_woken(IDLE, 2900), Event("stolen", 2940, 0, ticks=500, task="swapper/0"), *_switches(2950, OWN)],
         "split", f"{NOTHING}: the timer's interrupt came late"),
        ([*_switches(900, HOG), *_woken(HOG), Event("stolen", 2940, 0, ticks=1800, task="hog", pid=7, priority=99), *_switches(2950, OWN)],
         "split", "task hog, priority 99"),
    ],
)  # fmt: skip
def test_what_kept_the_thread_from_the_cpu_is_named(steps: Sequence[Event], became: str, cause: str) -> None:
    made = _trail.blame(_one(*steps, became=became), USUAL)
    assert made.function == cause
    assert made.ticks <= made.of


def test_a_stop_long_before_the_trail_s_other_steps_is_known() -> None:
    ticks = [_step(f"timer{end}", at + 5 * bool(end), IDLE) for at in range(900, 990, 10) for end in ("", "-end")]
    steps = [_left("stopped", 10), *ticks, *_switches(2950, OWN)]
    assert _trail.blame(_one(*steps, became="late"), USUAL).function == _cpu.STOPPED


def test_a_sample_of_which_the_kernel_showed_no_waking_stays_unknown() -> None:
    steps = [*_ASLEEP, _step("timer", 1500, LOW), _step("timer-end", 1510, LOW), *_switches(2950, OWN)]
    trails = _trail.trails(_result(*steps, _end(1000, 3000, "unmatched"), _end(2000, 3100, "late", 1)))
    assert {_trail.blame(trail, USUAL).function for trail in trails} == {_cpu.UNTOLD}


def test_a_sample_behind_a_late_one_is_not_called_unexplained() -> None:
    first = [*_switches(900, HOG), *_woken(HOG), *_switches(2000, OWN)]
    trails = _trail.trails(_result(*first, _end(1000, 2010), _end(1900, 3600, "late", 1)))
    assert [_trail.blame(trail, USUAL).function for trail in trails] == ["task hog, priority 99", _cpu.BUSY]


def test_a_late_sample_has_the_steps_of_the_one_that_made_it_late() -> None:
    first = [*_switches(900, HOG), *_woken(HOG), *_switches(8000, OWN)]
    trails = _trail.trails(
        _result(*first, _end(1000, 8010), *(_end(1000 * n, 8030 + n, "late", n - 1) for n in range(2, 8)))
    )
    assert [trail.index for trail in trails] == list(range(7))
    assert {_trail.blame(trail, USUAL).function for trail in trails} == {"task hog, priority 99"}


def _stack(word: str, at: int, *calls: str) -> list[Event]:
    return [Event(f"{word} {call}".strip(), at, 0) for call in calls or ("",)]


@pytest.mark.parametrize(
    ("calls", "ended"), [(("hold_section", "kthread"), "hold_section"), ((), "user space")]
)  # fmt: skip
def test_where_a_wait_ended_that_no_event_explains_is_named(calls: Sequence[str], ended: str) -> None:
    until = [*_switches(900, LOW), *_woken(LOW, 2900), *_switches(2950, OWN)]
    trail = _one(*_stack("at-timer", 2901, *calls), *_stack("at-switch", 2949, "other"), *until)
    (timer, switch) = _trail.stacks(trail)
    assert (timer.when, timer.at, timer.calls) == ("timer", 1901, tuple(calls))
    assert (switch.when, switch.at, switch.calls) == ("switch", 1949, ("other",))
    # Nothing of the kernel's keeps an interrupt from user space.
    outside = _trail.AWAY if not calls else f"{NOTHING}: the timer's interrupt came late, in {ended}"
    assert _trail.blame(trail, USUAL).function == outside
    waking = [*_switches(900, LOW), *_woken(LOW), *_switches(2950, OWN)]
    trail = _one(*_stack("at-switch", 2949, *calls), *waking)
    assert _trail.blame(trail, USUAL).function == f"{NOTHING}: slow from the waking to the switch, in {ended}"
    assert _trail.blame(
        _one(*_stack("at-switch", 2949, *calls), *_switches(900, HOG), *_woken(HOG), *_switches(2950, OWN)), USUAL
    ).function == ("task hog, priority 99"), "an event explains it"


def test_a_late_sample_is_blamed_on_what_held_up_the_timer_of_the_one_before() -> None:
    """By the next due time nobody had woken the thread: the task below it that ran was not preferred to it."""
    first = [*_stack("at-timer", 7901, "hold"), *_switches(900, IDLE, LOW), *_woken(LOW, 7900), *_switches(8000, OWN)]
    trails = _trail.trails(
        _result(*first, _end(1000, 8010), *(_end(1000 * n, 8030 + n, "late", n - 1) for n in range(2, 8)))
    )
    assert {_trail.blame(trail, USUAL).function for trail in trails} == {
        f"{NOTHING}: the timer's interrupt came late, in hold"
    }


def test_what_was_not_kept_is_told_and_blamed_on_nobody() -> None:
    steps = [_step("timer", 2000 + n, HOG) for n in range(_cpu.LONGEST)]
    assert _trail.blame(_one(*steps, user=2600), USUAL).function == _cpu.UNKNOWN
    assert _trail.blame(_one(became="split dropped"), USUAL).function == _cpu.UNKNOWN
    ticks = [_step(("timer-end", "timer")[n % 2], 1001 + n, LOW) for n in range(_cpu.LONGEST)]
    begun = _one(_step("left asleep", 900, OWN), *ticks, user=2600)
    assert _trail.blame(begun, USUAL).function == _cpu.UNKNOWN, "why the task below has the CPU is lost"
    for some in ((), (*_switches(900, HOG), *_woken(HOG))):
        lost = _one(*some, became="split dropped")
        (call,) = _trail.calls(lost)
        assert (call.at, call.ticks, call.function) == (0, lost.ticks, _cpu.UNKNOWN), (
            "nobody is said to have had the CPU"
        )
        assert _trail.stages(lost) == {}
    half = [*_switches(900, HOG), *_woken(HOG), *_switches(1600, OWN), *_switches(1700, LOW)]
    made = _trail.blame(_one(*half, _step("softirq 3", 2300, LOW)), USUAL)
    assert made.function == ""
    assert {part.function for part in made.parts} >= {"task hog, priority 99", "softirq NET_RX"}


def test_a_sample_like_all_others_has_no_cause() -> None:
    made = _trail.blame(_one(*_switches(900, HOG), *_woken(HOG), *_switches(1050, OWN), user=1099), USUAL)
    assert (made.function, made.of) == ("", 0)


TASKS = st.sampled_from([OWN, HOG, LOW, IDLE, ("x", 4, 90), ("deadline", 5, 100)])
KINDS = st.sampled_from(
    ["switch", "timer", "timer-end", "softirq 3", "softirq-end 3", "softirq 77", "interrupt 4 a", "interrupt-end 4 a", "waking", "odd"]
)  # fmt: skip


@given(
    st.lists(st.tuples(KINDS, st.integers(0, 4000), TASKS), max_size=40),
    st.integers(0, 4000),
    st.integers(0, 4000),
    st.sampled_from(["split", "late", "awake", "unmatched", "disordered", "late dropped"]),
)
def test_each_tick_has_one_cause_whatever_the_steps(
    drawn: list[tuple[str, int, tuple[str, int, int]]], due: int, ticks: int, became: str
) -> None:
    steps = [
        _step(f"switch {task[0]}" if kind == "switch" else kind, at, task)
        for kind, at, task in sorted(drawn, key=lambda one: one[1])
    ]
    trail = _one(*steps, due=due, user=due + ticks, became=became)
    spans = list(_cpu.spans(trail))
    assert sum(span.ticks for span in spans) == ticks
    assert all(span.ticks > 0 and span.cause and span.names for span in spans)
    assert sum(call.ticks for call in _trail.calls(trail) if call.depth == 0) == ticks
    stages = _trail.stages(trail)
    assert not stages or sum(stages.values()) == ticks
    made = _trail.blame(trail, USUAL)
    assert made.ticks <= made.of == max(0, round(ticks - USUAL)) or made.function == ""
    low = {span.cause for span in spans if span.names[0] == "task low, priority 10"}
    assert "task low, priority 10" not in low


def test_the_html_page_has_a_lane_a_kind_and_a_task_that_lies_in_its_name_is_text(tmp_path: Path) -> None:
    hog = ("</svg><script>x", 7, 99)
    steps = [*_switches(900, hog), *_woken(hog), _step("softirq 3", 1500, hog), _step("interrupt 24 eth0", 1600, hog)]
    steps += [_step("interrupt-end 24 eth0", 1700, hog), _step("softirq-end 3", 1800, hog), *_switches(2900, OWN)]
    whole = _result(*steps, _end(1000, 3000))
    whole = msgspec.structs.replace(whole, count=1, sum=2000, sumsq=2000**2, min=2000, max=2000)
    run = make_run(results=(whole,))
    made = _trail.explain(run, sample="worst", quantity=whole.quantity, load="", repetition=None)
    archive, file = str(tmp_path / "archive.sqlite"), tmp_path / "page.html"
    open_archive(archive).save(run)
    with pytest.raises(SystemExit) as ended:
        main(["explain", run.id, "--archive", archive, "--format", "html", "-o", str(file)])
    assert ended.value.code == 0
    page = Page(file.read_text(encoding="utf-8"))
    lanes: dict[int, list[str]] = {}
    for bar in page.bars:
        lanes.setdefault(bar.top, []).append(bar.title.partition(": ")[0])
    name = f"task {hog[0]}, priority 99"
    assert list(lanes.values()) == [
        [*_trail.STAGES],
        [name, "task rtstone-engine, priority 90"],
        ["interrupt 24 eth0"],
        ["softirq NET_RX"],
        ["a timer of the kernel"],
    ]
    assert {bar.chart for bar in page.bars} == {"timeline"}
    for top in list(lanes)[:2]:  # the stages, and the tasks, fill the sample
        assert sum(bar.width for bar in page.bars if bar.top == top) == pytest.approx(100, abs=0.001)
    assert (page.elements["script"], name in page.text) == (2, True)
    assert all(line in page.text for line in [*text.why(made), *text.proof(made)])


def _late(load: str, ticks: int) -> Result:
    """A result whose only sample is late because of `hog`."""
    steps = [*_switches(900, HOG), *_woken(HOG), *_switches(1000 + ticks - 50, OWN)]
    whole = _result(*steps, _end(1000, 1000 + ticks))
    return msgspec.structs.replace(
        whole, variant=Variant(load=load, trace_over_ns=1), count=1, sum=ticks, sumsq=ticks**2, min=ticks, max=ticks
    )


def test_the_load_and_the_repetition_are_named_with_the_options_that_choose_others() -> None:
    sessions = tuple(
        make_session((_late("none", 2000), msgspec.structs.replace(_late("busy", 3000), item=1)), repetition=number)
        for number in (0, 1)
    )
    run = make_run(sessions=sessions)
    page = list(text.lines(explain(run, [])))
    assert "This is load busy. Choose another with --load: none." in page
    assert "This is repetition 0. Choose another with --repetition: 0 to 1." in page
    chosen = explain(run, [], load="none", repetition=1)
    assert (chosen.load, chosen.repetition) == ("none", 1)
    assert "This is load none. Choose another with --load: busy." in text.lines(chosen)
    alone = list(text.lines(explain(make_run(results=(_late("none", 2000),)), [])))
    assert not any("Choose another" in line for line in alone)


def test_the_explanation_of_a_run_that_failed_says_so() -> None:
    whole = make_run(results=(_late("none", 2000),))
    assert not any("failed" in line for line in text.lines(explain(whole, [])))
    broken = msgspec.structs.replace(whole, status="incomplete", error="local: silent for 33 s and ended")
    assert next(iter(text.proof(explain(broken, [])))) == "The run failed: local: silent for 33 s and ended."


@pytest.mark.parametrize("depth", [1, 5, 6, 7])
def test_the_whole_recorded_stack_is_shown(depth: int) -> None:
    names = [f"caller_{n}" for n in range(depth)]
    found = list(text.why(explain(make_run(results=(_with_stack(*names),)), [])))
    (line,) = (line for line in found if line.startswith("When it got the CPU"))
    assert line.endswith(f"the kernel was in {' < '.join(names)}.")


def test_a_stack_that_fills_its_place_in_the_record_may_lack_calls() -> None:
    header = (ROOT / "linux/bpf/symbols.h").read_text(encoding="utf-8")
    assert f"RTS_SYMBOLS_CALLS = {RECORDED_CALLS}," in header
    names = [f"caller_{n}" for n in range(RECORDED_CALLS)]
    found = list(text.why(explain(make_run(results=(_with_stack(*names),)), [])))
    assert any(f"{names[-1]}. The record has only these 8 calls of the stack." in line for line in found)


def _with_stack(*names: str) -> Result:
    steps = [*_switches(900, LOW), *_woken(LOW), *_switches(2950, OWN)]
    whole = _result(*_stack("at-switch", 2949, *names), *steps, _end(1000, 3000))
    return msgspec.structs.replace(whole, count=1, sum=2000, sumsq=2000**2, min=2000, max=2000)


def test_what_a_page_leaves_out_is_marked() -> None:
    """A task's name may be longer than a line, and more tasks may have run than a line names."""
    long = ("a" * 120, 8, 10)
    others = [(f"low-{n}", 20 + n, 10) for n in range(4)]
    steps = [*_switches(900, long), *_woken(long), *_switches(1500, *others), *_switches(2950, OWN)]
    whole = _result(*steps, _end(1000, 3000))
    made = explain(make_run(results=(msgspec.structs.replace(whole, count=1, sum=2000, min=2000, max=2000),)), [])
    cut = [line for line in text.lines(made) if "a" * 70 in line and line.startswith(" ")]
    assert [(len(line), line[-1]) for line in cut] == [(100, "…")]
    assert any(f"task {long[0]}, priority 10" in line for line in text.lines(made, whole=True))
    waited = msgspec.structs.replace(
        made,
        sample=msgspec.structs.replace(
            made.sample, blame=Blame(function=NOTHING, path=(), ticks=1900, of=1900, parts=())
        ),
    )
    (ran,) = (line for line in text.why(waited) if line.startswith("During the sample"))
    assert ran.endswith(" and 3 more.")


def _samples(*became: str) -> Result:
    """Late samples of 2 µs and longer, each longer than the one before it, that `hog` delays where the trail shows it."""
    events: list[Event] = []
    for number, word in enumerate(became):
        due, ticks = 1000 + 20_000 * number, 2000 + number
        woken = [*_switches(due - 100, HOG), *_woken(HOG, due + 10)]
        steps = [*(_switches(due - 100, LOW) if word == "unmatched" else woken), *_switches(due + ticks - 50, OWN)]
        events += [*([] if "dropped" in word else steps), _end(due, due + ticks, word, number)]
    longest = 2000 + len(became) - 1
    return msgspec.structs.replace(_result(*events), count=len(became), min=2000, max=longest)


@pytest.mark.parametrize(
    ("became", "first", "next_"),
    [
        (("split", "split", "unmatched"), "The trail lacks the waking.", "Next: --sample 1 explains the slowest sample"),
        (("split", "split dropped", "split dropped"), "There was no room for the trail, or it was too long.", "Next: --sample 0 "),
        (("unmatched", "unmatched"), "The trail lacks the waking.", "No slow sample here has the steps"),
        (("split dropped",), "There was no room for the trail", "No slow sample here has the steps"),
    ],
)  # fmt: skip
def test_a_sample_without_a_trail_has_a_next_step(became: Sequence[str], first: str, next_: str) -> None:
    run = make_run(results=(_samples(*became),))
    made = explain(run, [])
    (cause, why, step, *_) = text.why(made)
    assert cause in {f"Why: {one}." for one in _cpu.LACKING}
    assert (why.startswith(first), step.startswith(next_)) == (True, True)
    assert "easure again, " in step
    assert not any("accounts for" in line for line in text.why(made)), "nothing is known that could"
    if made.kept is not None and made.kept.instead is not None:
        other = explain(run, [], sample=str(made.kept.instead))
        assert other.sample.blame.function == "task hog, priority 99"
        assert (other.kept is not None, other.kept and other.kept.instead) == (True, None)


def test_a_limit_above_all_samples_is_refused_with_the_slowest_of_them() -> None:
    quiet = msgspec.structs.replace(_result(), variant=Variant(trace_over_ns=10**8), count=1, min=204_500, max=204_500)
    with pytest.raises(
        UsageError, match="so no trail was kept; the slowest took 204 µs: measure with a smaller --trace"
    ):
        explain(make_run(results=(quiet,)), [])
