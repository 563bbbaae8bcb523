# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The kernel-side split on this machine's own kernel: boundaries in order, every sample accounted for, and why not where it cannot be."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from rtstone.stream import framing
from support import split

SAMPLES = 1200

OURS = {
    "on_expiry",
    "on_waking",
    "on_switch",
    "on_interrupt",
    "off_interrupt",
    "on_softirq",
    "off_softirq",
    "off_expiry",
}


@pytest.fixture
def capable(engine: Path) -> Path:
    """The engine, on a machine that supports the split. If something is missing, the test fails and names it."""
    if os.geteuid() != 0:
        pytest.fail("the kernel-side split takes CAP_BPF and CAP_PERFMON: run the tests as root")
    if not Path("/sys/kernel/btf/vmlinux").is_file():
        pytest.fail(
            "this kernel tells no types (CONFIG_DEBUG_INFO_BTF): run the tests on one that does, as Debian's do"
        )
    if b"on_expiry" not in engine.read_bytes():
        pytest.fail("the engine was built without BPF: tools/setup run installs what it takes, then `make engine`")
    return engine


def _records(engine: Path, *words: str, before: tuple[str, ...] = ()) -> list[dict[str, Any]]:
    command = [*before, str(engine), "run", "--measurement", "interrupt-split", *words]
    done = subprocess.run(command, capture_output=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    return [json.loads(framing.decode(line)[1]) for line in done.stdout.splitlines()]


def _skip(records: list[dict[str, Any]]) -> dict[str, Any]:
    """The one skip of the stream, its parts joined."""
    parts = [r for r in records if r["t"] == "skip"]
    assert [bool(part.get("more")) for part in parts] == [True] * (len(parts) - 1) + [False]
    return {**parts[0], "text": "".join(part.get("text", "") for part in parts)}


@pytest.mark.needs("bpf")
@pytest.mark.parametrize("timer", ["nanosleep", "timerfd"])
def test_every_sample_has_its_stages_or_a_reason(capable: Path, timer: str) -> None:
    words = ("--period-ns", "500000", "--count", str(SAMPLES), "--raw", "1", "--timer", timer)
    split.assert_accounted(_records(capable, *words), SAMPLES)


@pytest.mark.needs("bpf")
def test_boundaries_are_in_order_and_stages_add_up_to_samples_that_were_taken(capable: Path) -> None:
    split.assert_stages_of_samples(_records(capable, "--period-ns", "500000", "--count", str(SAMPLES), "--raw", "1"))


@pytest.mark.needs("bpf")
def test_the_probe_effect_and_the_cost_are_measured_beside(capable: Path) -> None:
    records = _records(capable, "--period-ns", "500000", "--count", str(SAMPLES), "--raw", "1")
    untraced = split.series(records)["untraced-task-response"]
    assert len(untraced) > SAMPLES // 5
    assert min(untraced) > 0
    figures = split.figures(records)
    assert figures["programs-runs"] > 0
    assert 0 < figures["programs-time"] < figures["programs-timed-for"]


CALLS = {"at-timer", "at-switch"}
BEGIN_AND_END = {word + end for word in ("interrupt", "softirq", "timer") for end in ("", "-end")}


def _trailed(engine: Path, count: int, period_ns: int) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The records, and of them the events, of so many samples that are all above the limit of the trail."""
    words = ("--period-ns", str(period_ns), "--count", str(count), "--raw", "1")
    records = _records(engine, *words, "--trace-over-ns", "1")
    return records, [r for r in records if r["t"] == "event" and r["kind"] != "steal"]


@pytest.mark.needs("bpf")
def test_the_trail_of_late_samples_is_kept_each_step_once_and_ends_with_what_the_sample_was(capable: Path) -> None:
    records, events = _trailed(capable, 20, 500_000)  # at most 513 events each: there is room for all
    assert {r["trace_over_ns"] for r in records if r["t"] == "item" and "trace_over_ns" in r} == {1}
    told = split.figures(records)
    assert "events-dropped" not in told
    assert told["samples-over-limit"] == 20
    calls = [r for r in events if r["kind"].split()[0] in CALLS]
    events = [r for r in events if r not in calls]
    times = [int(r["at"]) for r in events]
    assert times == sorted(times)
    assert {r["kind"].split()[0] for r in events} <= {
        "switch",
        "waking",
        "woken",
        "left",
        "held",
        "stolen",
        "sample",
        *BEGIN_AND_END,
    }
    assert all(r["task"] and r["pid"] >= 0 and 0 <= r["priority"] <= 100 for r in events)
    trails: dict[int, list[dict[str, Any]]] = {}
    for r in events:
        trails.setdefault(int(r["value"]), []).append(r)
    assert list(trails) == list(range(20))
    *_, ends = zip(*((steps[0], steps[-1]) for steps in trails.values()), strict=True)
    assert [int(end["ticks"]) for end in ends] == split.series(records)["interrupt-task-response"]
    assert sum(r["kind"].startswith("sample") for r in events) == 20
    # Where the kernel was, of samples that a timer woke: between their due time and their end.
    due_and_end = {int(end["value"]): (int(end["at"]) - int(end["ticks"]), int(end["at"])) for end in ends}
    assert {r["kind"].split()[0] for r in calls} == CALLS
    for r in calls:
        due, ended = due_and_end[int(r["value"])]
        assert due < int(r["at"]) < ended
    # What became of each sample is what the counts say: where the CPU is taken away, a period has passed before it is waited for.
    words = Counter(end["kind"].removeprefix("sample ") for end in ends)
    counts = {word: told[f"unsplit-{word}"] for word in ("late", "awake", "unmatched")}
    assert words == Counter({**counts, "split": told["samples-split"], "disordered": told["unsplit-disorder"]})
    # A timer woke each of the others, and it was switched to: its own trail shows that.
    for *steps, end in trails.values():
        if end["kind"] == "sample split":
            assert any(step["kind"] == "timer" for step in steps)
            assert any(step["kind"].startswith("switch ") and step["pid"] == end["pid"] for step in steps)


@pytest.mark.needs("bpf")
def test_periods_that_come_while_a_trail_is_told_are_no_samples(capable: Path) -> None:
    """A period is shorter than the report of its trail: each would make the next one late, and that one the next."""
    records, _ = _trailed(capable, 4000, 20_000)
    told = split.figures(records)
    assert told["periods-of-trails"] > 100
    series = split.series(records)["interrupt-task-response"]
    assert len(series) == 4000
    assert min(series) >= 0, "0: a period that came in the nanosecond in which the task, awake after a trail, looked"
    untold = _records(capable, "--period-ns", "20000", "--count", "400")
    assert "periods-of-trails" not in split.figures(untold)


@pytest.mark.needs("bpf")
def test_what_the_trail_has_no_room_for_is_counted(capable: Path) -> None:
    records, events = _trailed(capable, 17_000, 100_000)
    told = split.figures(records)
    ends = [r["kind"] for r in events if r["kind"].startswith("sample")]
    assert told["samples-over-limit"] == 17_000
    steals = sum(r["t"] == "event" and r["kind"] == "steal" for r in records)
    assert len(ends) + steals >= 4096, "the room that no step takes"
    assert 0 < sum(kind.endswith(" dropped") for kind in ends) < len(ends)
    assert len(events) <= 16_384
    assert len(ends) + told["events-dropped"] >= 17_000 > len(ends)
    assert not [r for r in _records(capable, "--period-ns", "500000", "--count", "20") if r["t"] == "event"]


@pytest.mark.needs("bpf")
def test_nothing_stays_attached_when_the_engine_is_gone(capable: Path) -> None:
    before = _programs()
    _records(capable, "--period-ns", "500000", "--count", "100")
    # The kernel frees a program only when nobody can be running it any more.
    until = time.monotonic() + 20
    while _programs() > before and time.monotonic() < until:
        time.sleep(0.2)
    assert _programs() <= before


def _programs() -> int:
    """How many of our programs the kernel holds."""
    tool = shutil.which("bpftool") or shutil.which("bpftool", path="/usr/sbin")
    if tool is None:
        pytest.fail("bpftool is not installed: tools/setup test installs it")
    listed = json.loads(subprocess.run([tool, "-j", "prog", "show"], capture_output=True, check=True).stdout)
    return sum(program.get("name") in OURS for program in listed)


@pytest.mark.needs("bpf")
def test_nothing_beside_the_engine_is_loaded(capable: Path, tmp_path: Path) -> None:
    """A privileged engine in a folder where another may have put programs: it loads its own alone, and asks for no file there."""
    alone = Path(shutil.copy2(capable, tmp_path / "rtstone-engine"))
    (tmp_path / "rtstone_split.bpf.o").write_bytes(b"another user's")
    records = _records(alone, "--count", "50")
    assert not [r for r in records if r["t"] == "skip"]
    assert len(split.series(records)["interrupt-task-response"]) == 0  # no raw samples were asked for
    (end,) = (r for r in records if r["t"] == "end" and r["series"] == 0)
    assert int(end["count"]) == 50


def test_without_privilege_the_remedy_is_told(capable: Path) -> None:
    records = _records(capable, "--count", "10", before=("setpriv", "--bounding-set=-all", "--inh-caps=-all"))
    skip = _skip(records)
    assert skip["reason"] == "denied"
    assert "CAP_BPF" in skip["text"]
    assert skip["text"].endswith("start it with --cap-add BPF --cap-add PERFMON")
