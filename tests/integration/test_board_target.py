# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Virtual boards as targets: each kind of failed guest has its error and ends; other guests leave nothing behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Callable
from pathlib import Path

import pytest

from rtstone.cli import main
from rtstone.errors import InfrastructureError, UsageError
from rtstone.measure import measure
from rtstone.stream.plan import Item, Plan
from rtstone.targets import open_target
from rtstone.targets.boards import firmware
from support.children import children
from support.guests import HELLO, guest, impatient, target
from support.images import Build, image

__all__ = ["image"]  # the fixture


PLAN = Plan(seed=1, repetition=0, items=(Item(item=0, measurement="interrupt-response", count=50, period_ns=250_000),))
LONG = Plan(
    seed=1, repetition=0, items=(Item(item=0, measurement="interrupt-response", count=4_000_000, period_ns=1_000_000),)
)
MARK = "RTSTONE_TEST_MARK"

Boot = Callable[[Path], None]


@pytest.fixture
def boot(monkeypatch: pytest.MonkeyPatch) -> Boot:
    """Makes the board boot this image instead of the one that would be built."""

    def use(built: Path) -> None:
        monkeypatch.setattr(firmware, "build", lambda board, kernel: built)

    return use


def _failure(**limits: int) -> str:
    with target(impatient(**limits)) as board, pytest.raises(InfrastructureError) as caught:
        list(board.start(PLAN))
    assert caught.value.exit_code == 3
    text = str(caught.value)
    assert "\n" not in text
    assert text.startswith("board:arm64/bare: ")
    return text


@pytest.mark.parametrize("ending", ["hang", "halt"])
def test_a_guest_that_never_speaks(boot: Boot, tmp_path: Path, ending: str) -> None:
    boot(guest(tmp_path, "", ending))
    text = _failure()
    assert "no record within" in text
    assert "it printed nothing" in text


def test_a_guest_that_speaks_and_hangs(boot: Boot, tmp_path: Path) -> None:
    boot(guest(tmp_path, HELLO + "about to hang\n", "hang"))
    text = _failure(first_record_s=20)
    assert "silent for" in text
    assert "the guest hangs; it said last: about to hang" in text


def test_a_guest_that_panics(boot: Boot, tmp_path: Path) -> None:
    boot(guest(tmp_path, HELLO + "Kernel panic - not syncing: no init\n", "reset"))
    assert "the guest panicked: Kernel panic - not syncing: no init" in _failure()


@pytest.mark.parametrize("ending", ["reset", "off"])
def test_a_guest_that_resets_or_goes_out(boot: Boot, tmp_path: Path, ending: str) -> None:
    boot(guest(tmp_path, HELLO + "so far\n", ending))
    text = _failure()
    assert (
        "the run ended before its end: the guest reset itself or switched its board off; it said last: so far" in text
    )


def test_a_guest_that_begins_again(boot: Boot, tmp_path: Path) -> None:
    boot(guest(tmp_path, HELLO, "again"))
    assert "the guest was reset in mid-run" in _failure()


def test_a_truncated_image(boot: Boot, image: Build, tmp_path: Path) -> None:
    cut = tmp_path / "cut.elf"
    cut.write_bytes(image("arm64", "bare").read_bytes()[:200])
    boot(cut)
    assert "it printed nothing" in _failure()


def test_an_image_of_another_machine(boot: Boot, tmp_path: Path) -> None:
    foreign = tmp_path / "foreign.elf"
    foreign.write_bytes(Path(sys.executable).resolve().read_bytes())
    boot(foreign)
    assert "the emulator ended with exit code 1" in _failure()


def test_garbage_in_place_of_an_image(boot: Boot, tmp_path: Path) -> None:
    garbage = tmp_path / "garbage"
    garbage.write_bytes(bytes(range(256)) * 64)
    boot(garbage)
    assert "no record within" in _failure()


