# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""A trace is cut into the samples of the record, to the tick, or refused. The cause of a late sample is named."""

from __future__ import annotations

import bisect
import json
from collections.abc import Sequence

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rtstone.errors import IncompleteError, UsageError
from rtstone.explain import _explain, text
from rtstone.explain._samples import FIRMWARE, SERVICE, SWITCH, TASK, Sample, StackStep, find
from rtstone.explain._trace import Trace, _firmware_functions, require
from rtstone.explain.document import Explanation, Stream
from rtstone.explain.explained_page import explained_page
from rtstone.model import Extreme, Result, Variant
from rtstone.targets import boards
from rtstone.targets.boards import firmware
from support.explained import Page
from support.trace_events import slices

COUNTER = 0xFFFFFFFD
NAMES = (
    *(
        "board_vectors",
        "board_timer_interrupt",
        "isr",
        "rts_port_semaphore_give_isr",
        "vTaskSwitchContext",
        "work_single",
    ),
    *("rts_port_timer_start", "idle", "flush_pages", "worker", "FreeRTOS_IRQ_Handler"),
)
PERIOD = 10_000


def _steps(due: int, late: int) -> list[tuple[int, str, bool]]:
    """One interrupt (steps: instruction, function or "read", whether it begins there): held off `late` ticks by the worker's flush."""
    vector = due + 5 + late
    before = [(due - 40, "worker", False), (due - 30, "flush_pages", True)] if late else [(due - 40, "idle", False)]
    return [
        *before,
        (vector, "board_vectors", False),
        (vector + 4, "FreeRTOS_IRQ_Handler", True),
        (vector + 10, "board_timer_interrupt", True),
        (vector + 20, "read", False),
        (vector + 21, "read", False),  # it needs the clock for more than the sample
        (vector + 22, "isr", True),
        (vector + 30, "read", False),
        (vector + 31, "rts_port_semaphore_give_isr", True),
        (vector + 60, "isr", False),
        (vector + 65, "board_timer_interrupt", False),
        (vector + 70, "FreeRTOS_IRQ_Handler", False),
        (vector + 75, "vTaskSwitchContext", True),
        (vector + 100, "FreeRTOS_IRQ_Handler", False),
        (vector + 120, "work_single", False),
        (vector + 130, "read", False),
        (vector + 140, "work_single", False),
    ]


def _trace(steps: Sequence[tuple[int, str, bool]]) -> Trace:
    numbers = {name: number for number, name in enumerate(NAMES)} | {"read": COUNTER}
    return Trace(
        names=NAMES,
        when=np.array([at for at, _, _ in steps], dtype=np.int64),
        what=np.array([numbers[name] for _, name, _ in steps], dtype=np.int64),
        begins=np.array([begins for _, _, begins in steps], dtype=np.bool_),
        stream=b"",
    )


def _result(quantity: str, values: Sequence[int], *, raw: bool = False) -> Result:
    largest = sorted(enumerate(values), key=lambda one: -one[1])[:2]
    return Result(
        item=0,
        measurement="interrupt-response",
        quantity=quantity,
        variant=Variant(load="none"),
        status="ok",
        count=len(values),
        sum=sum(values),
        sumsq=sum(value * value for value in values),
        max=max(values),
        extremes=tuple(Extreme(value, index, 0) for index, value in largest),
        samples=np.array(values, dtype="<i8").tobytes() if raw else None,
    )


LATE = [0, 0, 0, 0, 400, 0, 0, 0, 0, 0]


def test_a_row_of_equal_delays_is_placed_by_what_came_before() -> None:
    steps: list[tuple[int, str, bool]] = [(10, "rts_port_timer_start", True)]
    for number in range(5):
        steps += _steps(PERIOD * (number + 1), 0)
    results = {name: _result(name, [value] * 3) for name, value in {SERVICE: 25, TASK: 135, SWITCH: 100}.items()}
    found = find(_trace(steps), linux=False, results=results, before=(2,))
    assert found.due == {0: 3 * PERIOD, 1: 4 * PERIOD}
    with pytest.raises(IncompleteError, match="not in the trace"):
        find(_trace(steps), linux=False, results=results, before=(7,))


