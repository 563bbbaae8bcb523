# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Unlike runs are compared only on request, nothing is dropped, and changes of the environment are reported."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest

from rtstone.judge.compare import compare, differences
from rtstone.model import Degraded, Figure, LoadFigure, Note, Result, Run, Variant
from rtstone.show.judged.comparison import lines
from rtstone.show.judged.words import rest
from support.repeated import BATCH, IDLE, LOADED, on_board, repeated, side
from support.runs import CLOCK, skipped


def _each(run: Run, change: Callable[[int, Result], Result]) -> Run:
    """The run with each result changed, by the number of its repetition."""
    sessions = tuple(
        msgspec.structs.replace(s, results=tuple(change(s.repetition, r) for r in s.results)) for s in run.sessions
    )
    return msgspec.structs.replace(run, sessions=sessions)


def _env(run: Run, **facts: str) -> Run:
    changed = {key.replace("_", "."): value for key, value in facts.items()}
    return msgspec.structs.replace(
        run, sessions=tuple(msgspec.structs.replace(s, env=s.env | changed) for s in run.sessions)
    )


def _built(run: Run, version: str, *, meaning: int) -> Run:
    """As another release of rtstone made it, whose measurements have this definition."""
    sessions = tuple(
        msgspec.structs.replace(
            s, engine=version, results=tuple(msgspec.structs.replace(r, meaning=meaning) for r in s.results)
        )
        for s in run.sessions
    )
    return msgspec.structs.replace(run, tool=version, sessions=sessions)


UNLIKE: list[tuple[Callable[[Run], Run], str]] = [
    (lambda run: _env(run, cpu_model="Another"), "CPU: Example CPU at 2.5 GHz | Another"),
    (
        lambda run: msgspec.structs.replace(run, degraded=(Degraded("sched", "SCHED_FIFO is not permitted"),)),
        "degraded: no | sched",
    ),
    (lambda run: on_board(run, "k"), "unit of time: time | instruction-time"),
    (lambda run: _env(run, machine_id="11aa22bb33cc", machine_name="bench"), "machine: not told | bench (11aa22bb)"),
]


@pytest.mark.parametrize(("change", "says"), UNLIKE)
def test_unlike_runs_are_not_compared_and_what_differs_is_said(change: Callable[[Run], Run], says: str) -> None:
    runs = [repeated("a"), change(repeated("b", typical=20_000))]
    made = compare(runs)
    assert says in [one.what for one in made.unlike]
    assert {j.verdict for row in made.rows for f in row.figures for j in f.against} == {"not comparable"}
    assert all(says in j.reason for row in made.rows for f in row.figures for j in f.against)
    assert made.figures_judged == 0
    forced = compare(runs, unlike=True)
    assert forced.forced
    median = forced.rows[0].figures[0].against[0]
    assert median.verdict == "longer within these runs"
    assert says in median.reasons
    older = msgspec.json.decode(b'{"side": 1, "verdict": "not comparable", "reason": "a; b"}', type=type(median))
    assert (older.reason, older.reasons) == ("a; b", ())


def test_another_release_of_the_tool_is_no_other_measurement_and_another_definition_is() -> None:
    """Runs from before definition versions are compared with runs of the same engine, as before."""

    def judged(first: Run, second: Run) -> tuple[str, str]:
        found = compare([first, second]).rows[0].figures[0].against[0]
        return found.verdict, found.reason

    newer = repeated("b", typical=20_000)
    same = judged(_built(repeated("a"), "1.0", meaning=1), _built(newer, "2.0", meaning=1))
    assert same == ("longer within these runs", "")
    assert judged(_built(repeated("a"), "1.0", meaning=1), _built(newer, "1.0", meaning=2)) == (
        "not comparable",
        "definition of the measurement: 1 | 2",
    )
    assert judged(_built(repeated("a"), "1.0", meaning=0), _built(newer, "1.0", meaning=1)) == (
        "not comparable",
        "definition of the measurement: not told, by engine 1.0 | 1",
    )
    assert judged(_built(repeated("a"), "1.0", meaning=0), _built(newer, "2.0", meaning=0))[0] == "not comparable"
    assert judged(repeated("a"), newer)[0] == "longer within these runs"


def test_a_definition_concerns_its_measurement_alone() -> None:
    def mixed(run: Run, meaning: int) -> Run:
        sessions = tuple(
            msgspec.structs.replace(
                s,
                results=tuple(
                    msgspec.structs.replace(r, meaning=1 if r.variant.load == "none" else meaning) for r in s.results
                ),
            )
            for s in run.sessions
        )
        return msgspec.structs.replace(run, sessions=sessions)

    made = compare([mixed(repeated(name, variants=(IDLE, LOADED)), i) for i, name in enumerate("ab", 1)])
    assert [row.figures[0].against[0].verdict != "not comparable" for row in made.rows] == [True, False]


