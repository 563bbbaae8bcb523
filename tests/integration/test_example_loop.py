# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The sample programs of examples/loop: their account is whole, each planted fault did its work, and cycles were late where faults were.

Nothing here depends on the machine's speed: it follows from priorities on one CPU, and from the programs' own stamps.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from rtstone.machine.groups import ControlGroup
from support.control_groups import control_group, joined, set_quota
from support.loop_account import Account, built, carried_out, hit, require_whole

pytestmark = pytest.mark.alone

CYCLES, EVERY = 800, 80
PLANTED = 8
MS = 1_000_000


@pytest.fixture(scope="module")
def programs(root: Path) -> Path:
    """The folder of both, built as the page says, and without a warning."""
    return built(root, root / "build" / "loop", "-DCMAKE_COMPILE_WARNING_AS_ERROR=ON")


def _run(program: Path, *words: str, before: tuple[str, ...] = ()) -> Account:
    done = subprocess.run(
        [*before, str(program), *words],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == 0, done.stderr
    account: Account = json.loads(done.stdout)
    return account


def _planted(program: Path, *faults: str, more: tuple[str, ...] = ()) -> Account:
    named = [word for fault in faults for word in ("--fault", fault)]
    account = _run(program, "--cycles", str(CYCLES), "--every", str(EVERY), "--raw", *named, *more)
    require_whole(account)
    return account


def _span(plant: Account) -> tuple[int, int]:
    return plant["start_ns"], plant["end_ns"]


def _holder(account: Account, plant: Account) -> str:
    """The name of the thread that carried it out."""
    names = {one["thread"]: one["name"] for one in account["threads"]}
    return str(names[plant["thread"]])


# ---- What is planted -------------------------------------------------------------------------------------------------


@pytest.mark.needs("realtime")
@pytest.mark.parametrize("program", ["loop", "executor"])
def test_a_hog_above_has_the_cpu_alone(programs: Path, program: str) -> None:
    """It is of a higher priority on the same CPU, so that no cycle begins while it computes."""
    account = _planted(programs / program, "hog-above")
    starts = [start for series in account["series"] for _, _, start, _ in series["cycles"]]
    for plant in carried_out(account):
        begin, end = _span(plant)
        assert not [start for start in starts if begin < start < end]
        assert _holder(account, plant) == "hog-above"
    assert {one["name"]: one["priority"] for one in account["threads"]}["hog-above"] == account["priority"] + 1


@pytest.mark.needs("realtime")
@pytest.mark.parametrize("program", ["loop", "executor"])
def test_without_inheritance_who_is_between_runs_first(programs: Path, program: str) -> None:
    account = _planted(programs / program, "lock")
    for plant in carried_out(account):
        assert plant["spin_end_ns"] - plant["spin_start_ns"] >= plant["drawn_ns"]
        assert plant["start_ns"] <= plant["asked_ns"] <= plant["spin_start_ns"]
        assert plant["spin_end_ns"] <= plant["end_ns"] <= plant["granted_ns"]
        assert _holder(account, plant) == "lock-low"


@pytest.mark.needs("realtime")
@pytest.mark.parametrize("program", ["loop", "executor"])
def test_with_inheritance_the_holder_runs_first(programs: Path, program: str) -> None:
    account = _planted(programs / program, "lock-inherit")
    for plant in carried_out(account):
        assert plant["asked_ns"] <= plant["end_ns"] <= plant["granted_ns"] <= plant["spin_start_ns"]
        assert _holder(account, plant) == "lock-low"


@pytest.mark.needs("realtime")
@pytest.mark.parametrize("program", ["loop", "executor"])
def test_pages_that_were_never_touched_are_faults(programs: Path, program: str) -> None:
    account = _planted(programs / program, "page-faults")
    for plant in carried_out(account):
        assert plant["minor_faults"] >= plant["pages"] > 0


@pytest.mark.needs("cpus", "realtime")
def test_a_migration_moves_there_and_back(programs: Path) -> None:
    account = _planted(programs / "loop", "migration")
    for plant in carried_out(account):
        assert plant["moves"] >= 2
        assert plant["moves"] % 2 == 0
        assert plant["other_cpu"] != account["cpu"]


@pytest.mark.needs("realtime")
@pytest.mark.parametrize("program", ["loop", "executor"])
def test_a_write_waits_until_the_pipe_is_drained(programs: Path, program: str) -> None:
    account = _planted(programs / program, "write")
    for plant in carried_out(account):
        assert plant["start_ns"] + plant["drawn_ns"] <= plant["drained_ns"] <= plant["end_ns"]


@pytest.mark.needs("realtime")
@pytest.mark.parametrize("program", ["loop", "executor"])
def test_no_cycle_begins_in_a_stopped_process(programs: Path, program: str) -> None:
    account = _planted(programs / program, "stop")
    starts = [start for series in account["series"] for _, _, start, _ in series["cycles"]]
    for plant in carried_out(account):
        begin, end = _span(plant)
        assert not [start for start in starts if begin < start < end]
        assert plant["thread"] not in {account["pid"], *(one["thread"] for one in account["threads"])}


@pytest.fixture
def group() -> Iterator[ControlGroup]:
    """A control group that has the CPU for 5 ms of each 50, whoever else wants it."""
    with control_group() as made:
        set_quota(made, 5_000, 50_000)
        weight, most = ("cpu.weight", "10000") if made.version == 2 else ("cpu.shares", "100000")
        Path(made.folder, weight).write_text(most)
        yield made


@pytest.mark.needs("control-groups")
def test_a_quota_throttles_the_loop_by_a_lower_thread(programs: Path, group: ControlGroup) -> None:
    words = ("--priority", "0", "--work", "1us", "--fault", "throttle", "--length", "60ms-90ms")
    account = _run(
        programs / "loop", "--cycles", "2000", "--every", "400", "--raw", *words, before=tuple(joined(group))
    )
    require_whole(account)
    assert account["planted"] == 3
    done = [plant for plant in account["plants"] if plant["state"] == "done"]
    long = {plant["number"] for plant in done if plant["off_cpu_ns"] > 10 * MS}
    assert long
    assert long <= hit(account)
    for plant in done:
        begin, end = plant["longest_start_ns"], plant["longest_end_ns"]
        assert plant["gaps"] == 0 or plant["start_ns"] <= begin < end <= plant["end_ns"]
    stat = dict(line.split() for line in Path(group.folder, "cpu.stat").read_text().splitlines())
    assert int(stat["nr_throttled"]) > 0


def test_interrupts_are_held_off_only_by_the_module(programs: Path) -> None:
    if Path("/sys/module/rtstone_hold").exists():
        pytest.fail("the module rtstone_hold is loaded: it belongs into guests")
    done = subprocess.run([programs / "loop", "--fault", "hold"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.count("\n") == 1
    assert "rtstone_hold" in done.stderr


# ---- What is drawn ---------------------------------------------------------------------------------------------------


def _drawn(account: Account) -> list[tuple[Any, ...]]:
    return [tuple(plant[key] for key in ("fault", "cycle", "drawn_ns", "lead_ns")) for plant in account["plants"]]


def test_a_seed_draws_the_same_again_and_another_seed_does_not(programs: Path) -> None:
    words = ("--priority", "0", "--period", "100us", "--work", "1us", "--cycles", "2000", "--every", "40")
    faults = ("--fault", "write", "--fault", "page-faults")
    runs = [_run(programs / "loop", *words, *faults, "--seed", seed) for seed in ("7", "7", "8")]
    first, again, other = map(_drawn, runs)
    assert first == again
    assert first != other
    assert len(first) == 48
    assert {fault for fault, *_ in first} == {"write", "page-faults"}
    assert len({length for _, _, length, _ in first}) > 40
    cycles = [cycle for _, cycle, _, _ in first]
    assert all(after - before > 20 for before, after in pairwise(cycles))


@pytest.mark.needs("cpus")
def test_together_each_planted_cycle_has_all_of_them(programs: Path) -> None:
    account = _planted(programs / "loop", "write", "migration", more=("--priority", "0", "--together"))
    carried_out(account)
    assert [plant["fault"] for plant in account["plants"]] == ["write", "migration"] * PLANTED
    pairs = [account["plants"][index : index + 2] for index in range(0, 2 * PLANTED, 2)]
    for write, move in pairs:
        assert (write["cycle"], write["state"]) == (move["cycle"], move["state"])
        if write["state"] == "done":
            (both,) = [one for one in account["series"][0]["late"] if write["number"] in one["plants"]]
            assert move["number"] in both["plants"]


# ---- The loop --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("way", ["nanosleep", "timerfd", "epoll", "futex"])
def test_each_way_to_wait_keeps_to_the_due_times(programs: Path, way: str) -> None:
    account = _run(programs / "loop", "--priority", "0", "--cycles", "200", "--wait", way, "--raw")
    require_whole(account)
    assert account["wait"] == way
    assert account["series"][0]["periods"] == 200
    assert (account["planted"], account["plants"]) == (0, [])


@pytest.mark.parametrize("way", ["nanosleep", "timerfd", "epoll", "futex"])
def test_who_catches_up_skips_nothing(programs: Path, way: str) -> None:
    account = _planted(programs / "loop", "write", more=("--priority", "0", "--catch-up", "--wait", way))
    (series,) = account["series"]
    assert (series["run"], series["skipped"]) == (CYCLES, 0)
    assert any(one["behind"] for one in series["late"])
    assert account["carried_out"] == PLANTED


@pytest.mark.parametrize("fault", ["write", "stop"])
@pytest.mark.parametrize("program", ["loop", "executor"])
def test_a_signal_ends_it_with_a_whole_account(programs: Path, program: str, fault: str) -> None:
    words = ["--priority", "0", "--cycles", "1000000", "--fault", fault, "--raw"]
    with subprocess.Popen(
        [programs / program, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stderr is not None
        assert process.stderr.readline().startswith(f"{program}: pid ")
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(timeout=0.5)
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    account = json.loads(out)
    require_whole(account)
    assert 0 < account["series"][0]["periods"] < 1_000_000
    assert account["carried_out"] < account["planted"]
    assert {plant["state"] for plant in account["plants"]} <= {"done", "begun", "not-reached"}


@pytest.mark.needs("realtime")
def test_threads_have_the_names_and_priorities_that_are_printed(programs: Path) -> None:
    """As the kernel shows them, while the executor runs."""
    faults = [word for name in ("hog-above", "lock", "write", "page-faults") for word in ("--fault", name)]
    with subprocess.Popen(
        [programs / "executor", "--cycles", "1000000", *faults],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stderr is not None
        process.stderr.readline()
        tasks = Path(f"/proc/{process.pid}/task")
        seen = {
            (int(task.name), (task / "comm").read_text().strip(), os.sched_getparam(int(task.name)).sched_priority)
            for task in tasks.iterdir()
        }
        process.send_signal(signal.SIGINT)
        account = json.loads(process.communicate(timeout=60)[0])
    printed = {(one["thread"], one["name"], one["priority"]) for one in account["threads"]}
    names = {name for _, name, _ in printed}
    assert names == {
        *("executor", "publisher", "pool-1", "pool-2"),
        *("hog-above", "lock-low", "spin-middle", "drain", "reclaim"),
    }
    # The publisher is started last.
    assert printed - seen <= {one for one in printed if one[1] == "publisher"}


def test_callbacks_of_the_executor_are_all_accounted_for(programs: Path) -> None:
    account = _run(programs / "executor", "--priority", "0", "--cycles", "400", "--raw", "--threads", "3")
    require_whole(account)
    assert {series["name"]: series["periods"] for series in account["series"]} == {
        "control": 400,
        "status": 40,
        "sensor": 80,
    }
    pool = {one["thread"] for one in account["threads"] if one["name"].startswith("pool-")}
    assert len(pool) == 3
    assert {one["thread"] for series in account["series"] for one in series["late"]} <= pool


# ---- What is refused -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--period", "1"), "--period 1: a time from 50us to 1s"),
        (("--period", "1h"), "a time from 50us to 1s"),
        (("--period", "99999999999999999999s"), "a time from 50us to 1s"),
        (("--cycles", "0"), "a number from 1 to 10000000"),
        (("--cycles", "-5"), "a number from 1 to 10000000"),
        (("--priority", "99"), "a number from 0 to 98"),
        (("--length", "5ms-2ms"), "the shorter first"),
        (("--length", "2ms"), "two times"),
        (("--fault", "none-such"), "no such fault"),
        (("--fault", "write", "--fault", "write"), "named twice"),
        (("--fault", "hog-above", "--priority", "0"), "needs --priority 1 or more"),
        (("--fault", "lock", "--priority", "2"), "needs --priority 3 or more"),
        (("--fault", "write", "--every", "10"), "--every 10: too few for faults of that length: 26 or more"),
        (("--work", "2ms"), "shorter than the period"),
        (("--wait", "select"), "no such way"),
        (("--threads", "3"), "is an option of the other program"),
        (("loop",), "only options are taken"),
        (("--unknown",), "unrecognized option"),
    ],
)
def test_bad_usage_is_one_line(programs: Path, words: tuple[str, ...], said: str) -> None:
    done = subprocess.run([programs / "loop", *words], capture_output=True, text=True, check=False, timeout=20)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    assert said in done.stderr


@pytest.mark.needs("realtime")
@pytest.mark.parametrize("fault", ["write", "stop"])
def test_a_refused_priority_is_one_line_with_what_helps(programs: Path, fault: str) -> None:
    words = ["setpriv", "--bounding-set", "-sys_nice", str(programs / "loop"), "--cycles", "10", "--fault", fault]
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=20)
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.count("\n") == 1
    assert "--priority 0 does without" in done.stderr


def test_what_cannot_be_written_is_no_success(programs: Path) -> None:
    with open("/dev/full", "w") as full:  # noqa: PTH123 - a device
        done = subprocess.run(
            [programs / "loop", "--priority", "0", "--cycles", "10"], stdout=full, stderr=subprocess.PIPE, check=False
        )
    assert done.returncode == 3


@pytest.mark.needs("realtime", "cpus")
@pytest.mark.parametrize("program", ["loop", "executor"])
def test_no_data_race_is_found(root: Path, program: str) -> None:
    """By the thread sanitizer, with all faults that need no second process."""
    folder = built(
        root, root / "build" / "loop-races", "-DRTSTONE_SANITIZE=thread", "-DCMAKE_C_FLAGS=-fsanitize=thread"
    )
    named = ("hog-above", "lock", "lock-inherit", "page-faults", "migration", "write", "throttle")
    assert _planted(folder / program, *named)["carried_out"] > 0