def test_the_late_sample_is_explained_by_what_ran_before_its_vector() -> None:
    steps: list[tuple[int, str, bool]] = [(10, "rts_port_timer_start", True)]
    for number, late in enumerate(LATE):
        steps += _steps(PERIOD * (number + 1), late)
    trace = _trace(steps)
    results = {
        quantity: _result(quantity, [base + (late if quantity != SWITCH else 0) for late in LATE], raw=True)
        for quantity, base in {SERVICE: 25, TASK: 135, SWITCH: 100}.items()
    }
    found = find(trace, linux=False, results=results)
    sample = found.sample(4)
    assert dict(sample.stages) == {
        "held off": 405,
        "entry": 20,
        "handler": 10,
        "wake": 45,
        "switch and return": 55,
    }
    assert sample.total == 535
    usual = _explain._Usual([found.sample(index) for index in (0, 1, 2)], FIRMWARE)
    blame = usual.blame(sample)
    assert (blame.function, blame.path, blame.ticks, blame.of) == ("flush_pages", ("worker",), 405, 400)
    assert usual.blame(found.sample(7)).function == ""
    (slow, rest) = _explain._causes([found.sample(4), found.sample(7)], usual)
    assert (slow.function, slow.samples, slow.worst) == ("flush_pages", 1, 535)
    assert (rest.function, rest.samples) == ("", 1)


@pytest.mark.parametrize("quantity", [TASK, SWITCH, SERVICE])
def test_a_tick_too_many_is_refused(quantity: str) -> None:
    steps = [(10, "rts_port_timer_start", True), *_steps(PERIOD, 0), *_steps(2 * PERIOD, 40)]
    told = {SERVICE: [25, 65], TASK: [135, 175], SWITCH: [100, 100]}
    whole = {name: _result(name, values) for name, values in told.items()}
    assert find(_trace(steps), linux=False, results=whole).due == {0: PERIOD, 1: 2 * PERIOD}
    wrong = whole | {quantity: _result(quantity, [told[quantity][0], told[quantity][1] + 1])}
    with pytest.raises(IncompleteError, match="do not agree"):
        find(_trace(steps), linux=False, results=wrong)


def test_where_an_instruction_is_no_whole_number_of_ticks_a_tick_is_let_pass_and_no_more() -> None:
    steps = [(10, "rts_port_timer_start", True), *_steps(PERIOD, 0), *_steps(2 * PERIOD, 40)]
    trace = msgspec.structs.replace(_trace(steps), slack=1)
    told = {SERVICE: [25, 65], TASK: [135, 175], SWITCH: [100, 100]}
    for quantity, by, agrees in [(SWITCH, 1, True), (SERVICE, -1, True), (SWITCH, 2, False), (SERVICE, -2, False)]:
        values = [told[quantity][0], told[quantity][1] + by]
        results = {name: _result(name, values if name == quantity else told[name]) for name in told}
        if agrees:
            assert find(trace, linux=False, results=results).sample(1).total == 175
            continue
        with pytest.raises(IncompleteError, match="do not agree"):
            find(trace, linux=False, results=results)


