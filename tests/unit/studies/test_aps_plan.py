# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The plan of the APS study: each source of the interrupt by its name, the study's own loads on boards, an hour where asked."""

from __future__ import annotations

from collections import Counter

import pytest
from msgspec.structs import replace

from rtstone.stream.plan import expected_seconds
from rtstone.studies import Request, board_repetitions, live_sessions, make_plan, study

LOADS = ("none", "traffic", "network", "network-above")


def test_variants_name_their_source() -> None:
    plan = make_plan(Request(studies=(study("aps"),), profile="quick", loads=("none",)))
    found = Counter((item.measurement, item.timer) for item in plan.items)
    assert found == Counter(
        {
            **{("interrupt-stages", timer): 1 for timer in ("default", "tasklet", "workqueue", "software")},
            **{("interrupt-total", timer): 1 for timer in ("default", "tasklet", "workqueue", "software")},
            **{(name, timer): 1 for name in ("user-isr-stages", "user-isr-total") for timer in ("default", "software")},
        }
    )


def test_a_board_has_the_studys_loads_unless_the_command_names_some() -> None:
    asked = Request(studies=(study("aps"),), profile="quick", loads=("none", "traffic"), virtual=True)
    assert {item.load for item in make_plan(asked).items} == {"none", "traffic"}
    open_ = Request(
        studies=(study("aps"), study("slac")), profile="quick", loads=("none",), loads_given=False, virtual=True
    )
    plan = make_plan(open_)
    assert {item.load for item in plan.items if item.measurement == "interrupt-total"} == set(LOADS)
    assert {item.load for item in plan.items if item.measurement == "interrupt-response"} == {"none"}
    live = Request(studies=(study("aps"),), profile="quick", loads=("none", "cpu"), loads_given=False)
    assert {item.load for item in make_plan(live).items} == {"none", "cpu"}


def test_a_live_machine_has_the_studys_load_by_another_host_or_what_stands_in_for_it() -> None:
    """Nobody named it: where it cannot be had the rest is measured."""
    asked = Request(studies=(study("slac"),), profile="quick", loads_given=False, given=("live",), loads_required=True)
    for given, load in ((("live",), "network-virtual"), (("live", "peer"), "network-peer")):
        plan = make_plan(replace(asked, given=given))
        assert ({item.load for item in plan.items}, plan.loads_required) == ({"none", load}, False)
    both = make_plan(replace(asked, studies=(study("slac"), study("sscl"))))
    assert {item.load for item in both.items} == {"none", "cpu", "network-virtual"}
    named = make_plan(replace(asked, loads=("cpu",), loads_given=True))
    assert ({item.load for item in named.items}, named.loads_required) == ({"cpu"}, True)
    board = make_plan(replace(asked, virtual=True))
    assert {item.load for item in board.items} == {"none", "cpu"}


def test_the_papers_profile_lasts_an_hour_a_line() -> None:
    plan = make_plan(Request(studies=(study("aps"),), profile="paper", loads=("none",)))
    assert {item.count * item.period_ns for item in plan.items} == {3600 * 10**9}


def test_a_guest_that_can_be_an_ioc_is_measured_in_one() -> None:
    """Under the paper's own load, as strong as the profile says, unless the command does."""
    asked = Request(
        studies=(study("aps"),), profile="quick", loads=("none",), loads_given=False, virtual=True, inside_ioc=True
    )
    plan = make_plan(asked)
    assert {(item.load, item.intensity) for item in plan.items} == {("none", 1), ("ioc", 4), ("ioc-above", 4)}
    more = make_plan(replace(asked, intensity=50))
    assert {(item.load, item.intensity) for item in more.items} == {("none", 1), ("ioc", 50), ("ioc-above", 50)}
    sscl = make_plan(replace(asked, studies=(study("sscl"),)))
    assert {item.load for item in sscl.items} == {"none"}


def test_a_live_ioc_is_measured_under_its_own_load_and_goes_on_where_one_is_not_to_be_had() -> None:
    """Only PREEMPT_RT has threads to raise. A request for that load by name is refused, others go without it."""
    asked = Request(
        studies=(study("aps"),), profile="standard", loads=("none", "cpu"), loads_given=False, inside_ioc=True
    )
    asked = replace(asked, loads_required=True)
    plan = make_plan(asked)
    assert {(item.load, item.intensity) for item in plan.items} == {("none", 1), ("ioc", 50), ("ioc-above", 50)}
    assert not plan.loads_required
    named = make_plan(replace(asked, loads=("ioc",), loads_given=True))
    assert ({item.load for item in named.items}, bool(named.loads_required)) == ({"ioc"}, True)


@pytest.mark.parametrize("has_module", [True, False])
def test_an_hour_on_a_live_machine_is_measured_whole(has_module: bool) -> None:
    """Items that the machine lacks cost no time, and most of the hour is under the load.

    The engine shares out the rest of items.
    """
    parts = live_sessions("private")
    request = Request(studies=(study("aps"),), profile="private", loads_given=False, inside_ioc=True, repetitions=parts)
    items = make_plan(request).items
    assert all(item.spare for item in items)
    used_ms = {"none": 0.0, "ioc": 0.0, "ioc-above": 0.0}
    for number, item in enumerate(items):
        spare_ms = sum(before.budget_ms for before in items[:number]) - sum(used_ms.values())
        plain = item.timer == "default" and not item.measurement.startswith("user-isr")
        if item.load != "ioc-above" and (plain or has_module):
            used_ms[item.load] += item.budget_ms + spare_ms / (len(items) - number)
    assert 0.95 * 3600 < parts * sum(used_ms.values()) / 1000 <= 3600
    assert used_ms["ioc"] > (1.5 if has_module else 5) * used_ms["none"]


@pytest.mark.parametrize(("profile", "hours"), [("private", 1), ("sixteen-hours", 16)])
def test_the_long_profiles_are_hours_in_parts(profile: str, hours: int) -> None:
    """On a board each part is a repetition with phases of its own; together they have the length of the paper's run."""
    request = Request(studies=(study("aps"),), profile=profile, loads=("none", "ioc"), virtual=True)
    parts = board_repetitions(profile)
    seconds = [sum(expected_seconds(item) for item in make_plan(request, part).items) for part in range(parts)]
    assert parts == live_sessions(profile) >= 12
    assert 0.9 * hours * 3600 < sum(seconds) <= 1.1 * hours * 3600
