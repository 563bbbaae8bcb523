# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Images are built once for each set of inputs, are the same wherever that happens, and errors name what is wrong."""

from __future__ import annotations

import os
import pwd
import re
import shutil
from pathlib import Path

import pytest

from rtstone import resources
from rtstone.cache import cache_root
from rtstone.errors import InfrastructureError, RtstoneError, UsageError
from rtstone.targets import acceptance, boards
from rtstone.targets.boards import _cargo, _kernel_source, _model, _rust_kernel, firmware
from support.firmware import CASES, INSTALLED, PAIRS
from support.images import Build, image, lasting_cache

__all__ = ["image"]  # the fixture

SOURCES = ("boards", "cmake", "engine", "linux", "ports", "probe")


@pytest.fixture
def copy(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Only what an installed package has of the checkout, elsewhere."""
    place = tmp_path / "elsewhere"
    for name in SOURCES:
        shutil.copytree(root / name, place / name)
    monkeypatch.setattr(resources, "data_dir", lambda _name: place)
    return place


def test_is_built_once(image: Build, root: Path) -> None:
    with lasting_cache(root):
        first = image("arm64", "bare")
        stamp = first.stat()
        second = firmware.build("arm64", "bare")
    assert second == first
    assert (second.stat().st_ino, second.stat().st_mtime_ns) == (stamp.st_ino, stamp.st_mtime_ns)
    assert [path.name for path in first.parent.iterdir()] == ["firmware.elf"]


def test_is_the_same_wherever_it_is_built(image: Build, copy: Path) -> None:
    """Two caches, two source folders, one sequence of bytes: no path of the machine is in it."""
    here = image("mcf5208evb", "bare").read_bytes()
    there = firmware.build("mcf5208evb", "bare")
    assert there.read_bytes() == here
    assert str(copy).encode() not in here


@pytest.mark.long
@pytest.mark.timeout(1800)
def test_a_kernel_in_rust_is_the_same_wherever_it_is_built(
    image: Build, copy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As above, its library too; some minutes, since nothing of it is at hand."""
    here = image("mps2-an385", "freertos-rust").read_bytes()
    monkeypatch.setenv("HOME", pwd.getpwuid(os.getuid()).pw_dir)  # cargo may be rustup's, whose toolchain lies there
    assert firmware.build("mps2-an385", "freertos-rust").read_bytes() == here


@pytest.mark.long
def test_rt_as_it_is_shipped_is_not_accepted_on_aarch64(copy: Path, root: Path) -> None:
    """Shows why the port fixes RT's entry: the build is as usual, but with the entry as shipped."""
    mend = copy / "ports" / "rt" / "aarch64" / "kernel.cmake"
    shipped = mend.read_text().replace(r"\\1 lr\n", r"\\1 x3\n")
    assert shipped != mend.read_text()
    mend.write_text(shipped)
    with lasting_cache(root):
        failure = acceptance.accept("arm64-gicv3", "rt")
    assert re.fullmatch(r"boards/firmware/acceptance\.c:\d+: mix\(7\) == expected", failure)


@pytest.mark.parametrize(("board", "kernel"), CASES)
def test_holds_no_path_of_this_machine(image: Build, root: Path, board: str, kernel: str) -> None:
    content = image(board, kernel).read_bytes()
    assert str(root).encode() not in content
    assert str(Path.home()).encode() not in content


def test_is_built_anew_when_an_input_changes(copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An edit of any input file leads to a new build. Other tests check the contents of a build."""
    makes: list[Path] = []

    def make(_root: Path, _board: str, _kernel: str, _source: None, place: Path, **_more: bool) -> None:
        makes.append(place)
        (place / "firmware.elf").touch()

    monkeypatch.setattr(firmware, "_configure_and_build", make)
    images = [firmware.build("arm64", "bare")]
    for name in (
        "boards/arm64/board.c",
        "boards/common/hooks.c",
        "engine/src/item.c",
        "ports/bare/flag.c",
        "cmake/engine.cmake",
    ):
        with (copy / name).open("a") as source:
            source.write("# changed\n")
        images.append(firmware.build("arm64", "bare"))
        assert firmware.build("arm64", "bare") == images[-1]
    assert len(set(images)) == len(makes) == 6
    assert all(image.is_file() for image in images)
    sister = firmware.build("arm64-gicv3", "bare")
    with (copy / "boards" / "arm64" / "start.S").open("a") as source:
        source.write("# changed\n")
    assert firmware.build("arm64-gicv3", "bare") != sister


def test_a_kernel_of_a_port_can_have_macros_of_its_own(copy: Path) -> None:
    with (copy / "boards/arm64/board.toml").open("a") as file:
        file.write('[[kernel]]\nid = "twin"\ntitle = "t"\nkind = "firmware"\nport = "bare"\ndefines = ["PLANTED"]\n')
    with (copy / "ports/bare/flag.c").open("a") as source:
        source.write("#ifdef PLANTED\n#error the macro is there\n#endif\n")
    assert firmware.build("arm64", "bare").is_file()
    assert not firmware.is_cached("arm64", "twin")
    with pytest.raises(InfrastructureError, match=r"arm64/twin could not be built: .*the macro is there"):
        firmware.build("arm64", "twin")


def test_says_what_the_compiler_said(copy: Path) -> None:
    (copy / "engine" / "loads" / "cpu.c").write_text("#error no load today\n")  # the first that is compiled
    with pytest.raises(InfrastructureError, match=r"arm64/bare could not be built: .*no load today") as caught:
        firmware.build("arm64", "bare")
    assert "\n" not in str(caught.value)
    leftovers = [path.name for path in (copy.parent / "home" / ".cache" / "rtstone" / "firmware").iterdir()]
    assert [name for name in leftovers if not name.endswith(".lock")] == []


def test_names_the_packages_that_are_missing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(_cargo, "find", lambda: None)  # the distribution's may be installed
    with pytest.raises(InfrastructureError) as caught:
        firmware.build("arm64", "freertos")
    wanted = "apt-get install gcc-aarch64-linux-gnu cmake ninja-build cargo-web"
    assert str(caught.value) == f"board:arm64/freertos cannot be built yet: {wanted}"


def test_names_the_packages_of_a_kernel_in_rust(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_rust_kernel, "_compiler", lambda: None)
    assert firmware.missing("mps2-an385", "freertos-rust")[-2:] == ["rustc-web", "rust-web-src"]
    with pytest.raises(InfrastructureError, match=r"cannot be built yet: apt-get install .*rustc-web rust-web-src$"):
        firmware.build("mps2-an385", "freertos-rust")


def test_a_changed_setting_of_a_user_s_board_builds_the_kernel_in_rust_again(
    monkeypatch: pytest.MonkeyPatch, root: Path, tmp_path: Path
) -> None:
    board = tmp_path / "boards" / "mine"
    shutil.copytree(root / "boards" / "mps2-an385", board)
    settings = board / "freertos-rust" / "kernel.toml"
    monkeypatch.setenv(_model.FOLDER_VARIABLE, str(board.parent))
    monkeypatch.setattr(_rust_kernel, "cached", lambda _, name, __: Path(name))
    first = _rust_kernel.library(root, "mine", "freertos-rust")
    assert _rust_kernel.library(root, "mine", "freertos-rust") == first
    changed = re.sub(r"heap_bytes = \S+", "heap_bytes = 4096", settings.read_text())
    assert changed != settings.read_text()
    settings.write_text(changed)
    assert _rust_kernel.library(root, "mine", "freertos-rust") != first


@pytest.mark.parametrize("kernel", ["rt", "freertos-rust"])
def test_says_in_one_line_that_a_kernel_cannot_be_fetched(
    monkeypatch: pytest.MonkeyPatch, root: Path, tmp_path: Path, kernel: str
) -> None:
    cargo = tmp_path / "bin" / "cargo"
    cargo.parent.mkdir()
    version = 'test "$1" = --version && echo "cargo 1.95.0" && exit'
    cargo.write_text(
        f"#!/bin/sh\n{version}\nprintf 'error: failed to sync\\n\\nCaused by:\\n  nobody answers\\n' >&2\nexit 101\n"
    )
    cargo.chmod(0o755)
    monkeypatch.setenv("PATH", f"{cargo.parent}:{os.environ['PATH']}")
    with pytest.raises(InfrastructureError, match=rf"cargo could not fetch {kernel}: error: failed to sync$") as caught:
        firmware.build("mps2-an385", kernel)
    assert "\n" not in str(caught.value)
    shelf = cache_root() / kernel
    assert [path.name for path in shelf.iterdir() if not path.name.endswith(".lock")] == []


def test_a_kernel_file_that_is_not_the_expected_one_is_refused(tmp_path: Path) -> None:
    fetched = tmp_path / "work" / "vendored" / "package" / "folder"
    fetched.mkdir(parents=True)
    (fetched / "tasks.c").write_text("/* something else */")
    with pytest.raises(InfrastructureError, match=r"tasks\.c is not the file"):
        _kernel_source._keep_expected(tmp_path, "package/folder", {"tasks.c": "0" * 64}, "some-source")
    with pytest.raises(InfrastructureError, match=r"has no file queue\.c"):
        _kernel_source._keep_expected(tmp_path, "package/folder", {"queue.c": "0" * 64}, "some-source")


@pytest.mark.parametrize(
    ("board", "kernel", "said"),
    [("vax", "bare", "board 'vax'"), ("arm64", "vxworks", "kernel of board arm64 'vxworks'"), ("", "bare", "board ''")],
)
def test_unknown_names_are_usage_errors(board: str, kernel: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        firmware.build(board, kernel)


def test_every_firmware_kernel_of_a_board_is_built_here() -> None:
    stated = {(n, k.port) for n in boards.names() for k in boards.load(n).kernel if k.kind == "firmware"}
    assert stated == {(board, kernel) for board in firmware.boards() for kernel in firmware.kernels(board)}
    assert stated == {*PAIRS, *INSTALLED, ("zynq-a9-link", "rtems-ioc")}  # the last: test_rtems_ioc_link


def test_a_board_file_that_is_wrong_is_named(copy: Path) -> None:
    file = copy / "boards" / "arm64" / "board.toml"
    good = file.read_text()
    for bad in (
        good.replace("hz = ", "hertz = "),
        "[",
        good.replace('id = "arm64"', 'id = "other"'),
        good.replace("1.0", "2.0"),
        good.replace("\n[clock]", 'base = "vax"\n[clock]'),
        good.replace('kind = "linux"', 'kind = "linux"\ndefines = ["A"]', 1),
    ):
        file.write_text(bad)
        with pytest.raises(RtstoneError, match=r"boards/arm64/board\.toml"):
            boards.load("arm64")
    with pytest.raises(UsageError, match=r"unknown board 'vax'\. There are: arm64"):
        boards.load("vax")


def test_a_plan_without_room_is_refused(tmp_path: Path) -> None:
    board = boards.load("arm64")
    plan = tmp_path / "a,b"
    plan.write_bytes(b"x" * board.plan.room)
    values = {"image": "i", "records": "r", "seed": "1"}
    with pytest.raises(InfrastructureError, match="too long"):
        boards.command(board, board.kernel_of("bare"), values=values, plan=plan)
    plan.write_bytes(b"x")
    words = boards.command(board, board.kernel_of("bare"), values=values, plan=plan)
    assert f"loader,file={tmp_path}/a,,b,addr=0x50000000,force-raw=on" in words
    with pytest.raises(InfrastructureError, match=r"names '\{seed\}', which a firmware has not"):
        boards.command(board, board.kernel_of("bare"), values={})
