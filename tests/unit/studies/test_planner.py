# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Plans: everything once, within the profile's time, and as the user overrides it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from rtstone.errors import UsageError
from rtstone.stream.plan import validate
from rtstone.studies import (
    Chosen,
    Request,
    board_repetitions,
    live_sessions,
    make_plan,
    needs,
    phase_ns,
    profile,
    studies,
    study,
)
from rtstone.studies._planner import PHASES_NS, SLOW_OPERATIONS
from rtstone.studies._traits import reaches_window, traits_by_name
from support.measured import request_for, run_for

names = st.lists(st.sampled_from([s.id for s in studies()]), min_size=1, unique=True)
loads = st.lists(st.sampled_from(["none", "cpu"]), min_size=1, unique=True)


@given(names, loads, st.sampled_from(["quick", "standard", "paper"]))
def test_every_need_of_every_study_is_planned_exactly_once(ids: list[str], under: list[str], name: str) -> None:
    plan = make_plan(Request(studies=tuple(study(i) for i in ids), profile=name, loads=tuple(under)))
    validate(plan)
    planned = [(i.measurement, i.pass_, i.sched, i.load, i.timer) for i in plan.items]
    wanted = {
        (n.measurement, n.pass_, n.sched or "rt", load, n.timer or "default")
        for i in ids
        for n in needs(study(i))
        if not n.requires
        for load in ([one for one in under if one in study(i).loads] or under)
    }
    assert set(planned) == wanted
    assert len(planned) == len(wanted)
    assert [i.item for i in plan.items] == list(range(len(planned)))


@given(names, loads, st.sampled_from(["quick", "standard"]), st.integers(1, 3), st.integers(1, 3))
def test_budgets_keep_the_profiles_time(
    ids: list[str], under: list[str], name: str, repetitions: int, targets: int
) -> None:
    request = Request(
        studies=tuple(study(i) for i in ids),
        profile=name,
        loads=tuple(under),
        repetitions=repetitions,
        targets=targets,
    )
    plans = [make_plan(request, r) for r in range(repetitions)]
    total_ms = sum(i.budget_ms for p in plans for i in p.items) * targets
    assert all(i.budget_ms > 0 for p in plans for i in p.items)
    least_ms = 50 * sum(len(p.items) for p in plans) * targets  # what cannot be measured in less
    assert total_ms <= max((profile(name).total_s - profile(name).reserve_s) * 1000, least_ms)


def test_quick_of_the_three_studies_is_planned_for_less_than_a_minute() -> None:
    plan = make_plan(request_for("sscl", "rhealstone", "spring8"))
    assert 30_000 < sum(i.budget_ms for i in plan.items) < 60_000


def test_the_first_tables_items_come_first() -> None:
    plan = make_plan(request_for("sscl", "rhealstone"))
    rows = len(study("sscl").table("1").rows)
    first = plan.items[: 2 * rows]
    assert {i.pass_ for i in first} == {"batch"}
    assert [i.load for i in first] == ["none"] * rows + ["cpu"] * rows


def test_where_studies_share_a_measurement_the_larger_count_holds() -> None:
    both = Request(studies=(study("sscl"), study("slac")), profile="paper", loads=("none",))
    shared = [i for i in make_plan(both).items if i.measurement == "interrupt-response"]
    assert [(i.count, i.budget_ms, i.period_ns) for i in shared] == [(2_000_000, 0, 250_000)]


def test_a_set_that_may_be_slow_is_short() -> None:
    request = replace(request_for("sscl"), sched="ts")
    for item in make_plan(request).items:
        if item.pass_ == "batch":
            assert item.count == (500 if item.load == "none" else SLOW_OPERATIONS)


def test_what_the_user_says_holds() -> None:
    request = replace(
        request_for("sscl"),
        count=7,
        sets=3,
        period_ns=1_000_000,
        cpu=0,
        timer="timerfd",
        cache="flushed",
        raw=True,
        seed=5,
    )
    plan = make_plan(request, 4)
    assert (plan.seed, plan.repetition) == (5, 4)
    for item in plan.items:
        assert (item.count, item.sets, item.cpu, item.timer, item.cache) == (7, 3, 0, "timerfd", "flushed")
        assert item.budget_ms == 0, "a count that was asked for is not cut short"
        assert item.period_ns == 1_000_000
        assert item.raw == (item.pass_ == "single")


