# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The plan of the APS study: each source of the interrupt by its name, the study's own loads on boards, an hour where asked."""

from __future__ import annotations

from collections import Counter

from rtstone.studies import Request, make_plan, study

LOADS = ("none", "traffic", "network", "network-above")


def test_variants_name_their_source() -> None:
    plan = make_plan(Request(studies=(study("aps"),), profile="quick", loads=("none",)))
    found = Counter((item.measurement, item.timer) for item in plan.items)
    assert found == Counter(
        {
            **{("interrupt-top-half", timer): 1 for timer in ("default", "software")},
            **{("interrupt-bottom-half", timer): 1 for timer in ("default", "tasklet", "workqueue", "software")},
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


def test_the_papers_profile_lasts_an_hour_a_line() -> None:
    plan = make_plan(Request(studies=(study("aps"),), profile="paper", loads=("none",)))
    assert {item.count * item.period_ns for item in plan.items} == {3600 * 10**9}
