# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Loads that only Linux has: on this machine, and SLAC's in a guest that has the devices for it."""

from __future__ import annotations

import json
import os
import subprocess
from functools import cache
from pathlib import Path
from statistics import median
from typing import Any

import pytest

from rtstone.cli._check import USUAL_LOADS
from rtstone.cli._engine_lists import engine_list
from rtstone.stream import framing
from rtstone.stream.plan import Item, Plan, encode
from rtstone.targets import boards
from rtstone.targets.board import open_board
from rtstone.targets.boards import guest
from support.firmware import session
from support.images import lasting_cache

PROGRAMS = {
    "fork": "forks",
    "files": "bytes_written",
    "page-faults": "pages_touched",
    "disk": "bytes_written",
    "memory-bandwidth": "bytes_moved",
    "cache-thrash": "lines_written",
    "ipi-storm": "barriers",
}
"""Loads of two programs each, and the figure of their completed work."""
RATES = {
    "page-faults": "pages_touched_per_s",
    "disk": "kilobytes_per_s",
    "memory-bandwidth": "megabytes_per_s",
    "cache-thrash": "lines_written_per_s",
    "ipi-storm": "barriers_per_s",
}
DISK = "/var/tmp"  # noqa: S108 - the load's own default
MEMORY = "/dev/shm"  # noqa: S108 - of no disk, on every Linux
BOARD, KERNEL = "arm64", "linux-6.1-rt"
INTERRUPTS = ("near_interrupts", "far_interrupts", "line_interrupts")


def _records(engine: Path, load: str, *words: str, **environment: str) -> list[dict[str, Any]]:
    """Interrupts of 5 ms that are soon answered: the rest of the CPU is the load's."""
    period = ("--period-ns", "5000000", "--count", "40", "--warmup", "2")
    command = [str(engine), "run", "--measurement", "interrupt-response", *period, "--load", load, *words]
    variables = os.environ | environment
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120, env=variables)
    return [json.loads(framing.decode(line.encode())[1]) for line in done.stdout.splitlines()]


def _figures(records: list[dict[str, Any]], load: str) -> dict[str, int]:
    return {r["key"]: int(r["value"]) for r in records if r["t"] == "load" and r["name"] == load}


def _faults(records: list[dict[str, Any]]) -> int:
    (check,) = [r for r in records if r["t"] == "check" and r["name"] == "load-faults"]
    return int(check["value"])


def _skipped(records: list[dict[str, Any]]) -> tuple[str, str]:
    """Reason and text: of a text in parts, all of it."""
    skips = [r for r in records if r["t"] == "skip"]
    assert skips, [r["t"] for r in records]
    return skips[0]["reason"], "".join(r["text"] for r in skips)


@pytest.mark.parametrize(
    "load", [pytest.param(name, marks=pytest.mark.needs("cpus")) if name == "ipi-storm" else name for name in PROGRAMS]
)
def test_programs_do_their_work(engine: Path, load: str) -> None:
    figures = _figures(_records(engine, load, "--intensity", "2"), load)
    assert figures["intensity"] == 2
    assert figures["programs"] == 2
    assert figures[PROGRAMS[load]] > 0
    assert figures["failures"] == 0
    assert figures["cpu_time_ns"] > 0
    assert figures["elapsed_ns"] >= 40 * 5_000_000
    if load in RATES:
        assert figures[RATES[load]] > 0


@pytest.mark.parametrize("load", PROGRAMS)
def test_too_many_programs_are_refused(engine: Path, load: str) -> None:
    assert _skipped(_records(engine, load, "--intensity", "17"))[0] == "invalid"


def test_the_disk_names_its_file_system_and_wants_a_disk(engine: Path, tmp_path: Path) -> None:
    records = _records(engine, "disk")
    (where,) = [r["text"] for r in records if r["t"] == "note" and r["service"] == "load"]
    find = ["findmnt", "--noheadings", "--output", "FSTYPE", "--target", DISK]
    system = subprocess.run(find, capture_output=True, text=True, check=True).stdout.strip()
    assert where == f"the load disk writes to {DISK} ({system})"
    assert _faults(records) == 0
    reason, text = _skipped(_records(engine, "disk", RTSTONE_LOAD_FOLDER=MEMORY))
    assert (reason, "in memory (tmpfs)" in text, "RTSTONE_LOAD_FOLDER=" in text) == ("failed", True, True)
    reason, text = _skipped(_records(engine, "disk", RTSTONE_LOAD_FOLDER=str(tmp_path / "absent")))
    assert (reason, "No such file" in text) == ("failed", True)
    assert list(tmp_path.iterdir()) == []