def test_what_is_unlike_on_one_side_leaves_the_others_judged() -> None:
    sides = [repeated("a"), repeated("b", seed=2), _env(repeated("c"), cpu_model="Another")]
    found = compare(sides).rows[0].figures[0].against
    assert [one.verdict for one in found] == ["no difference within these runs", "not comparable"]
    for broken in (0, 1):
        mixed: list[Run | list[Run]] = [*sides[:2], repeated("d", seed=3)]
        mixed[broken] = [sides[broken], sides[2]]
        found = compare(mixed).rows[0].figures[0].against
        assert [one.verdict == "not comparable" for one in found] == [True, broken == 0]


def test_runs_of_unlike_kernels_are_no_one_population() -> None:
    other = _env(repeated("a2"), kernel_release="6.1.0-18-rt-amd64")
    made = compare([[repeated("a1"), other, repeated("a3", seed=3)], repeated("b", seed=4)])
    (found,) = made.unlike
    assert (found.side, found.inside) == (0, True)
    assert "kernel: " in found.what
    text = "\n".join("".join(span.text for span in line) for line in lines(made))
    assert "the runs of A are not comparable with each other: kernel: " in text
    assert {j.verdict for row in made.rows for f in row.figures for j in f.against} == {"not comparable"}
    kernels = compare([repeated("a1"), other])
    assert kernels.unlike == (), "side by side kernels may differ: they are what is compared"


def test_a_clock_rate_divided_by_1_2_in_three_exported_runs_is_a_regression() -> None:
    """The rate of a clock does not decide comparability: a new rate may not hide that all times are a fifth longer."""

    def slower(run: Run) -> Run:
        document = msgspec.json.decode(msgspec.json.encode(run))
        for session in document["sessions"]:
            for clock in session["clocks"]:
                clock["hz"] = round(clock["hz"] / 1.2)
        return msgspec.convert(document, Run)

    first = side("a", 3, between_runs=0.005, between=0.005, variants=(IDLE, BATCH))
    second = [slower(run) for run in side("b", 3, between_runs=0.005, between=0.005, variants=(IDLE, BATCH), seed=2)]
    made = compare([first, second])
    assert made.unlike == ()
    for row in made.rows:
        of = {figure.name: figure.against[0] for figure in row.figures}
        for name in of.keys() & {"median", "mean"}:
            assert of[name].verdict == "regressed"
            assert of[name].change == pytest.approx(1.2, abs=0.03)


def test_kernels_of_one_board_are_like_and_platforms_are_not() -> None:
    first = on_board(repeated("a"), "k-1")
    assert compare([first, on_board(repeated("b"), "k-2")]).unlike == ()
    other = compare([first, on_board(repeated("b"), "k-2", platform="p-2")])
    assert [one.what for one in other.unlike] == ["virtual board's platform (emulator, flags, clock): p-1 | p-2"]


def test_the_same_kernel_in_another_image_is_another_instrument() -> None:
    first = on_board(repeated("a"), "k-1", identity="x")
    assert [one.what for one in compare([first, on_board(repeated("b"), "k-1", identity="y")]).unlike] == [
        "identity of the virtual board: x | y"
    ]
    newer = on_board(repeated("b"), "k-1", identity="y", **{"kernel.version": "2"})
    assert compare([first, newer]).unlike == ()


def test_another_load_or_period_is_another_row_and_they_are_held_beside_each_other() -> None:
    runs = [
        repeated("a", variants=(IDLE, LOADED)),
        repeated("b", variants=(IDLE, Variant(load="traffic", period_ns=250_000))),
    ]
    made = compare(runs)
    assert [row.title for row in made.rows] == [
        "semaphore-ping, idle, no period",
        "semaphore-ping, cpu load, no period",
    ]
    assert made.rows[0].differs == ()
    assert made.rows[1].differs == ("load: cpu | traffic", "period: 0 µs | 250 µs")
    assert {j.verdict for f in made.rows[1].figures for j in f.against} == {"not comparable"}
    assert made.missing == ()


def test_a_substituted_service_is_not_the_service() -> None:
    run = repeated("b")
    note = Note("substituted", "semaphore", "two semaphores")
    sessions = tuple(
        msgspec.structs.replace(s, results=tuple(msgspec.structs.replace(r, notes=(note,)) for r in s.results))
        for s in run.sessions
    )
    made = compare([repeated("a"), msgspec.structs.replace(run, sessions=sessions)])
    assert made.rows[0].differs == ("substituted: nothing | semaphore: two semaphores",)
    assert made.rows[0].figures[0].against[0].verdict == "not comparable"
    assert rest(made) == (
        "4 figures without a verdict (not comparable): substituted: nothing | semaphore: two semaphores.",
        "`--unlike` compares them anyway, and lists what differs.",
    )