def test_a_guest_that_fails_ends_the_command_with_3(
    boot: Boot, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    boot(guest(tmp_path, HELLO + "so far\n", "off"))
    with pytest.raises(SystemExit) as ended:
        main(["run", "-t", "board:arm64/bare", "-m", "interrupt-response", "--count", "10", "-r", "1", "--no-archive"])
    assert ended.value.code == 3
    last = capsys.readouterr().err.splitlines()[-1]
    assert last.startswith("rtstone: board:arm64/bare: the run ended before its end")


def test_an_emulator_that_is_killed(boot: Boot, image: Build) -> None:
    boot(image("arm64", "bare"))
    with target() as board:
        lines = board.start(LONG)
        assert next(lines).startswith(b"~0 ")
        (emulator,) = children(os.getpid())
        os.kill(emulator, signal.SIGKILL)
        with pytest.raises(InfrastructureError, match="the emulator was killed by SIGKILL") as caught:
            list(lines)
        assert not caught.value.of_the_measured


def test_nothing_is_left_when_the_reader_goes(boot: Boot, image: Build) -> None:
    boot(image("arm64", "bare"))
    with target() as board:
        lines = board.start(LONG)
        next(lines)
        (emulator,) = children(os.getpid())
        assert os.sched_getaffinity(emulator) < os.sched_getaffinity(0) or len(os.sched_getaffinity(0)) == 1
        assert len(os.sched_getaffinity(emulator)) == 1
        lines.close()  # type: ignore[attr-defined]
        assert children(os.getpid()) == []


def test_stopping_keeps_what_was_said(boot: Boot, image: Build) -> None:
    boot(image("arm64", "bare"))
    with target() as board:
        lines = board.start(LONG)
        said = [next(lines)]
        board.stop()
        said += list(lines)
        assert board.record_bytes.startswith(b"\n".join(line for line in said if line.startswith(b"~"))[:200])
        assert children(os.getpid()) == []


def test_the_record_says_what_the_board_is(boot: Boot, image: Build) -> None:
    boot(image("arm64", "bare"))
    run = measure("board:arm64/bare", lambda r: Plan(seed=9, repetition=r, items=PLAN.items), 2).run
    assert (run.status, run.time, run.instructions_per_second, run.error) == (
        "complete",
        "instruction-time",
        62_500_000,
        "",
    )
    wanted = {"board.emulator", "board.flags", "board.image.sha256", "board.identity", "board.platform"}
    assert wanted <= run.host.keys()
    assert run.host["board.icount.shift"] == "4"
    assert "{seed}" in run.host["board.flags"]
    assert not any(str(Path.cwd()) in value for value in run.host.values())
    # The identity is the board's, not the session's.
    again = measure("board:arm64/bare", lambda _: PLAN, 1).run
    assert again.host["board.identity"] == run.host["board.identity"]
    assert len({session.nonce for session in run.sessions}) == 2
    assert all(float(ms) < 5000 for ms in run.host["board.first_record_ms"].split(", "))


@pytest.mark.parametrize("name", ["board", "board:", "board:arm64", "board:arm64/none", "board:none/bare"])
def test_a_board_that_there_is_not(name: str) -> None:
    with pytest.raises(UsageError):
        open_target(name)


def test_a_missing_emulator_is_named_with_its_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    with (
        target() as board,
        pytest.raises(InfrastructureError, match=r"qemu-system-aarch64: apt-get install qemu-system-arm"),
    ):
        board.deploy()


TOOL = f"""
from rtstone.stream.plan import Item, Plan
from rtstone.measure import measure
from pathlib import Path
from rtstone.targets.boards import firmware
import sys
firmware.build = lambda board, kernel: Path(sys.argv[1])
plan = Plan(seed=1, repetition=0, items=(Item(item=0, measurement="interrupt-response", count={LONG.items[0].count}),))
measure("board:arm64/bare", lambda _: plan, 1, on_progress=lambda p: print(p.measurement, flush=True))
"""


def test_kill_9_of_the_tool_takes_the_emulator_along(image: Build, root: Path) -> None:
    mark = uuid.uuid4().hex
    tool = subprocess.Popen(
        [sys.executable, "-c", TOOL, str(image("arm64", "bare"))],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(root / "src"), MARK: mark},
    )
    assert tool.stdout is not None
    assert tool.stdout.readline().strip() == "interrupt-response"
    assert len(_marked(mark)) == 2
    tool.kill()
    tool.communicate()
    until = time.monotonic() + 5
    while (left := _marked(mark)) and time.monotonic() < until:
        time.sleep(0.02)
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    assert left == []


def _marked(mark: str) -> list[int]:
    """Processes with the mark in their environment; dead ones have no environment."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                if f"{MARK}={mark}".encode() in (entry / "environ").read_bytes().split(b"\0"):
                    found.append(int(entry.name))
            except OSError:
                continue
    return found
