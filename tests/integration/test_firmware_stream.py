# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Every kernel that is built here boots on every board that has it, and a second run gives the same bytes."""

from __future__ import annotations

import re
import resource
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import msgspec
import pytest

from rtstone.stream import collect
from rtstone.stream.plan import Item, Plan, encode
from rtstone.targets import boards
from support.firmware import CASES, KERNELS, run, session, single
from support.images import Build, image, image_for_tests

__all__ = ["image", "image_for_tests"]  # the fixtures

FIRST_RECORD_S = 1.0
FIRST_RECORD_OF_AN_IOC_S = 3.0
"""This bound for a kernel that starts a network and an IOC with 5000 records before the engine."""
# Of no kernel that is built here: processes.
PROCESSES = {"process-ping-suspend-resume", "process-suspend-resume", "process-switch"}


def _measurements(root: Path) -> list[str]:
    """The names of the measurements of every port, as the engine's sources state them: not those that a definition of a port adds."""
    files = sorted((root / "engine" / "measurements").glob("*.c"))
    texts = [
        re.sub(r"^#ifdef RTS_PORT_.*?^#endif$", "", file.read_text(), flags=re.MULTILINE | re.DOTALL) for file in files
    ]
    found = [name for text in texts for name in re.findall(r'^\s*\.name = "([^"]+)"', text, re.MULTILINE)]
    assert len(found) >= 22
    return found


def _everything(root: Path, seed: int = 1, repetition: int = 0) -> Plan:
    """A plan of every measurement by both passes, idle and under load, with few samples."""
    names = _measurements(root)
    items = [Item(item=0, measurement=name, count=60) for name in names]
    items += [Item(item=0, measurement=name, pass_="batch", count=8, sets=5) for name in names]
    items += [Item(item=0, measurement=name, count=40, load="cpu") for name in names]
    items += [Item(item=0, measurement="interrupt-response", count=100, period_ns=250_000, phase_ns=1234, raw=1)]
    numbered = tuple(msgspec.structs.replace(item, item=number) for number, item in enumerate(items))
    return Plan(seed=seed, repetition=repetition, items=numbered)


@pytest.mark.parametrize(("board", "kernel"), CASES)
def test_three_runs_are_one_to_the_byte(image: Build, root: Path, tmp_path: Path, board: str, kernel: str) -> None:
    """Side by side, so that the host is busy while they run."""
    built, plan = image(board, kernel), _everything(root)
    with ThreadPoolExecutor(3) as pool:
        runs = list(pool.map(lambda n: run(built, board, kernel, plan, tmp_path / str(n)), range(3)))
    assert runs[0] == runs[1] == runs[2]
    assert session(runs[0], plan).console == ()


LACKING = {
    "rt": {"queue-fill-urgent", "task-ping-suspend-resume", "task-suspend-resume"},
    "rtems-pthread": {"task-ping-suspend-resume", "task-suspend-resume"},
}
"""The measurements for which a kernel has no service."""

RELEASES = {
    "bare": "bare metal",
    "freertos": r"V11\.2\.0",
    "rt": r"0\.19\.1(, entry mended)?",
    "freertos-rust": r"0\.3\.0",
    "threadx": r"\d+\.\d+\.\d+",  # whichever is installed
    "rtems": r"\d+\.\d+\.\S+",
    "rtems-pthread": r"\d+\.\d+\.\S+",
    "rtems-ioc": r"\d+\.\d+\.\S+",
}

WITHOUT_TASKS = {"interrupt-response", "interrupt-stages", "interrupt-total"}
"""Measurements that need an interrupt and a loop that waits for it, and no second task."""


