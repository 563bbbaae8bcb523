# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The probe module in a guest with PREEMPT_RT and two CPUs: a GPIO line that another CPU raises, and readers of the load's interrupts.

Then the engine in the same guest, which waits for edges of the line and for pulses of a PPS source. No instructions are counted and no time
is judged here, so that a busy host shows in no verdict. The lines are those of a chip of our own, wired to each other.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from rtstone.model import Result
from rtstone.stream import collect
from rtstone.targets import boards
from rtstone.targets.boards.guest import _build, _kernel
from rtstone.targets.boards.guest._folder import Packaged
from rtstone.targets.boards.guest._ramdisk import archive
from support.images import lasting_cache

BOARD, KERNEL = "arm64", "linux-6.1-rt"
PATIENCE_S = 300
TROUBLE = ("Oops", "BUG:", "WARNING:", "Call trace", "scheduling while atomic", "Kernel panic")

pytestmark = pytest.mark.timeout(600)


def _modules(root: Path, folder: Path) -> tuple[Path, dict[str, bytes]]:
    """The kernel's image, and the modules: the probe's and that of the wired lines."""

    def wired(place: Path, packaged: Packaged) -> bytes:
        source = root / "tests" / "support" / "wired_gpio"
        work = folder / "wired_gpio"
        work.mkdir()
        for name in ("Kbuild", "wired_gpio.c"):
            (work / name).write_bytes((source / name).read_bytes())
        _build.build_modules(place, packaged, work, "the wired lines")
        return (work / "wired_gpio.ko").read_bytes()

    with lasting_cache(root):
        place, packaged = _kernel.fetch(boards.load(BOARD).kernel_of(KERNEL))
        probe = _build.own_module("rtstone_probe", place, packaged).read_bytes()
        engine = (_build.programs("arm64") / "rtstone-engine").read_bytes()
        modules = {"modules/rtstone_probe.ko": probe, "modules/wired_gpio.ko": wired(place, packaged)}
        return place / "image", modules | {"rtstone-engine": engine}


def _command(image: Path, initrd: Path) -> list[str]:
    """The board with two CPUs and no instructions counted."""
    emulator = boards.load(BOARD).emulator
    arguments = [argument.format(seed="1", image=image) for argument in emulator.arguments]
    counted = arguments.index("-icount")
    del arguments[counted : counted + 2]
    arguments[arguments.index("-smp") + 1] = "2"
    words = "console=ttyAMA0 panic=-1 rdinit=/init quiet loglevel=4 cryptomgr.notests"
    return [emulator.program, *arguments, "-initrd", str(initrd), "-append", words, "-serial", "stdio"]


@pytest.fixture(scope="module")
def said(root: Path, tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """All lines of one boot."""
    folder = tmp_path_factory.mktemp("wired")
    sources = [str(root / "tests" / "support" / name) for name in ("probe_exercise.c", "probe_wired.c")]
    flags = ["-O1", "-static", "-pthread", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror"]
    subprocess.run(["aarch64-linux-gnu-gcc", *flags, "-o", str(folder / "init"), *sources], check=True, timeout=60)
    image, files = _modules(root, folder)
    files["init"] = (folder / "init").read_bytes()
    packed = archive(files, executable=frozenset({"init", "rtstone-engine"}), folders=("dev", "modules", "proc", "sys"))
    (folder / "initrd").write_bytes(packed)
    command = _command(image, folder / "initrd")
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=True, timeout=PATIENCE_S)
    except subprocess.TimeoutExpired as late:
        pytest.fail(f"the guest did not end: {(late.stdout or b'')[-1000:].decode('utf-8', 'replace')}")
    return [line.strip() for line in done.stdout.decode("utf-8", "replace").splitlines()]


def test_everything_holds(said: list[str]) -> None:
    assert [line for line in said if line.startswith("FAILS")] == []
    assert "DONE" in said, said[-10:]


@pytest.mark.parametrize(("source", "least"), [("gpio", 24), ("traffic", 6), ("edges", 2)])
def test_every_source_was_tried(said: list[str], source: str, least: int) -> None:
    assert sum(line.startswith(f"holds {source}:") for line in said) >= least


def test_the_kernel_complains_of_nothing(said: list[str]) -> None:
    assert [line for line in said if any(word in line for word in TROUBLE)] == []


def _results(said: list[str], name: str) -> dict[str, Result]:
    """The results of the engine's item of that name, one a series."""
    lines = [bytes.fromhex(words[1]) for words in (line.split() for line in said) if words[:1] == [name]]
    (session,) = collect(lines)
    return {result.quantity: result for result in session.results}


def _figures(result: Result) -> dict[str, int]:
    return {figure.name: figure.value for figure in result.figures}


def _accounted(figures: dict[str, int]) -> bool:
    return figures["edges"] == figures["waited-for"] + figures["between-slices"] + figures["missed"]


def test_an_edge_is_waited_for_and_answered(said: list[str]) -> None:
    results = _results(said, "LINE")
    waited, answered = results["edge-task-response"], results["edge-answered"]
    figures = _figures(waited)
    assert waited.status == answered.status == "ok", waited
    assert waited.count == answered.count == 200
    assert waited.min is not None
    assert waited.min > 0
    assert _accounted(figures)
    answers = next(int(line.split()[1]) for line in said if line.startswith("ANSWERS"))
    assert answers == figures["waited-for"] >= 200


def test_a_pulse_is_put_on_the_clock_of_the_measurement(said: list[str]) -> None:
    result = _results(said, "PULSES")["edge-task-response"]
    assert (result.status, result.count) == ("ok", 200)
    figures = _figures(result)
    assert _accounted(figures)
    assert result.min is not None
    assert result.min > -figures["stamp-error-most"]


def test_a_line_that_another_has_is_refused(said: list[str]) -> None:
    (result,) = _results(said, "TAKEN").values()
    assert result.status == "skipped"
    assert "another program or driver has it" in result.text


def test_a_signal_that_ends_leaves_what_came(said: list[str]) -> None:
    result = _results(said, "ENDED")["edge-task-response"]
    assert result.status != "ok"
    assert result.count > 0
    assert "the signal ended" in result.text
