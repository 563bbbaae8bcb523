# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""`rtstone boards --build` and `--refresh`: which kernels are fetched, how often, and the messages."""

from __future__ import annotations

import pytest

from rtstone.cli import main
from rtstone.errors import InfrastructureError
from rtstone.targets.boards import Kernel, emulator, firmware, guest


def _code(words: list[str]) -> int:
    with pytest.raises(SystemExit) as ended:
        main(words)
    return int(ended.value.code or 0)


@pytest.fixture
def done(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The requests for builds and fetches, in order; nothing is fetched."""
    asked: list[str] = []

    def build(kernel: Kernel, on_step: object) -> str:
        asked.append(f"build {kernel.id}")
        return f"{kernel.package} 1.2"

    monkeypatch.setattr(guest, "require", lambda kernel, *, built: None)
    monkeypatch.setattr(guest, "missing", lambda kernel: [])
    monkeypatch.setattr(guest, "is_cached", lambda kernel: False)
    monkeypatch.setattr(guest, "refresh", lambda kernel, on_step: asked.append(f"refresh {kernel.package}"))
    monkeypatch.setattr(guest, "build", build)
    monkeypatch.setattr(firmware, "build", lambda board, kernel: asked.append(f"build {board}/{kernel}"))
    return asked


def test_builds_what_is_named(done: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """Each once, however often it is named."""
    assert (
        _code(["boards", "--build", "arm64/linux-6.1*", "arm64/linux-6.12*", "arm64/linux-6.1", "mps2-an385/bare"]) == 0
    )
    assert sorted(done) == sorted(set(done))
    wanted = {
        "build linux-6.1",
        "build linux-6.1-rt",
        "build linux-6.12",
        "build linux-6.12-rt",
        "build linux-6.1-voluntary",
        "build mps2-an385/bare",
    }
    assert set(done) >= wanted
    assert "board:arm64/linux-6.1: ready, linux-image-arm64 1.2\n" in capsys.readouterr().out


def test_refreshes_a_shared_package_once(done: list[str]) -> None:
    """pc boots one package in three preemption models."""
    assert _code(["boards", "--refresh", "pc/linux-6.1-*"]) == 0
    assert [word for word in done if word.startswith("refresh")] == [
        "refresh linux-image-amd64",
        "refresh linux-image-rt-amd64",
    ]
    assert sum(word.startswith("build") for word in done) == 4


def test_a_refresh_leaves_out_what_takes_long_and_is_not_there(done: list[str]) -> None:
    """A build takes a quarter of an hour, so a kernel that was not asked for is not built."""
    assert _code(["boards", "--refresh", "arm64/linux-6.1*"]) == 0
    assert "build linux-6.1" in done
    assert "build linux-6.1-none" not in done
    assert "refresh linux-source-6.1" not in done


def test_says_all_that_is_to_be_installed_before_anything_is_built(
    done: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(guest, "missing", lambda kernel: ["flex"] if kernel.on_demand else ["bc"])
    assert _code(["boards", "--build", "arm64/linux-6.1*"]) == 3
    assert capsys.readouterr().err == "rtstone: packages are missing on this machine: apt-get install bc flex\n"
    assert done == []


@pytest.mark.parametrize("words", [["--build"], ["--refresh", "--json", "arm64"], ["arm64"], ["--build", "none/such"]])
def test_refuses_what_it_cannot_do(done: list[str], words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """One line on standard error."""
    assert _code(["boards", *words]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert done == []


def test_says_what_is_in_the_way(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit code 3, in one line."""

    def build(kernel: Kernel, on_step: object) -> str:
        raise InfrastructureError(f"{kernel.package} cannot be downloaded")

    monkeypatch.setattr(guest, "build", build)
    assert _code(["boards", "--build", "arm64/linux-6.1"]) == 3
    assert capsys.readouterr().err == "rtstone: linux-image-arm64 cannot be downloaded\n"


def test_builds_the_emulator_by_its_name(
    done: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Beside kernels or alone; --refresh asks for the newest source."""

    def build(on_step: object, *, newest: bool) -> emulator.Facts:
        done.append(f"emulator {newest}")
        return emulator.Facts("1:7.2+x", "gcc", "0")

    monkeypatch.setattr(emulator, "build", build)
    assert _code(["boards", "--build", "emulator"]) == 0
    assert done == ["emulator False"]
    assert capsys.readouterr().out == "emulator: ready, qemu 1:7.2+x, with the fix\n"
    assert _code(["boards", "--refresh", "mps2-an385/bare", "emulator"]) == 0
    assert done[1:] == ["emulator True", "build mps2-an385/bare"]
