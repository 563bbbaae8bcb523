# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Interrupts of a UIO device, in a guest whose device counts its requests: each interrupt is accounted for.

The device is QEMU's `edu` under the kernel's uio_pci_generic. A serial line shares its interrupt.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from functools import cache
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import pytest

from rtstone.stream import framing
from support import uncounted_boot
from support.uio_guest import BOARD, ramdisk

KERNELS = ["linux-6.1", "linux-6.1-rt"]
DEVICE, OTHER = "0000:00:0a.0", "0000:00:0e.0"  # four slots apart: one interrupt of the PC for both
COUNT, BURST, APART_NS = 200, 5, 2_000_000
PATIENCE_S = 240
TROUBLE = ("Oops", "BUG:", "WARNING:", "Call trace", "Call Trace", "nobody cared", "Kernel panic", "FAILS")
FIGURES = ("waited-for", "between-slices", "missed")
WRONG = {
    "no-device": ("unsupported", "there is no UIO device /dev/uio7"),
    "no-name": ("invalid", "/dev/uio0+64 is no UIO device, as in uio:/dev/uio0 or uio:/dev/uio0+0/64:1"),
    "no-region": ("unsupported", "the register at 64 of region 5 cannot be mapped: No such file or directory"),
    "no-capability": ("denied", "cannot be stamped: BPF programs take CAP_BPF and CAP_PERFMON"),
    "busy": ("unsupported", "/dev/uio0 is busy: process 1 has it open"),
}

Records = list[dict[str, Any]]


class Case(NamedTuple):
    """The engine's records, and how many interrupts the device raised and the kernel counted meanwhile."""

    records: Records
    raised: int
    events: int

    def figures(self) -> dict[str, int]:
        return {r["name"]: int(r["value"]) for r in self.records if r["t"] == "figure"}

    def end(self) -> dict[str, Any]:
        (end,) = (r for r in self.records if r["t"] == "end")
        return end

    def samples(self) -> list[int]:
        return [value for r in self.records if r["t"] == "samples" for value in r["v"]]

    def remark(self) -> str:
        return "".join(r["text"] for r in self.records if r["t"] == "note")  # a long one is sent in parts


class Boot(NamedTuple):
    """A whole boot: every line, and the cases."""

    lines: list[str]
    cases: dict[str, Case]


def _case(lines: list[str]) -> Case:
    records = [json.loads(framing.decode(line.encode())[1]) for line in lines if line.startswith("~")]
    raised = next((line.split()[1:] for line in lines if line.startswith("RAISED ")), ["0", "0"])
    return Case(records, int(raised[0]), int(raised[1]))


@pytest.fixture(scope="module")
def boot_of(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Boot]:
    """Boots a kernel once, and returns its output."""

    @cache
    def boot(name: str) -> Boot:
        folder = tmp_path_factory.mktemp("uio")
        flags = (f'-DUIO_DEVICE="{DEVICE}"', f'-DUIO_OTHER="{OTHER}"')
        image = ramdisk(root, folder, name, "uio_interrupts.c", flags, "uio_pci_generic")
        line = ("-chardev", "null,id=line", "-device", f"pci-serial,chardev=line,addr={OTHER[8:10]}")
        devices = ("-device", f"edu,addr={DEVICE[8:10]}", *line)
        command = uncounted_boot.command(BOARD, image, folder / "initrd", *devices)
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE_S, check=True)
        lines = [line.strip() for line in done.stdout.decode("utf-8", "replace").splitlines()]
        starts = [n for n, line in enumerate(lines) if line.startswith("CASE ")] + [len(lines)]
        cases = {lines[start].split()[1]: _case(lines[start:end]) for start, end in pairwise(starts)}
        return Boot(lines, cases)

    return boot


@pytest.fixture(params=[KERNELS[0], pytest.param(KERNELS[1], marks=pytest.mark.long)])
def boot(request: pytest.FixtureRequest, boot_of: Callable[[str], Boot]) -> Boot:
    return boot_of(request.param)


def _assert_accounted(case: Case) -> None:
    """Every interrupt that the device raised is in one figure."""
    figures = case.figures()
    assert sum(figures[name] for name in FIGURES) == figures["interrupts"]
    # Outside of the item: one before the device was opened and one after the last sample, at most.
    assert case.raised - 2 <= figures["interrupts"] <= case.raised
    checks = {r["name"]: r for r in case.records if r["t"] == "check"}
    assert checks["interrupts"]["value"] == checks["interrupts"]["high"]