def test_single_runs_get_the_way_to_more_that_their_command_has() -> None:
    def attached(name: str) -> Run:
        run = repeated(name, repetitions=1)
        sessions = tuple(
            msgspec.structs.replace(
                s, results=tuple(msgspec.structs.replace(r, measurement="attach") for r in s.results)
            )
            for s in run.sessions
        )
        return msgspec.structs.replace(run, sessions=sessions)

    for make, way in ((attached, "attach again, then compare A1,A2,A3 B1,B2,B3"), (None, "run --repetitions")):
        first, second = (make(name) if make else repeated(name, repetitions=1) for name in ("a", "b"))
        reason = compare([first, second]).rows[0].figures[0].against[0].reason
        assert f"it takes 3 on each side ({way})" in reason


@pytest.mark.parametrize(
    ("first", "second", "alike"),
    [(1_000, 2_000, False), (2_000, 1_000, False), (1_000, 900, True), (1_000, 899, False), (899, 1_000, False)],
)
def test_maxima_of_unlike_counts_are_not_compared_and_percentiles_are(first: int, second: int, alike: bool) -> None:
    made = compare([repeated("a", count=first), repeated("b", count=second)])
    by_name = {f.name: f.against[0] for f in made.rows[0].figures}
    assert (by_name["max"].verdict != "not comparable") == alike
    assert (f"{first} | {second}" in by_name["max"].reason) != alike
    assert by_name["median"].verdict == "no difference within these runs"


@pytest.mark.parametrize(
    ("first", "second", "rates"),
    [
        (1_000, 750, ""),
        (1_000, 749, "1000 a second | 749 a second"),
        (749, 1_000, "749 a second | 1000 a second"),
        (0, 10, "0 a second | 10 a second"),
        (0, 0, ""),
    ],
)
def test_a_load_that_did_much_less_is_remarked(first: int, second: int, rates: str) -> None:
    """The rate is of all repetitions: here only the first of five did anything."""

    def loaded(run: Run, loops: int) -> Run:
        def figures(repetition: int) -> tuple[LoadFigure, ...]:
            return (
                LoadFigure("cpu", "loops_done", loops if repetition == 0 else 0),
                LoadFigure("cpu", "elapsed_ns", 200_000_000),
                LoadFigure("cpu", "seed", loops),
                LoadFigure("cpu", "intensity", loops),
                LoadFigure("traffic", "packets", loops),  # for an unknown time
            )

        return _each(run, lambda repetition, result: msgspec.structs.replace(result, load=figures(repetition)))

    runs = [repeated(name, variants=(LOADED,)) for name in ("a", "b")]
    remarks = compare([loaded(runs[0], first), loaded(runs[1], second)]).rows[0].remarks
    assert remarks == ((f"the load worked at different rates: cpu loops done {rates} (b)",) if rates else ())


def test_what_was_counted_is_told_without_a_verdict() -> None:
    """The mean of a repetition. The system's counts explain samples, and are no figure of the measurement."""

    def counting(run: Run, lost: int) -> Run:
        def counted(repetition: int) -> tuple[Figure, ...]:
            here = lost if repetition == 0 else 0
            return (Figure("lost", "datagrams", here), Figure("bytes", "B", 4096), Figure("system-ticks", "", here))

        return _each(run, lambda repetition, result: msgspec.structs.replace(result, figures=counted(repetition)))

    (remark,) = compare([counting(repeated("a"), 0), counting(repeated("b"), 15)]).rows[0].remarks
    assert remark == "counted in a repetition, without a verdict: lost 0 | 3 datagrams (b)"


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"count": 0}, "no samples"),
        ({"ops": 0}, "no samples"),
        ({"status": "invalid", "reason": "check", "text": "periods-lost is 3"}, "invalid: periods-lost is 3"),
        ({"status": "incomplete", "reason": "cut"}, "incomplete: cut"),
        ({"status": "invalid"}, "invalid"),
    ],
)
@pytest.mark.parametrize("side", [0, 1])
def test_a_row_of_results_that_cannot_be_used_is_missing_with_its_reason(
    changes: dict[str, object], why: str, side: int
) -> None:
    runs = [repeated("a"), repeated("b")]
    runs[side] = _each(runs[side], lambda _, result: msgspec.structs.replace(result, **changes))
    made = compare(runs)
    assert made.rows == ()
    assert [(one.quantity, one.side, one.why) for one in made.missing] == [("semaphore-ping", side, why)]