def test_a_handler_that_follows_another_one_is_not_called_by_it_and_one_that_breaks_in_is() -> None:
    """A Cortex-M goes from one handler to the next without returning to the code that both interrupted."""
    names = ("timer_entry", "SysTick_Handler", "board_line_interrupt", "PendSV_Handler", *NAMES)
    steps = [
        *[(10, "rts_port_timer_start", True), (100, "idle", False), (110, "SysTick_Handler", True)],
        *[(120, "timer_entry", True), (121, "read", False), (130, "isr", True), (131, "read", False)],
        *[(140, "board_line_interrupt", True), (150, "flush_pages", True), (160, "SysTick_Handler", False)],
        *[(170, "PendSV_Handler", True), (180, "vTaskSwitchContext", True), (190, "PendSV_Handler", False)],
        *[(200, "work_single", False), (210, "read", False)],
    ]
    numbers = {name: number for number, name in enumerate(names)} | {"read": COUNTER}
    trace = msgspec.structs.replace(
        _trace([]),
        names=names,
        when=np.array([at for at, _, _ in steps], dtype=np.int64),
        what=np.array([numbers[name] for _, name, _ in steps], dtype=np.int64),
        begins=np.array([begins for _, _, begins in steps], dtype=np.bool_),
    )
    results = {name: _result(name, [value]) for name, value in {SERVICE: 16, TASK: 105, SWITCH: 79}.items()}
    sample = find(trace, linux=False, results=results).sample(0)
    assert dict(sample.stages) == {
        "held off": 15,
        "entry": 1,
        "handler": 10,
        "wake": 49,
        "switch and return": 30,
    }
    stacks = [step.stack for step in sample.steps]
    assert ("idle", "SysTick_Handler", "timer_entry", "isr") in stacks
    assert ("idle", "SysTick_Handler", "board_line_interrupt", "flush_pages") in stacks
    assert ("idle", "PendSV_Handler", "vTaskSwitchContext") in stacks
    assert stacks[-1] == ("work_single",)


def test_an_interrupt_that_nobody_read_is_no_sample() -> None:
    unread = [step for step in _steps(PERIOD, 0) if step[1] != "work_single"][:-1]
    steps = [*unread, (2 * PERIOD - 90, "rts_port_timer_start", True), *_steps(2 * PERIOD, 0)]
    results = {name: _result(name, [value]) for name, value in {SERVICE: 25, TASK: 135, SWITCH: 100}.items()}
    assert find(_trace(steps), linux=False, results=results).due == {0: 2 * PERIOD}


def _on_a_pc(due: int, *, again: bool) -> list[tuple[int, str, bool]]:
    """One interrupt of a Linux that reads its clock by other functions. `again`: it moves it on while the task reads it."""
    at = due + 5
    first = [(at + 132, "read", False), (at + 133, "asm_sysvec_apic_timer_interrupt", True), (at + 137, "", False)]
    return [
        *[(due - 30, "", False), (at, "asm_sysvec_apic_timer_interrupt", True), (at + 3, "idle", True)],
        *[(at + 4, "asm_sysvec_apic_timer_interrupt", False), (at + 10, "handle[rtstone_probe]", True)],
        *[(at + 15, "idle", True), (at + 20, "read", False), (at + 21, "handle[rtstone_probe]", False)],
        *[(at + 25, "idle", True), (at + 30, "read", False), (at + 31, "handle[rtstone_probe]", False)],
        *[(at + 40, "__switch_to_asm", True), (at + 60, "probe_read[rtstone_probe]", False), (at + 131, "", False)],
        *(first if again else []),
        *[(at + 140, "read", False), (at + 141, "idle", False), (at + 142, "read", False), (at + 143, "idle", True)],
        *[(at + 144, "", False), (at + 150, "entry_SYSCALL_64", True), (at + 152, "read", False)],
        *[(at + 155, "probe_read[rtstone_probe]", True), (at + 160, "", False)],
    ]