def test_a_class_that_is_asked_for_leaves_the_other_out() -> None:
    items = make_plan(replace(request_for("spring8"), sched="ts")).items
    assert {i.sched for i in items} == {"ts"}
    assert {i.measurement for i in items if i.measurement.endswith("-switch")} == {"process-switch", "thread-switch"}


def test_measurements_by_name_have_the_passes_that_the_engine_has() -> None:
    chosen = (Chosen(name="queue-fill", passes=("single", "batch")), Chosen(name="interrupt-response", paced=True))
    items = make_plan(Request(measurements=chosen, profile="quick", loads=("none",))).items
    assert [(i.measurement, i.pass_) for i in items] == [
        ("queue-fill", "single"),
        ("queue-fill", "batch"),
        ("interrupt-response", "single"),
    ]
    assert items[2].period_ns == 250_000


def test_nothing_to_measure_is_an_error() -> None:
    with pytest.raises(UsageError, match="nothing to measure"):
        make_plan(Request(profile="quick"))


@given(st.integers(0, 2**64 - 1), st.integers(0, 1000), st.integers(0, 500))
def test_phases_come_from_the_numbers_alone(seed: int, repetition: int, item: int) -> None:
    assert 0 <= phase_ns(seed, repetition, item) < PHASES_NS
    assert phase_ns(seed, repetition, item) == phase_ns(seed, repetition, item)


