# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""A user's own image, and boards of the user's own: measured as ours are, refused in a line, and kept from the host."""

from __future__ import annotations

import hashlib
import json
import shutil
import struct
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from rtstone import targets
from rtstone.cli import main
from rtstone.errors import GuestError, InfrastructureError
from rtstone.stream.plan import Plan
from rtstone.targets import boards
from rtstone.targets.board import BoardTarget, open_board
from support.firmware import single
from support.images import Build, image, lasting_cache

__all__ = ["image"]  # the fixture

BOARD = "mps2-an385"
PLAN = single("interrupt-response", count=20)
CLASS_32, EXECUTABLE, RELOCATABLE, ARM, RISCV = 1, 2, 1, 40, 243


@pytest.fixture(autouse=True)
def _lasting(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.delenv(boards.FOLDER_VARIABLE, raising=False)
    with lasting_cache(root):
        yield


def _bytes(target: BoardTarget, plan: Plan = PLAN) -> bytes:
    with target:
        target.deploy()
        for _ in target.start(plan):
            pass
        return target.record_bytes


def _refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    """The exit code and the one line of a command that must fail."""
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    (line,) = capsys.readouterr().err.splitlines()
    return int(ended.value.code or 0), line


# ---- an image ---------------------------------------------------------------------------------------------------------


def test_gives_the_bytes_of_ours_and_says_what_it_is(image: Build, tmp_path: Path) -> None:
    mine = tmp_path / "mine [1].elf"
    shutil.copy(image(BOARD, "bare"), mine)
    (spec,) = targets.expand([f"board:{BOARD}/firmware:{mine}"])
    target = open_board(spec.removeprefix("board:"))
    assert _bytes(target) == _bytes(open_board(f"{BOARD}/bare"))
    facts = target.describe()
    assert facts["board.image.sha256"] == hashlib.sha256(mine.read_bytes()).hexdigest()
    assert "target=gdb" in facts["board.flags"]
    assert "target=native" not in facts["board.flags"]


def test_is_measured_by_run(image: Build, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    mine = tmp_path / "mine.elf"
    shutil.copy(image(BOARD, "bare"), mine)
    asked = ("run", "-t", f"board:{BOARD}", "--firmware", str(mine), "-m", "interrupt-response", "--count", "20")
    with pytest.raises(SystemExit) as ended:
        main((*asked, "-r", "1", "--load", "none", "--no-archive", "--json"))
    (run,) = json.loads(capsys.readouterr().out)["runs"]
    assert (ended.value.code, run["status"]) == (0, "complete")
    assert run["target"] == f"board:{BOARD}/firmware:{mine}"


def test_that_is_replaced_in_mid_run_is_told(image: Build, tmp_path: Path) -> None:
    mine = tmp_path / "mine.elf"
    shutil.copy(image(BOARD, "bare"), mine)
    target = open_board(f"{BOARD}/firmware:{mine}")
    _bytes(target)
    mine.write_bytes(mine.read_bytes() + b"\0")
    with pytest.raises(InfrastructureError, match="its image changed in mid-run"):
        _bytes(target)


def _header(kind: int, processor: int) -> bytes:
    return b"\x7fELF" + bytes([CLASS_32, 1, 1]) + bytes(9) + struct.pack("<HH", kind, processor) + bytes(32)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "No such file"),
        (b"", "is no ELF file"),
        (b"#!/bin/sh\necho this is long enough\n", "is no ELF file"),
        (_header(EXECUTABLE, RISCV), "is for RISC-V, 32 bits, and board 'mps2-an385' is Arm, 32 bits"),
        (_header(RELOCATABLE, ARM), "no linked program"),
    ],
)
def test_what_is_no_image_for_the_board_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: bytes | None, said: str
) -> None:
    mine = tmp_path / "mine.elf"
    if content is not None:
        mine.write_bytes(content)
    code, line = _refused(capsys, "run", "-t", f"board:{BOARD}", "--firmware", str(mine), "--no-archive", "-q")
    assert code == 2
    assert said in line
    code, line = _refused(capsys, "run", "-t", f"board:{BOARD}/firmware:{mine}", "-s", "slac", "--no-archive", "-q")
    assert said in line


def test_what_locks_up_its_processor_is_told_in_the_emulators_words(tmp_path: Path) -> None:
    source, mine = tmp_path / "mine.c", tmp_path / "mine.elf"
    source.write_text("int main(void) { for (;;) {} }\n")  # it has no vectors
    options = ["-mcpu=cortex-m3", "-mthumb", "-nostdlib", "-Wl,-e,main", "-o", str(mine)]
    subprocess.run(["arm-none-eabi-gcc", *options, str(source)], check=True, timeout=60)
    with pytest.raises(GuestError, match=r"killed by SIGABRT: qemu: fatal: Lockup: .+; it printed nothing$"):
        _bytes(open_board(f"{BOARD}/firmware:{mine}"))