@pytest.mark.parametrize("ppm", [0, 7])
def test_linux_may_read_its_clock_by_other_functions_twice_and_by_a_scale_of_its_own(ppm: int) -> None:
    names = (
        *("start_here[rtstone_probe]", "asm_sysvec_apic_timer_interrupt", "handle[rtstone_probe]", "__switch_to_asm"),
        *("probe_read[rtstone_probe]", "entry_SYSCALL_64", "idle"),
    )
    numbers = {name: number for number, name in enumerate(names)} | {"read": COUNTER, "": 0xFFFFFFFE}
    steps = [(10, "start_here[rtstone_probe]", True)]
    for number in range(4):
        steps += _on_a_pc(PERIOD * (number + 1), again=number == 2)
    trace = Trace(
        names=names,
        when=np.array([at * 1000 for at, _, _ in steps], dtype=np.int64),
        what=np.array([numbers[name] for _, name, _ in steps], dtype=np.int64),
        begins=np.array([begins for _, _, begins in steps], dtype=np.bool_),
        stream=b"",
        scale_ppm=10,
    )
    told = {SERVICE: 25_000, TASK: 145_000, SWITCH: 110_000}
    results = {name: _result(name, [round(value * (1 + ppm / 1e6))] * 4) for name, value in told.items()}
    found = find(trace, linux=True, results=results)
    assert (len(found.due), found.trace.slack) == (2, 1 if ppm else 0)
    assert abs(dict(found.sample(0).stages)["held off"] - 5000) <= found.trace.slack
    with pytest.raises(IncompleteError, match="are not in the trace"):
        find(
            msgspec.structs.replace(trace, scale_ppm=0),
            linux=True,
            results=results | {SWITCH: _result(SWITCH, [110_002] * 4)},
        )


def test_who_had_interrupts_or_preemption_off_is_told_but_for_idle() -> None:
    names = (
        *("start_here[rtstone_probe]", "asm_sysvec_apic_timer_interrupt", "handle[rtstone_probe]", "__switch_to_asm"),
        *("probe_read[rtstone_probe]", "worker", "_raw_spin_lock_irq", "schedule_idle", "do_idle", "schedule"),
    )
    due, at = PERIOD, PERIOD + 60
    steps = [
        *[(10, "start_here[rtstone_probe]", True), (due - 900, "schedule", True), (due - 880, "__switch_to_asm", True)],
        *[(due - 860, "do_idle", False), (due - 700, "schedule_idle", True), (due - 690, "__switch_to_asm", True)],
        *[(due - 650, "worker", True), (due - 40, "_raw_spin_lock_irq", True), (due - 30, "worker", False)],
        *[
            (at, "asm_sysvec_apic_timer_interrupt", True),
            (at + 10, "handle[rtstone_probe]", True),
            (at + 20, "read", False),
        ],
        *[(at + 30, "read", False), (at + 40, "worker", False), (at + 60, "__switch_to_asm", True)],
        *[(at + 70, "probe_read[rtstone_probe]", False), (at + 80, "", False), (at + 90, "read", False)],
    ]
    numbers = {name: number for number, name in enumerate(names)} | {"read": COUNTER, "": 0xFFFFFFFE}
    when = [at for at, _, _ in steps]
    off, on, held, free = range(0xFFFFFFFC, 0xFFFFFFF8, -1)
    changes = [
        *[(0, off), (10, off), (10, free), (50, on), (due - 890, held), (due - 35, off), (at - 1, on), (at, off)],
        *[(at + 35, on), (at + 75, free)],
    ]
    trace = Trace(
        names=names,
        when=np.array(when, dtype=np.int64),
        what=np.array([numbers[name] for _, name, _ in steps], dtype=np.int64),
        begins=np.array([begins for _, _, begins in steps], dtype=np.bool_),
        stream=b"",
        changes=np.array([(at, max(0, bisect.bisect_right(when, at) - 1), what) for at, what in changes]),
    )
    results = {name: _result(name, [value]) for name, value in {SERVICE: 80, TASK: 150, SWITCH: 60}.items()}
    found = find(trace, linux=True, results=results)
    told = _explain._off(found, found.sample(0), 0.0)
    assert told is not None
    assert [(one.what, one.at, one.total, one.ticks) for one in told] == [
        ("preemption", -700, 835, 135),  # since idle schedules: before, it waited
        ("interrupts", -35, 94, 59),
        ("interrupts", 60, 35, 35),
    ]
    assert [(one.begins.function, one.begins.caller) for one in told] == [
        ("schedule_idle", ""),
        ("_raw_spin_lock_irq", "worker"),
        ("asm_sysvec_apic_timer_interrupt", ""),
    ]
    assert _explain._off(found, found.sample(0), 0.3)[1:] == told[1:2]  # type: ignore[index]
    assert _explain._off(msgspec.structs.replace(found, trace=_trace([])), found.sample(0), 0.0) is None
    usual = _explain._Usual([found.sample(0)], found.kernel)
    sample = msgspec.structs.replace(_explain._explained(found.sample(0), usual, 0.0), off=told)
    made = msgspec.structs.replace(_made(), sample=sample)
    assert any(line.endswith("1.50  interrupts, _raw_spin_lock_irq in worker to worker") for line in text.lines(made))
    assert [call.at for call in text.lanes(made)["interrupts off"]] == [-35, 60]
    events = text.perfetto(made)["traceEvents"]
    assert isinstance(events, list)
    assert [one["args"]["ticks"] for one in events if one["ph"] == "B" and one["tid"] in (3, 4)] == [135, 59, 35]