def test_the_working_set_is_of_the_caches_size_and_the_order_of_the_seed(engine: Path) -> None:
    first, again, other = (
        _figures(_records(engine, "cache-thrash", "--seed", seed), "cache-thrash") for seed in ("1", "1", "2")
    )
    assert first["working_set_bytes"] >= min(first["last_level_cache_bytes"], 256 << 20)
    assert first["seed"] == again["seed"] != other["seed"]


def test_timers_expire_as_often_as_asked(engine: Path) -> None:
    records = _records(engine, "timer-storm", "--intensity", "8")
    figures = _figures(records, "timer-storm")
    assert _faults(records) == 0
    assert figures["expiries"] % 8 == 0  # of each round all
    # On a busy machine rounds come late; never are there more than were asked for.
    assert 0 < figures["expiries_per_s"] <= 8_100
    assert _skipped(_records(engine, "timer-storm", "--intensity", "65"))[0] == "invalid"


def test_the_cpu_is_as_busy_as_asked(engine: Path) -> None:
    """A fifth of each slot of 10 ms. Less only in slots in which others had the CPU; these are counted."""
    used: list[float] = []
    while len(used) < 5 and not (
        used and used[-1] < 3_500_000
    ):  # a host may take time away that counts as the program's
        records = _records(engine, "busy", "--intensity", "20")
        figures = _figures(records, "busy")
        assert _faults(records) == 0
        assert figures["busy_permille"] == pytest.approx(figures["cpu_time_ns"] * 1000 / figures["elapsed_ns"], abs=1.1)
        assert 0 < figures["slots"] <= figures["elapsed_ns"] / 10_000_000 + 2
        assert figures["cpu_time_ns"] >= 2_000_000 * (figures["slots"] - figures["late_slots"] - 1)
        used.append(figures["cpu_time_ns"] / (figures["slots"] + 1))
    assert used[-1] < 3_500_000, used
    assert _skipped(_records(engine, "busy", "--intensity", "96"))[0] == "invalid"


def test_loads_together_tell_each_of_itself(engine: Path) -> None:
    records = _records(engine, "cpu+page-faults+timer-storm", "--intensity", "2")
    assert any(r["t"] == "begin" and r.get("load") == "cpu+page-faults+timer-storm" for r in records)
    assert _figures(records, "cpu")["iterations"] > 0
    assert _figures(records, "page-faults")["pages_touched"] > 0
    assert _figures(records, "timer-storm")["expiries"] > 0
    assert "twice" in _skipped(_records(engine, "cpu+cpu"))[1]


def test_the_virtual_network_needs_no_devices(engine: Path) -> None:
    before = Path("/proc/net/dev").read_text().count(":")
    records = _records(engine, "network-virtual", "--intensity", "2")
    figures = _figures(records, "network-virtual")
    assert 0 < figures["pings_answered"] <= figures["pings_sent"] + 2
    assert figures["bytes_copied"] > 0
    assert not any("interrupts" in key for key in figures)
    (note,) = [r for r in records if r["t"] == "note" and r["service"] == "load"]
    assert note["kind"] == "substituted"
    assert "no device interrupts" in note["text"]
    assert Path("/proc/net/dev").read_text().count(":") == before


def test_a_command_is_a_load(engine: Path) -> None:
    busy = "while :; do :; done"
    records = _records(engine, "command", "--intensity", "2", RTSTONE_LOAD_COMMAND=busy)
    figures = _figures(records, "command")
    assert _faults(records) == 0
    assert (figures["programs"], figures["ended_early"]) == (2, 0)
    assert figures["cpu_time_ns"] > 0
    assert any(r["t"] == "note" and r["text"] == f"the load's command: {busy}" for r in records)


def test_a_command_that_ends_too_early_makes_the_item_invalid(engine: Path) -> None:
    records = _records(engine, "command", "--count", "100", RTSTONE_LOAD_COMMAND="sleep 0.25")
    assert _faults(records) == 1
    assert {r["status"] for r in records if r["t"] == "end"} == {"invalid"}


