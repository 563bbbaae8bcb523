# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The machine of a run: its engine's word, a virtual board's emulator, or nothing.

Also how columns distinguish two machines.
"""

from __future__ import annotations

import msgspec

from rtstone.machine.identity import hashed
from rtstone.measure._resume import unlike
from rtstone.model import LINK, Run, Session
from rtstone.model.labels import names
from support.runs import make_result, make_run, make_session

RESULT = make_result(count=5)


def _session(machine: str = "", name: str = "bench") -> Session:
    told = {"machine.id": machine, "machine.name": name} if machine else {}
    session = make_session((RESULT,))
    return msgspec.structs.replace(session, env=session.env | told)


def _run(run_id: str, machine: str = "", name: str = "bench", **changes: object) -> Run:
    return make_run(run_id, **{"sessions": (_session(machine, name),), "label": "", **changes})  # type: ignore[arg-type]


def _board(run_id: str = "b", **changes: object) -> Run:
    facts = {"board.id": "arm64", "board.platform": "9f1c", "host.machine.id": "h1"}
    return _run(run_id, "guest", "(none)", **{"target": "board:arm64/bare", "host": facts, **changes})


def test_a_machine_is_what_its_engine_says() -> None:
    run = _run("a", "11aa")
    assert (run.machine, run.machine_name) == ("11aa", "bench")


def test_a_run_of_an_older_release_has_none() -> None:
    assert (_run("a").machine, _run("a").machine_name) == ("", "")


def test_a_board_is_its_emulator_on_every_host_and_for_all_kernels() -> None:
    here = _board(time="instruction-time")
    there = _board(time="instruction-time", host=here.host | {"host.machine.id": "h2"}, target="board:arm64/linux-6.1")
    assert here.machine == there.machine == "board:arm64/9f1c"
    assert here.machine_name == "board arm64"
    assert _board(time="instruction-time", host=here.host | {"board.platform": "other"}).machine != here.machine


def test_a_board_whose_host_has_a_part_in_its_figures_is_another_on_another_host() -> None:
    emulated = [_board(time="emulated-time", host=_board().host | {"host.machine.id": h}).machine for h in ("h1", "h2")]
    linked = _board(time="instruction-time", host=_board().host | {LINK: "clients outside"}).machine
    assert emulated == ["board:arm64/9f1c on h1", "board:arm64/9f1c on h2"]
    assert linked == emulated[0]


def test_a_script_is_no_machine() -> None:
    assert _run("a", "11aa", target="simulated:constant").machine == "simulated"


def test_sessions_of_two_machines_are_neither_alone() -> None:
    run = _run("a", sessions=(_session("11aa"), _session("22bb", "other")))
    assert (run.machine, run.machine_name) == ("11aa + 22bb", "bench + other")


def test_columns_name_machines_only_where_they_differ() -> None:
    assert names([_run("a", "11aa"), _run("b", "11aa", label="x")]) == ("this machine", "x")
    assert names([_run("a", "11aa", "one"), _run("b", "22bb", "two")]) == ("one", "two")
    assert names([_run("a", "11aa", "one", label="x"), _run("b", "22bb", "two", label="x")]) == ("x, one", "x, two")
    clones = names([_run("a", "11aa22bb", "one"), _run("b", "33cc44dd", "one")])
    assert clones == ("one 11aa22", "one 33cc44")


def test_a_run_is_not_gone_on_with_on_another_machine() -> None:
    one, same, other = (_run("a", name) for name in ("11aa", "11aa", "22bb"))
    assert unlike(one, same) == ""
    assert unlike(one, other) == "machine: bench (11aa) | bench (22bb)"


def test_the_id_does_not_give_the_secret_away() -> None:
    secret = "0123456789abcdef0123456789abcdef"
    made = hashed(secret, "bench")
    assert len(made) == 32
    assert made not in (secret, hashed(secret, "clone"), hashed(secret[::-1], "bench"))
