# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The kernel-side split on kernels that this machine does not run: with PREEMPT_RT, of another architecture, with a planted fault."""

from __future__ import annotations

import json
import random
from functools import cache
from pathlib import Path
from statistics import median
from typing import Any

import jsonschema
import msgspec
import pytest

from rtstone.explain.document import NOTHING
from rtstone.stream import framing
from rtstone.stream.plan import Item, Plan
from rtstone.targets.board import open_board
from support import split
from support.board_command import Command, rtstone
from support.images import lasting
from support.schemas import schema

__all__ = ["lasting", "rtstone"]  # the fixtures

KERNELS = ["pc-split/linux-6.1-rt", "pc-split/linux-6.12-rt", "arm64-split/linux-6.1-rt"]
TIMERS = ["nanosleep", "timerfd"]
SAMPLES = 400
TROUBLE = ("rtstone-init:", "Oops", "BUG", "WARNING", "Call trace")

Records = list[dict[str, Any]]


@cache
def _boot(kernel: str) -> tuple[Records, str]:
    """The records of one session, and the kernel's other lines on the console."""
    split_by_timer = Item(item=0, measurement="interrupt-split", count=SAMPLES, period_ns=500_000, raw=1)
    items = tuple(msgspec.structs.replace(split_by_timer, item=n, timer=timer) for n, timer in enumerate(TIMERS))
    records: Records = []
    console = []
    with open_board(kernel) as target:
        target.deploy()
        for line in target.start(Plan(seed=1, repetition=0, items=items)):
            if line.startswith(b"~"):
                records.append(json.loads(framing.decode(framing.strip(line))[1]))
            else:
                console.append(line.decode("utf-8", "replace"))
    return records, "\n".join(console)


def _of(kernel: str, timer: str) -> Records:
    return [r for r in _boot(kernel)[0] if r.get("item") == TIMERS.index(timer)]


@pytest.mark.parametrize("timer", TIMERS)
@pytest.mark.parametrize("kernel", KERNELS)
def test_every_sample_has_its_stages_or_a_reason(kernel: str, timer: str) -> None:
    split.assert_accounted(_of(kernel, timer), SAMPLES)


@pytest.mark.parametrize("timer", TIMERS)
@pytest.mark.parametrize("kernel", KERNELS)
def test_boundaries_are_in_order_and_stages_add_up_to_samples_that_were_taken(kernel: str, timer: str) -> None:
    split.assert_stages_of_samples(_of(kernel, timer))


@pytest.mark.parametrize("kernel", KERNELS)
def test_the_kernel_is_what_it_is_taken_for(kernel: str) -> None:
    records, console = _boot(kernel)
    (release,) = (r["value"] for r in records if r["t"] == "env" and r["key"] == "kernel.release")
    assert "-rt-" in release
    assert release.startswith(kernel.partition("linux-")[2].partition("-")[0] + ".")
    assert ("arm64" in release) == kernel.startswith("arm64")
    for word in TROUBLE:
        assert word not in console


@pytest.mark.parametrize("kernel", KERNELS)
def test_a_real_time_kernel_calls_a_file_timer_from_a_thread(kernel: str) -> None:
    """A real-time task's sleep ends in the interrupt, a timerfd in a thread of the kernel's that is first to be switched to."""
    early, late = (median(split.series(_of(kernel, timer))["expiry-to-handler"]) for timer in TIMERS)
    assert late > 2 * early


@pytest.mark.long
@pytest.mark.parametrize(
    ("board", "architecture", "more", "until", "function"),
    [
        ("arm64-split", "arm64", "", "the timer's interrupt came late", "hold_section"),
        # x86 runs one more instruction after `sti`, here the return, before it takes an interrupt.
        ("pc-split", "amd64", "", "the timer's interrupt came late", "hold"),
        ("pc-split", "amd64", ",preemption=1", "slow from the waking to the switch", "hold_preemption"),
    ],
)
def test_a_kernel_that_lets_nothing_in_is_named_by_its_function(
    rtstone: Command,
    root: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    board: str,
    architecture: str,
    more: str,
    until: str,
    function: str,
) -> None:
    """A module holds interrupts or preemption off again and again, longer than a sample is to take: its function is to blame."""
    text = (root / "boards" / board / "board.toml").read_text()
    loops = random.SystemRandom().randrange(40_000, 60_000) * (1 if architecture == "arm64" else 2)  # as fast again
    module = f'modules = ["rtstone_hold:loops={loops}{more}"]'
    text = text.replace(f'id = "{board}"', 'id = "planted"').replace(
        f'architecture = "{architecture}"', f'architecture = "{architecture}"\n{module}'
    )
    (tmp_path / "planted").mkdir()
    (tmp_path / "planted" / "board.toml").write_text(text)
    monkeypatch.setenv("RTSTONE_BOARDS", str(tmp_path))
    words = ("-m", "interrupt-split", "-r", "1", "--load", "none", "--count", "200", "--period", "5ms")
    kept = rtstone("run", "-t", "board:planted/linux-6.1-rt", *words, "--trace-over", "900us", "--json")
    assert kept.code == 0, kept.err
    made = rtstone("explain", "last", "--json")
    assert made.code == 0, made.err
    jsonschema.validate(made.json, schema("explanation"))
    causes = {cause["function"]: cause["samples"] for cause in made.json["causes"]}
    held = f"{NOTHING}: {until}, in {function}"
    assert causes.get(held) == made.json["slow"] > 5, causes
    assert made.json["sample"]["blame"]["function"] == held
    assert made.json["sample"]["stacks"]
    for stack in made.json["sample"]["stacks"]:
        assert stack["calls"][0] == function, stack
    assert f"the kernel was in {function} < " in rtstone("explain", "last").out