def _assert_of_own_interrupt(case: Case) -> None:
    """A stamp of another interrupt would be earlier by the time between them, or later than the task's reading."""
    assert min(case.samples()) > 0
    assert median(case.samples()) < APART_NS


def test_every_interrupt_is_a_sample(boot: Boot) -> None:
    case = boot.cases["plain"]
    figures = case.figures()
    assert case.end()["status"] == "ok", case.remark()
    assert (figures["missed"], figures["stamps-in-doubt"]) == (0, 0)
    assert len(case.samples()) == COUNT
    _assert_of_own_interrupt(case)
    _assert_accounted(case)
    assert case.raised == case.events
    assert APART_NS < figures["interval-least"] <= figures["interval-most"]


def test_the_remark_says_from_where_and_that_no_due_time_is_known(boot: Boot) -> None:
    said = boot.cases["plain"].remark()
    assert "interrupts of /dev/uio0 (uio_pci_generic, interrupt " in said
    assert "from the kernel's stamp in front of its handler (irq_handler_entry), not from the device's request" in said
    assert "when one was due is not known" in said
    names = {r["name"] for r in boot.cases["plain"].records if r["t"] in {"figure", "check"}}
    assert not [name for name in names if "late" in name or "lost" in name]


def test_interrupts_of_another_device_are_not_those_of_this_one(boot_of: Callable[[str], Boot]) -> None:
    case = boot_of("linux-6.1").cases["shared"]
    assert case.end()["status"] == "ok", case.remark()
    assert len(case.samples()) == COUNT
    assert case.figures()["missed"] == 0
    assert case.figures()["stamps-in-doubt"] <= COUNT // 20
    _assert_of_own_interrupt(case)
    _assert_accounted(case)


def test_where_they_cannot_be_told_apart_no_stamp_is_guessed(boot_of: Callable[[str], Boot]) -> None:
    """Under PREEMPT_RT each handler is a thread, and the kernel does not report which device the interrupt was of."""
    case = boot_of("linux-6.1-rt").cases["shared"]
    assert case.end()["status"] == "failed"
    assert case.remark().startswith("the stamps do not match the device's count: another device shares its interrupt; ")
    figures = case.figures()
    assert figures["stamps-in-doubt"] > 100
    # The warm-up has five at most that are neither in doubt nor among the samples.
    assert 0 <= figures["waited-for"] - figures["stamps-in-doubt"] - len(case.samples()) <= 5
    assert all(sample > 0 for sample in case.samples())
    _assert_accounted(case)


def test_a_count_that_jumps_is_counted_and_timed_from_the_first(boot: Boot) -> None:
    case = boot.cases["stopped"]
    assert case.end()["status"] == "ok", case.remark()
    assert case.figures()["missed"] == BURST - 1
    assert "4 missed" in case.remark()
    # The first of five interrupts, 10 ms apart, came at least 50 ms before the engine went on.
    assert max(case.samples()) > 50_000_000
    _assert_accounted(case)
    assert case.raised == case.events


def test_interrupts_that_end_fail_the_item_and_keep_its_samples(boot: Boot) -> None:
    case = boot.cases["ended"]
    assert case.end()["status"] == "failed"
    assert case.remark().startswith("the signal ended or did not come; ")
    assert int(case.end()["count"]) > 0


@pytest.mark.parametrize("name", WRONG)
def test_a_device_that_cannot_be_used_is_one_line(boot: Boot, name: str) -> None:
    case = boot.cases[name]
    skips = [r for r in case.records if r["t"] == "skip"]  # a long one is sent in parts
    reason, text = WRONG[name]
    assert skips[0]["reason"] == reason
    assert text in "".join(skip["text"] for skip in skips)
    assert not [r for r in case.records if r["t"] in {"begin", "end", "hist"}]
    assert case.events == 0


def test_nothing_goes_wrong_beside_it(boot: Boot) -> None:
    assert "DONE" in boot.lines, boot.lines[-10:]
    assert [line for line in boot.lines if any(word in line for word in TROUBLE)] == []