@pytest.mark.parametrize(
    ("target", "deterministic", "why"),
    [
        ("local", False, "only a run of a virtual board"),
        ("board:pc-hub/linux-6.1-rt+linux-6.1", False, "only a run of a virtual board"),
        ("board:pc-split/linux-6.1-rt", True, "does not state how its clock is read"),
    ],
)
def test_what_cannot_be_run_again_is_refused(target: str, deterministic: bool, why: str) -> None:
    with pytest.raises(UsageError, match=why):
        require(target, deterministic)


def test_a_percentile_is_the_nearest_rank_and_needs_a_sample_that_is_told() -> None:
    told = _result(TASK, list(range(100, 200)))
    assert _explain._index(told, "worst") == 99
    assert _explain._index(told, "p99") == 98
    assert _explain._index(told, "7") == 7
    with pytest.raises(
        UsageError, match=r"is number 51 from the largest on, and the record has only the \d+ largest; run with --raw"
    ):
        _explain._index(told, "p50")
    with pytest.raises(UsageError, match="samples 0 to 99"):
        _explain._index(told, "100")
    assert _explain._index(_result(TASK, list(range(100, 200)), raw=True), "p50") == 49


def _made(names: Sequence[str] = NAMES) -> Explanation:
    """Of two samples the late one, with all its calls; functions by these names."""
    trace = _trace([(10, "rts_port_timer_start", True), *_steps(PERIOD, 0), *_steps(2 * PERIOD, 400)])
    results = {n: _result(n, v) for n, v in {SERVICE: [25, 425], TASK: [135, 535], SWITCH: [100, 100]}.items()}
    found = find(trace, linux=False, results=results)
    found = msgspec.structs.replace(found, trace=msgspec.structs.replace(trace, names=tuple(names)))
    usual = _explain._Usual([found.sample(0)], FIRMWARE)
    return Explanation(
        run="r",
        target="board:arm64/freertos",
        kernel="k",
        repetition=0,
        load="none",
        hz=62_500_000,
        stream=Stream(1, ""),
        samples=2,
        known=2,
        usual=usual.total,
        sample=_explain._explained(found.sample(1), usual, 0.0),
        slow=1,
        causes=_explain._causes([found.sample(1)], usual),
    )


def _require_drawn(made: Explanation) -> None:
    """A viewer draws each stage and call once, nested as they were, to the nanosecond that it cuts off."""
    drawn = slices(json.dumps(text.perfetto(made)))
    calls = made.sample.calls
    assert [one.name for one in drawn] == [*(stage.name for stage in made.sample.stages), *(c.function for c in calls)]
    first = calls[0].depth if calls else 0
    for one, call in zip(drawn[len(made.sample.stages) :], calls, strict=True):
        begin, end = (1e9 * ticks / made.hz for ticks in (max(0, call.at), max(0, call.at) + call.ticks))
        assert abs(one.begin - begin) <= 1
        assert abs(one.end - end) <= 1
        assert one.depth == call.depth - first


_STACKS = st.lists(
    st.lists(st.sampled_from(("task", "vector", "handler", "spin")), max_size=6), min_size=1, max_size=40
)


