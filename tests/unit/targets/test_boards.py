# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Virtual boards by name, by pattern and by identity; nothing is run."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
import pytest

from rtstone.errors import UsageError
from rtstone.targets import _guest, boards, expand, left_out, matching, open_target
from rtstone.targets._emulator import emulator_seed, identity
from rtstone.targets.board import BoardTarget
from rtstone.targets.boards import guest


def _all(board: str) -> list[str]:
    """But what the user would have to install."""
    return [
        f"{board}/{kernel.id}"
        for kernel in boards.load(board).kernel
        if kernel.port not in {"threadx", "rtems", "rtems-pthread", "rtems-ioc"}
    ]


def test_a_pattern_is_all_that_fits() -> None:
    assert expand(["board:mps2-an385/*"]) == tuple(f"board:{pair}" for pair in _all("mps2-an385"))
    assert expand(["board:*/freertos"]) == (
        "board:arm64/freertos",
        "board:arm64-gicv3/freertos",
        "board:mcf5208evb/freertos",
        "board:mps2-an385/freertos",
        "board:riscv32/freertos",
        "board:zynq-a9/freertos",
    )
    assert set(expand(["board:*/bare", "local", "board:arm64/bare"])) >= {"local", "board:arm64/bare"}
    assert len(expand(["board:arm64/bare", "board:arm64/b*"])) == 1


def test_what_is_no_pattern_stays_as_it_is() -> None:
    assert expand(["local", "replay:a*b", "board:none/x"]) == ("local", "replay:a*b", "board:none/x")


def test_a_board_alone_is_all_its_kernels() -> None:
    assert matching("mps2-an385") == _all("mps2-an385")
    assert matching("arm64/bare") == ["arm64/bare"]


@pytest.mark.parametrize("pattern", ["none/*", "none", "arm64/nothing*", "arm64/none"])
def test_what_fits_nothing_is_refused(pattern: str) -> None:
    with pytest.raises(UsageError, match=r"none|nothing"):
        matching(pattern)


def test_what_is_built_on_demand_is_left_out_until_it_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    board = boards.load("arm64")
    late = msgspec.structs.replace(board.kernel[2], id="late", on_demand=True)
    more = msgspec.structs.replace(board, kernel=(*board.kernel, late))
    monkeypatch.setattr(
        "rtstone.targets._specification.load", lambda name: more if name == "arm64" else boards.load(name)
    )
    there = False
    monkeypatch.setattr(guest, "is_cached", lambda kernel: there)
    assert "arm64/late" not in matching("arm64")
    assert "arm64/late" in left_out(["local", "board:arm64/*"])
    assert left_out(["board:arm64/late", "board:arm64/bare"]) == ()
    assert "arm64/late" in matching("arm64", on_demand=True)
    assert matching("arm64/late") == ["arm64/late"]  # named, so its missing parts are reported
    with pytest.raises(UsageError, match=r"have not been built: rtstone boards --build arm64/late$"):
        matching("arm64/la*")
    there = True
    assert "arm64/late" in matching("arm64")
    assert left_out(["board:arm64/*"]) == ()


def test_the_target_says_what_it_is() -> None:
    target = open_target("board:mps2-an385/freertos")
    assert isinstance(target, BoardTarget)
    assert target.name == "board:mps2-an385/freertos"
    assert target.capabilities.virtual
    assert target.capabilities.instructions_per_second == 15_625_000
    assert target.describe()["board.id"] == "mps2-an385"


def test_identity_depends_on_all_that_decides_a_byte(tmp_path: Path) -> None:
    board = boards.load("arm64")
    bare, freertos = board.kernel_of("bare"), board.kernel_of("freertos")
    image, other = tmp_path / "a", tmp_path / "b"
    image.write_bytes(b"1")
    other.write_bytes(b"2")
    first = identity(board, bare, image, "", {})
    assert identity(board, bare, image, "", {}) == first
    more = msgspec.structs.replace(board.emulator, arguments=(*board.emulator.arguments, "-snapshot"))
    changed = [
        identity(board, bare, other, "", {}),
        identity(board, bare, image, "quiet", {}),
        identity(board, bare, image, "", {"package": "x"}),
        identity(msgspec.structs.replace(board, emulator=more), bare, image, "", {}),
    ]
    assert len({first.whole, *(one.whole for one in changed)}) == 5
    assert [one.platform == first.platform for one in changed] == [True, True, True, False]
    assert identity(board, freertos, image, "", {}).platform == first.platform
    assert "{image}" in first.facts["board.flags"]
    assert str(image) not in "".join(first.facts.values())


def test_seeds_of_the_emulator() -> None:
    seeds = [emulator_seed(seed, repetition) for seed in (1, 2, 1 << 63) for repetition in range(50)]
    assert len(set(seeds)) == len(seeds)
    assert all(1 <= seed < 1 << 32 for seed in seeds)
    assert emulator_seed(1, 0) == 1434571813  # documented, so it stays


def test_cpus_are_lent_in_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_guest, "usable_cpus", lambda: [2, 5])
    with _guest.borrowed_cpu() as first, _guest.borrowed_cpu() as second:
        assert {first, second} == {2, 5}
        with _guest.borrowed_cpu() as third, _guest.borrowed_cpu() as fourth:
            assert {third, fourth} == {2, 5}
    with _guest.borrowed_cpu() as again:
        assert again == first


def test_of_cpus_that_are_equal_it_begins_with_the_first_and_goes_on_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_guest, "usable_cpus", lambda: [2, 5, 7])
    monkeypatch.setattr(_guest, "first_cpu", lambda cpus: cpus - 1)
    with _guest.borrowed_cpu() as one, _guest.borrowed_cpu() as two, _guest.borrowed_cpu() as three:
        assert (one, two, three) == (7, 2, 5)


@pytest.mark.parametrize("board", ["arm64", "mcf5208evb", "mps2-an385", "riscv32", "zynq-a9"])
def test_firmware_tells_the_rate_that_the_emulator_has(root: Path, board: str) -> None:
    header = (root / "boards" / board / "include" / "board.h").read_text()
    (told,) = re.findall(r'^#define BOARD_INSTRUCTIONS_PER_SECOND "([0-9]+)"', header, re.MULTILINE)
    assert int(told) == boards.load(board).clock.instructions_per_second


@pytest.mark.parametrize("name", boards.names())
def test_no_board_gives_a_users_image_semihosting_of_the_host(name: str) -> None:
    board = boards.load(name)
    for kind, prefix in (("firmware", "firmware:x.elf"), ("linux", "kernel:x")):
        if kind not in board.emulator.kinds or (kind == "linux" and board.hub is not None):
            continue
        words = boards.arguments(board, board.kernel_of(prefix))
        assert "-semihosting" not in words
        configs = [words[i + 1] for i, word in enumerate(words) if word == "-semihosting-config"]
        assert all([part for part in one.split(",") if part.startswith("target=")] == ["target=gdb"] for one in configs)