@pytest.mark.parametrize("target", ["local", "board:mps2-an385/bare", "board:mps2-an385,board:arm64", "board:pc"])
def test_goes_with_one_board_that_boots_firmware(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], target: str
) -> None:
    code, line = _refused(capsys, "run", "-t", target, "--firmware", str(tmp_path / "x.elf"), "--no-archive", "-q")
    assert code == 2
    assert "--firmware" in line


def test_cannot_reach_files_and_commands_of_the_host(root: Path, tmp_path: Path) -> None:
    """A control shows that the test can fail: on the board as our own images run on it, this image does reach them."""
    hostile = tmp_path / "hostile.elf"
    flags = ["-mcpu=cortex-m3", "-mthumb", "-Os", "-ffreestanding", "-nostdlib", f'-DPLACE="{tmp_path}"']
    places = ["-Wl,-e,start", "-Wl,-Ttext=0x8000", "-Wl,--section-start=.vectors=0"]
    source = str(root / "tests" / "support" / "hostile.c")
    subprocess.run(["arm-none-eabi-gcc", *flags, *places, "-o", str(hostile), source], check=True, timeout=60)
    board = boards.load(BOARD)
    made = {tmp_path / "opened", tmp_path / "ran"}
    values = {"image": str(hostile), "records": "null", "seed": "1"}
    subprocess.run(boards.command(board, board.kernel_of("bare"), values=values), check=True, timeout=60)
    assert all(file.exists() for file in made)
    for file in made:
        file.unlink()
    with pytest.raises(InfrastructureError, match="ended before its end"):
        _bytes(open_board(f"{BOARD}/firmware:{hostile}"))
    assert not any(file.exists() for file in made)


# ---- boards -----------------------------------------------------------------------------------------------------------


def _board(root: Path, folder: Path, name: str = "mine") -> Path:
    """A copy of ours under another name; the file that says what it is."""
    shutil.copytree(root / "boards" / BOARD, folder / name)
    file = folder / name / "board.toml"
    file.write_text(file.read_text().replace(f'id = "{BOARD}"', f'id = "{name}"'))
    return file


@pytest.mark.parametrize("by_option", [False, True])
def test_boards_of_the_user_are_as_ours(
    root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, by_option: bool
) -> None:
    place = tmp_path / ("elsewhere" if by_option else "config/rtstone/boards")
    _board(root, place)
    monkeypatch.setenv(boards.FOLDER_VARIABLE, "")
    with pytest.raises(SystemExit) as ended:
        main(("boards", "--json", *(("--boards", str(place)) if by_option else ())))
    listed = {board["id"]: board for board in json.loads(capsys.readouterr().out)["boards"]}
    assert ended.value.code == 0
    assert [kernel["target"] for kernel in listed["mine"]["kernels"]][:2] == ["board:mine/bare", "board:mine/freertos"]
    assert _bytes(open_board("mine/bare")) == _bytes(open_board(f"{BOARD}/bare"))


def test_a_board_can_name_an_image_beside_it(root: Path, tmp_path: Path, image: Build) -> None:
    file = _board(root, tmp_path / "config" / "rtstone" / "boards")
    shutil.copy(image(BOARD, "bare"), file.parent / "my.elf")
    with file.open("a") as end:
        end.write('\n[[kernel]]\nid = "own"\ntitle = "my kernel"\nkind = "firmware"\nimage = "my.elf"\n')
    target = open_board("mine/own")
    assert _bytes(target) == _bytes(open_board(f"{BOARD}/bare"))
    assert "target=gdb" in target.describe()["board.flags"]


@pytest.mark.parametrize(
    ("old", "new", "code", "said"),
    [
        ("hz = ", "hertz = ", 3, "hertz"),
        ('id = "mine"', 'id = "another"', 3, "id 'another'"),
        ('port = "bare"', "", 3, "kernel 'bare' must have a port or an image"),
        ('port = "bare"', 'port = "bare"\nimage = "x"', 3, "kernel 'bare' must have a port or an image"),
    ],
)
def test_a_board_file_that_is_wrong_is_named(
    root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], old: str, new: str, code: int, said: str
) -> None:
    file = _board(root, tmp_path / "config" / "rtstone" / "boards")
    file.write_text(file.read_text().replace(old, new, 1))
    found, line = _refused(capsys, "run", "-t", "board:mine/bare", "--no-archive", "-q")
    assert found == code
    assert str(file) in line
    assert said in line


def test_a_board_by_the_name_of_ours_is_refused(root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = _board(root, tmp_path / "config" / "rtstone" / "boards", "arm64")
    code, line = _refused(capsys, "boards")
    assert (code, str(file) in line, "another name" in line) == (2, True, True)
    code, line = _refused(capsys, "boards", "--boards", str(tmp_path / "nowhere"))
    assert (code, "no such folder" in line) == (2, True)