@pytest.mark.parametrize(("board", "kernel"), CASES)
def test_answers_every_measurement(image_for_tests: Build, root: Path, tmp_path: Path, board: str, kernel: str) -> None:
    """Each kernel measures all that it has services for, bare metal the interrupt. A skipped item has a reason."""
    plan = _everything(root)
    found = session(run(image_for_tests(board, kernel), board, kernel, plan, tmp_path), plan)
    assert kernel == "bare" or found.env["kernel.asserts"].startswith("on")
    assert {result.item for result in found.results} == set(range(len(plan.items)))
    measured = {result.measurement for result in found.results if result.status != "skipped"}
    everything = set(_measurements(root))
    assert measured == (WITHOUT_TASKS if kernel == "bare" else everything - PROCESSES - LACKING.get(kernel, set()))
    for result in found.results:
        if result.status == "skipped":
            assert result.reason == "unsupported"
            assert result.text
        else:
            assert (result.status, result.reason) == ("ok", ""), (result.measurement, result.quantity, result.checks)
            assert all(check.holds for check in result.checks)
            assert result.min is not None
            assert result.min >= 0
            assert result.count > 0


@pytest.mark.parametrize(("board", "kernel"), CASES)
def test_tells_what_it_is(image: Build, tmp_path: Path, board: str, kernel: str) -> None:
    facts = boards.load(board)
    found = session(run(image(board, kernel), board, kernel, single("interrupt-response", count=5), tmp_path))
    assert found.port == kernel
    assert found.env["board"] == board
    assert re.fullmatch(RELEASES[kernel], found.env["kernel.release"])
    assert found.env["engine.plan"] == "host"
    assert found.clock(0).hz == facts.clock.hz
    assert {"timer", "timer.priority", "unit", "compiler", "memory.run_bytes", "engine.memory_bytes"} <= set(found.env)
    assert int(found.env["engine.memory_bytes"]) <= int(found.env["memory.run_bytes"])
    assert not [value for value in found.env.values() if "/" in value and Path(value).is_absolute()]


@pytest.mark.parametrize(("board", "kernel"), CASES)
def test_without_a_plan_the_built_in_one_runs(image: Build, tmp_path: Path, board: str, kernel: str) -> None:
    found = session(run(image(board, kernel), board, kernel, None, tmp_path))
    assert found.env["engine.plan"] == "built-in"
    assert any(result.status == "ok" for result in found.results)


@pytest.mark.parametrize(("board", "kernel"), CASES)
def test_first_record_comes_soon(image: Build, tmp_path: Path, board: str, kernel: str) -> None:
    """The whole of a short session, start of the emulator included, stays below the bound of the first record.

    The emulator never waits, so its CPU time is what passes on a host that is not busy with other things.
    """
    built, plan = image(board, kernel), single("interrupt-response", count=5)
    run(built, board, kernel, plan, tmp_path / "warm")
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run(built, board, kernel, plan, tmp_path / "timed")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    bound = FIRST_RECORD_OF_AN_IOC_S if kernel == "rtems-ioc" else FIRST_RECORD_S
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < bound


@pytest.mark.parametrize("kernel", KERNELS)
def test_nonce_derives_from_seed_and_repetition(image: Build, tmp_path: Path, kernel: str) -> None:
    def nonce(seed: int, repetition: int) -> str:
        item = Item(item=0, measurement="interrupt-response", count=3)
        plan = Plan(seed=seed, repetition=repetition, items=(item,))
        return session(run(image("arm64", kernel), "arm64", kernel, plan, tmp_path)).nonce

    assert nonce(1, 0) == nonce(1, 0)
    assert len({nonce(1, 0), nonce(1, 1), nonce(2, 0)}) == 3


@pytest.mark.parametrize("kernel", KERNELS)
def test_refuses_a_plan_that_is_damaged(image: Build, tmp_path: Path, kernel: str) -> None:
    text = bytearray(encode(single("interrupt-response", count=5)))
    text[10] ^= 1
    (found,) = collect(run(image("arm64", kernel), "arm64", kernel, bytes(text), tmp_path).splitlines(keepends=True))
    assert found.refusal
    assert found.results == ()