def test_phases_are_spread_over_the_whole_range() -> None:
    drawn = sorted(phase_ns(1, repetition, 0) for repetition in range(400))
    assert len(set(drawn)) == 400
    parts = [sum(part * PHASES_NS // 4 <= phase < (part + 1) * PHASES_NS // 4 for phase in drawn) for part in range(4)]
    assert all(70 <= count <= 130 for count in parts)


def test_a_boards_plan_has_its_own_counts_and_phases() -> None:
    request = replace(request_for("sscl", "slac"), virtual=True, repetitions=7, targets=5)
    counts = profile("quick").board
    plans = [make_plan(request, r) for r in range(2)]
    for plan in plans:
        validate(plan)
        assert sum(i.budget_ms for i in plan.items) <= max(counts.total_s * 1000, 50 * len(plan.items))
        assert {i.count for i in plan.items if i.measurement == "interrupt-response"} == {counts.interrupts}
        assert {i.sets for i in plan.items if i.pass_ == "batch"} == {counts.sets}
    for one, other in zip(*(plan.items for plan in plans), strict=True):
        paced = one.measurement == "interrupt-response"
        assert (one.phase_ns != other.phase_ns) == paced
        assert replace(one, phase_ns=0) == replace(other, phase_ns=0)
    assert board_repetitions("quick") == counts.repetitions > 1


def test_a_live_targets_plan_has_no_phases() -> None:
    assert {i.phase_ns for i in make_plan(request_for("sscl"), 3).items} == {0}


def test_what_needs_a_live_kernel_is_planned_for_no_virtual_board() -> None:
    def asks(request: Request) -> int:
        return sum(item.measurement == "interrupt-split" for item in make_plan(request).items)

    request = Request(studies=tuple(study(i) for i in ("sscl", "slac", "spring8")), loads=("none",), profile="quick")
    assert asks(request) == 0
    assert asks(replace(request, given=("live",))) == 1
    assert asks(replace(request, given=("live",), virtual=True)) == 0


def test_the_papers_counts_are_cut_into_sessions_that_add_up() -> None:
    request = Request(studies=(study("slac"),), profile="paper", loads=("none",), repetitions=live_sessions("paper"))
    plans = [make_plan(request, repetition) for repetition in range(request.repetitions)]
    latency = [i for plan in plans for i in plan.items if i.measurement == "interrupt-response"]
    assert len(latency) == request.repetitions > 1
    assert sum(i.count for i in latency) == study("slac").counts.interrupts == 2_000_000


def test_a_count_that_was_given_is_each_sessions_own() -> None:
    request = Request(studies=(study("slac"),), profile="paper", loads=("none",), repetitions=20, count=1000)
    assert {i.count for i in make_plan(request).items if i.pass_ == "single"} == {1000}


def test_what_the_profile_leaves_goes_to_the_interrupts_of_a_live_target() -> None:
    request = Request(studies=(study("sscl"), study("slac")), profile="quick")
    items = make_plan(request).items
    paced = [item.measurement.startswith("interrupt") for item in items]
    assert any(paced)
    assert paced == sorted(paced), "what may have the rest comes last"
    assert [item.spare == 1 for item in items] == paced
    for other in ({"virtual": True}, {"emulated": True}, {"count": 50}, {"profile": "paper"}):
        assert not any(item.spare for item in make_plan(replace(request, **other)).items), other


def test_each_window_is_measured_by_itself_and_only_transfers_have_one() -> None:
    windows = ("vme:0/a16/0", "vme:0/a24/100000", "vme:0/a32/1000000")
    request = Request(studies=(study("spring8"),), profile="quick", loads=("none",), windows=windows)
    items = make_plan(request).items
    transfers = [i for i in items if i.measurement.startswith("transfer-")]
    assert {i.window for i in items if i not in transfers} == {"default"}
    for name in {i.measurement for i in transfers}:
        assert sorted(i.window for i in transfers if i.measurement == name) == sorted(windows)
    assert make_plan(replace(request, clock="gettimeofday")).clock == "gettimeofday"


def test_the_engines_list_says_which_measurements_have_a_window_or_a_trail() -> None:
    """A later engine's measurement, of unknown name, is planned by its traits; one without traits, by its name."""

    def planned(traits: dict[str, frozenset[str]], name: str) -> list[tuple[str, int]]:
        request = Request(
            measurements=(Chosen(name=name),),
            windows=("default", "uio:0"),
            trace_over_ns=7000,
            loads=("none",),
            traits=traits,
        )
        return [(item.window, item.trace_over_ns) for item in make_plan(request).items]

    plain = [("default", 0)]
    assert planned({"new": frozenset({"window"})}, "new") == [("default", 0), ("uio:0", 0)]
    assert planned({"new": frozenset({"trails", "enters"})}, "new") == [("default", 7000)]
    assert planned({"new": frozenset()}, "new") == planned({}, "new") == plain
    assert planned({}, "transfer-read-d8") == [("default", 0), ("uio:0", 0)]
    assert planned({"other": frozenset()}, "interrupt-split") == [("default", 7000)]
    assert planned({"interrupt-split": frozenset()}, "interrupt-split") == plain


def test_what_few_targets_have_comes_first() -> None:
    traits = {"rare": frozenset({"kernel-handler"})}
    names = ("rare", "common")
    chosen = tuple(Chosen(name=name, paced=True) for name in names)
    request = Request(measurements=chosen, loads=("none",), traits=traits)
    assert [request.has("kernel-handler", name) for name in names] == [True, False]
    # For a study, whose rows are ordered. Measurements that are named stay in the order of the command.
    aps = make_plan(Request(studies=(study("aps"),), loads=("none",)))
    rare = [item.timer != "default" or "kernel-handler" in traits_by_name(item.measurement) for item in aps.items]
    paced = [bool(item.period_ns) for item in aps.items]
    for pace in (False, True):
        of_pace = [r for r, p in zip(rare, paced, strict=True) if p == pace]
        assert of_pace == sorted(of_pace, reverse=True)


def test_a_saved_result_reached_a_window_by_its_variant_or_by_its_name() -> None:
    run = run_for("infn")
    found = {result.measurement for result in run.results() if reaches_window(result)}
    assert found == {name for name in {r.measurement for r in run.results()} if name.startswith("transfer-")} != set()
    (other,) = [result for result in run.results() if result.measurement == "memory-to-memory"][:1]
    assert reaches_window(replace(other, variant=replace(other.variant, window="uio:0")))
