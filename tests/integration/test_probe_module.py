# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The probe module in a guest with PREEMPT_RT, used as a laboratory would and worse: bounds, rights, signals, unloading in mid-run."""

from __future__ import annotations

import json
import socket
import subprocess
import time
from pathlib import Path

import pytest

from rtstone.targets import boards
from rtstone.targets.boards.guest import _build, _kernel
from rtstone.targets.boards.guest._ramdisk import archive
from support.images import lasting_cache

KERNEL = "linux-6.1-rt"
PATIENCE_S = 300
TROUBLE = ("Oops", "BUG:", "WARNING:", "Call trace", "scheduling while atomic", "Kernel panic")


class _Button:
    """The board's power button, by the emulator's own control port."""

    def __init__(self, path: Path) -> None:
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.connect(str(path))
        self._lines = self._socket.makefile("rb")
        self._lines.readline()
        self._say("qmp_capabilities")

    def _say(self, command: str) -> None:
        self._socket.sendall(json.dumps({"execute": command}).encode() + b"\n")
        while b'"return"' not in (line := self._lines.readline()) and line:
            pass

    def press(self) -> None:
        self._say("system_powerdown")

    def close(self) -> None:
        self._lines.close()
        self._socket.close()


def _command(folder: Path, image: Path) -> list[str]:
    board = boards.load("arm64")
    places = {"seed": "1", "image": str(image)}
    arguments = [argument.format(**places) for argument in board.emulator.arguments]
    words = "console=ttyAMA0 panic=-1 rdinit=/init quiet loglevel=4 cryptomgr.notests"
    return [
        *(board.emulator.program, *arguments, "-initrd", str(folder / "initrd"), "-append", words),
        *("-serial", "stdio", "-qmp", f"unix:{folder / 'qmp'},server=on,wait=off"),
    ]


@pytest.fixture(scope="module")
def said(root: Path, tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """All lines of one boot of the exerciser; the button is pressed when it asks for it."""
    folder = tmp_path_factory.mktemp("probe")
    sources = [str(root / "tests" / "support" / name) for name in ("probe_exercise.c", "probe_arm64.c")]
    subprocess.run(
        ["aarch64-linux-gnu-gcc", "-O1", "-static", "-D_GNU_SOURCE", "-o", str(folder / "init"), *sources],
        check=True,
        timeout=60,
    )
    with lasting_cache(root):
        place, packaged = _kernel.fetch(boards.load("arm64").kernel_of(KERNEL))
        module = _build.own_module("rtstone_probe", place, packaged).read_bytes()
    files = {"init": (folder / "init").read_bytes(), "modules/rtstone_probe.ko": module}
    (folder / "initrd").write_bytes(archive(files, executable=frozenset({"init"}), folders=("dev", "modules")))
    process = subprocess.Popen(
        _command(folder, place / "image"), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL
    )
    assert process.stdout is not None
    lines: list[str] = []
    button: _Button | None = None
    until = time.monotonic() + PATIENCE_S
    try:
        for raw in process.stdout:
            lines.append(raw.decode("utf-8", "replace").strip())
            if lines[-1] == "PRESS":
                button = button or _Button(folder / "qmp")
                button.press()
            assert time.monotonic() < until, lines[-5:]
    finally:
        if button is not None:
            button.close()
        process.kill()
        process.wait()
        process.stdout.close()
    return lines


def test_everything_holds(said: list[str]) -> None:
    assert [line for line in said if line.startswith("FAILS")] == []
    assert "DONE" in said, said[-10:]


@pytest.mark.parametrize(
    ("source", "least"),
    [("module", 3), ("arm-timer", 40), ("hrtimer", 40), ("gpio", 9)],
)
def test_every_source_was_tried(said: list[str], source: str, least: int) -> None:
    assert sum(line.startswith(f"holds {source}:") for line in said) >= least


def test_the_kernel_complains_of_nothing(said: list[str]) -> None:
    assert [line for line in said if any(word in line for word in TROUBLE)] == []