@given(_STACKS, st.data())
def test_any_nesting_of_interrupts_and_calls_is_drawn_as_it_was(stacks: list[list[str]], data: st.DataObject) -> None:
    """Lengths of some ticks of 16 ns: rounding in a viewer may not let a call end after its caller."""
    lengths = data.draw(st.lists(st.integers(1, 3000), min_size=len(stacks), max_size=len(stacks)))
    before = data.draw(st.integers(0, sum(lengths) - 1))
    steps, at = [], -before
    for stack, length in zip(stacks, lengths, strict=True):
        steps.append(StackStep(at, tuple(stack)))
        at += length
    sample = Sample(0, at, (("held off", at // 3), ("nothing", 0), ("the rest", at - at // 3)), tuple(steps))
    _require_drawn(msgspec.structs.replace(_made(), sample=_explain.alone(sample, sample, whole=True)))


def test_a_page_holds_its_lines_and_a_viewer_gets_every_call() -> None:
    made = _made()
    page = list(text.lines(made))
    assert max(map(len, page)) <= 100
    assert any(
        line.startswith("Why: flush_pages took 6.48 µs more than usual. The whole sample took 6.40 µs more.")
        for line in page
    )
    _require_drawn(made)
    assert msgspec.json.decode(msgspec.json.encode(made), type=Explanation) == made


def test_the_html_page_draws_each_stage_and_call_once_and_names_are_text() -> None:
    hostile = "</title><script>alert(1)</script>"
    made = _made([hostile if name == "flush_pages" else name for name in NAMES])
    page = Page(explained_page(made, theme="light"))
    sample = made.sample

    def drawn(chart: str) -> list[tuple[str, int]]:
        return [(bar.title, round(bar.width * sample.ticks / 100)) for bar in page.bars if bar.chart == chart]

    def told(name: str, at: int, ticks: int) -> tuple[str, int]:
        hz = made.hz / 1e6
        return f"{name}: {ticks / hz:.2f} µs from {at / hz:.2f} µs on, {ticks} ticks", ticks

    calls = [told(call.function, max(0, call.at), call.ticks) for call in sample.calls]
    starts = [sum(stage.ticks for stage in sample.stages[:number]) for number in range(len(sample.stages))]
    stages = [told(stage.name, at, stage.ticks) for stage, at in zip(sample.stages, starts, strict=True)]
    vector = next(call for call in calls if call[0].startswith("board_vectors"))
    assert drawn("timeline") == [*stages, vector]
    assert sorted(drawn("flames")) == sorted(calls)
    assert sum(ticks for _, ticks in drawn("timeline")[:-1]) == sample.ticks
    assert all(bar.start + bar.width <= 100.0001 for bar in page.bars)
    # A call stands beneath the one that called it, within its width.
    flames = [bar for bar in page.bars if bar.chart == "flames"]
    outermost = min(bar.top for bar in flames)
    within = [
        (one.start >= over.start - 1e-4, one.start + one.width <= over.start + over.width + 1e-4)
        for one in flames
        for over in flames
        if one.top - over.top == 20 and over.start <= one.start < over.start + over.width
    ]
    assert within == [(True, True)] * sum(bar.top > outermost for bar in flames)
    assert page.elements["script"] == Page(explained_page(_made())).elements["script"] == 2
    for line in [*text.why(made), *text.proof(made), hostile]:
        assert line in page.text


def test_a_mark_of_the_board_wins_over_the_kernels_names_of_the_same_address(monkeypatch: pytest.MonkeyPatch) -> None:
    named = [
        (16, "_Context_switch"),
        (16, "board_kernel_switch"),
        (32, "_vector_table"),
        (32, "board_kernel_vectors"),
        (48, "aaa"),
        (48, "board_z"),
    ]
    monkeypatch.setattr(firmware, "functions", lambda *_: named)
    board = boards.load("zynq-a9")
    kernel = msgspec.structs.replace(board.kernel_of("bare"), image="an.elf")
    assert _firmware_functions(board, kernel).names == ("board_kernel_switch", "board_kernel_vectors", "aaa")
    assert {"board_kernel_switch", "board_kernel_vectors"} <= FIRMWARE.switch | FIRMWARE.vectors