@pytest.mark.parametrize(
    ("command", "words"),
    [("exit 3", "with exit code 3: exit 3"), ("", "no command is given"), ("kill -9 $$", "signal 9")],
)
def test_a_command_that_cannot_start_says_so(engine: Path, command: str, words: str) -> None:
    assert words in _skipped(_records(engine, "command", RTSTONE_LOAD_COMMAND=command))[1]


def test_the_engine_lists_the_loads_that_a_file_may_name() -> None:
    """The list for where no engine can be asked is the engine's own."""
    assert ("none", *USUAL_LOADS) == tuple(load.name for load in engine_list().loads)


@pytest.mark.parametrize("load", ["network", "chargen"])
def test_the_network_loads_need_devices_of_their_own(engine: Path, load: str) -> None:
    reason, text = _skipped(_records(engine, load))
    assert reason == "unsupported"
    assert "rtstone.network=" in text
    assert "network-virtual" in text


def _plan(repetition: int = 0) -> Plan:
    """Again under each load: it finds the devices as the one before left them."""
    loads = ("none", "network", "chargen", "network", "chargen")
    items = (Item(item=n, measurement="interrupt-response", count=100, load=load) for n, load in enumerate(loads))
    return Plan(seed=1, repetition=repetition, items=tuple(items))


@pytest.fixture(scope="module")
def _guest_is_built(root: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    """A build has a limit of its own, and on a busy machine takes longer than a test may: it is no part of the test that comes first."""
    with lasting_cache(root):
        guest.prepare(
            boards.load(BOARD).kernel_of(KERNEL), encode(_plan()), tmp_path_factory.mktemp("guest") / "initrd"
        )


IN_GUEST = pytest.mark.usefixtures("_guest_is_built")
OWN_TIME = pytest.mark.timeout(300, func_only=True)


@cache
def _stream(root: Path, number: int, repetition: int = 0) -> bytes:
    """Of one run: a test makes no more than it looks at, since on a busy machine each takes minutes."""
    with lasting_cache(root), open_board(f"{BOARD}/{KERNEL}") as target:
        target.deploy()
        for _ in target.start(_plan(repetition)):
            pass
        return target.record_bytes


@IN_GUEST
@OWN_TIME
@pytest.mark.parametrize("item", [2, 4])
def test_the_characters_come_through_interrupts(root: Path, item: int) -> None:
    found = session(_stream(root, 1), _plan())
    (loaded,) = [r for r in found.results if r.item == item and r.quantity == "interrupt-task-response"]
    figures = {figure.key: figure.value for figure in loaded.load}
    assert loaded.status == "ok"
    assert loaded.count == 100
    assert figures["bytes_copied"] > 0
    assert all(figures[key] > 0 for key in INTERRUPTS), figures
    assert "pings_sent" not in figures


@IN_GUEST
@OWN_TIME
@pytest.mark.parametrize("item", [1, 3])
def test_the_network_interrupts(root: Path, item: int) -> None:
    found = session(_stream(root, 1), _plan())
    (loaded,) = [r for r in found.results if r.item == item and r.quantity == "interrupt-task-response"]
    figures = {figure.key: figure.value for figure in loaded.load}
    assert loaded.status == "ok"
    assert loaded.count == 100
    assert 0 < figures["pings_answered"] <= figures["pings_sent"] + 1  # one may have been under way at the beginning
    assert figures["bytes_copied"] > 0
    assert all(figures[key] > 0 for key in INTERRUPTS), figures


@IN_GUEST
@OWN_TIME
@pytest.mark.parametrize("item", [1, 3])
def test_the_network_delays_the_task(root: Path, item: int) -> None:
    """The median of three repetitions, since the idle maximum of one depends on whether its periods meet the kernel's tick."""
    most: dict[int, list[int]] = {0: [], item: []}
    for repetition in range(3):
        found = session(_stream(root, 1, repetition), _plan(repetition))
        for result in found.results:
            if result.item in most and result.quantity == "interrupt-task-response":
                assert result.max is not None
                most[result.item].append(result.max)
    assert len(most[0]) == len(most[item]) == 3
    assert median(most[item]) > median(most[0])


@IN_GUEST
@OWN_TIME
def test_the_network_is_the_same_to_the_byte(root: Path) -> None:
    assert _stream(root, 1) == _stream(root, 2)