@pytest.mark.parametrize(("rates", "usable"), [((), False), ((0,), False), ((1,), True)])
def test_a_result_needs_a_clock_with_a_rate(rates: tuple[int, ...], usable: bool) -> None:
    run = repeated("b")
    clocks = tuple(msgspec.structs.replace(CLOCK, hz=hz) for hz in rates)
    sessions = tuple(msgspec.structs.replace(session, clocks=clocks) for session in run.sessions)
    made = compare([repeated("a"), msgspec.structs.replace(run, sessions=sessions)])
    assert [row.quantity for row in made.rows] == ["semaphore-ping"] * usable
    assert [one.why for one in made.missing] == ["its clock is unknown"] * (not usable)


def test_no_row_is_dropped() -> None:
    first = repeated("a", variants=(IDLE, BATCH))
    second = repeated("b", variants=(IDLE,), quantity="queue-fill")
    lacking = skipped("semaphore-ping", item=5, text="no semaphores here")
    sessions = tuple(msgspec.structs.replace(s, results=(*s.results, lacking)) for s in second.sessions)
    made = compare([first, msgspec.structs.replace(second, sessions=sessions)])
    assert made.rows == ()
    assert [(m.title, m.side, m.why) for m in made.missing] == [
        ("semaphore-ping, idle, sets of operations", 1, "it was not measured there"),
        ("queue-fill, idle", 0, "it was not measured there"),
        ("semaphore-ping, idle", 1, "skipped: no semaphores here"),
    ]


def test_what_neither_side_has_is_no_difference() -> None:
    lacking = skipped("task-suspend-resume", item=5)
    runs = [
        msgspec.structs.replace(
            run, sessions=tuple(msgspec.structs.replace(s, results=(*s.results, lacking)) for s in run.sessions)
        )
        for run in (repeated("a"), repeated("b"))
    ]
    assert compare(runs).missing == ()


def test_what_changed_by_importance_and_of_command_lines_only_the_words() -> None:
    first = _env(repeated("a"), kernel_cmdline="quiet preempt=none x=1", cpu_model="One", tunable_swappiness="10")
    second = _env(repeated("b"), kernel_cmdline="quiet preempt=full x=1", cpu_model="Two", tunable_swappiness="60")
    found = differences([[first], [second]])
    assert [(d.importance, d.fact) for d in found] == [
        ("machine", "cpu.model"),
        ("kernel", "kernel.cmdline"),
        ("settings", "tunable.swappiness"),
    ]
    assert found[1].words == (("preempt=none",), ("preempt=full",))
    assert found[0].words == ()


def test_every_fact_is_told_by_its_name_with_all_its_values() -> None:
    """Of a machine that the tool ran on, the host's facts too; of a board's host none."""
    first, second = repeated("a", repetitions=2), repeated("b", repetitions=2)
    clock = msgspec.structs.replace(CLOCK, hz=2_000_000_000)
    changed = (
        msgspec.structs.replace(second.sessions[0], port="other", clocks=(clock,)),
        msgspec.structs.replace(second.sessions[1], port="other", clocks=(clock,), engine="0.2.0"),
    )
    second = msgspec.structs.replace(
        second,
        sessions=changed,
        tool="0.3.0",
        host={"hostname": "other", "virtualization": "none", "target.os.name": "An OS", "board.title": "A board"},
        degraded=(Degraded("sched", "not permitted"), Degraded("mlock", "not permitted")),
    )
    expected = {
        "engine": ("0.1.0", "0.1.0 / 0.2.0"),
        "port": ("posix", "other"),
        "clock.tsc": ("1e+09 Hz", "2e+09 Hz"),
        "tool": ("rtstone 0.1.0", "rtstone 0.3.0"),
        "degraded": ("", "sched / mlock"),
        "os.name": ("", "An OS"),
        "board.title": ("", "A board"),
    }
    found = differences([[first], [second]])
    assert {one.fact: one.values for one in found} == expected | {"hostname": ("bench", "other")}
    subjects = ["instrument"] * 4 + ["kernel"] * 2 + ["settings", "circumstances"]
    assert [one.importance for one in found] == subjects
    boards = [msgspec.structs.replace(run, target="board:toy/x") for run in (first, second)]
    assert {one.fact: one.values for one in differences([[boards[0]], [boards[1]]])} == expected
    together = {one.fact: one.values for one in differences([[first, second], [second]])}
    assert together["hostname"] == ("bench / other", "other")


def test_what_is_never_the_same_is_no_change() -> None:
    first = msgspec.structs.replace(repeated("a"), target="local", host={"load.average.before": "1", "python": "3.11"})
    second = msgspec.structs.replace(repeated("b"), target="local", host={"load.average.before": "2", "python": "3.12"})
    assert differences([[first], [second]]) == ()
