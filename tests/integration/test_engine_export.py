# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The engine in somebody's own tree: exported, built there by make and by CMake, and run on a board."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from rtstone.cli import main
from support.images import lasting_cache
from support.own_kernel import BOARD, lay_out, make

STRICT = "-O2 -Wall -Wextra -Wconversion -Werror"


@pytest.fixture
def exported(tmp_path: Path) -> Path:
    """The folder that a user gets, by the command that the user types."""
    folder = tmp_path / "tree" / "rtstone"
    with pytest.raises(SystemExit) as ended:
        main(("boards", "export", str(folder)))
    assert ended.value.code in (0, None)
    return folder


def test_has_the_whole_engine_and_nothing_that_is_not_its(root: Path, exported: Path) -> None:
    listed = (exported / "sources.txt").read_text().splitlines()
    core = {path.relative_to(root).as_posix() for path in (root / "engine").rglob("*.c") if "tests" not in path.parts}
    assert {*listed, "engine/absent/hooks.c"} == core
    assert all((exported / name).is_file() for name in core)
    headers = {path.relative_to(root) for path in (root / "engine").rglob("*.[hd]*") if path.suffix in {".h", ".def"}}
    assert {path for path in headers if not path.is_relative_to("engine/tests")} == {
        path.relative_to(exported) for path in (exported / "engine").rglob("*") if path.suffix in {".h", ".def"}
    }
    assert not any(str(root) in path.read_text() for path in exported.rglob("*") if path.is_file())


def test_is_built_by_make(exported: Path) -> None:
    tree = exported.parent
    (tree / "Makefile").write_text(
        "own: rtstone/port/main.c\ninclude rtstone/rtstone.mk\n"
        "own: $(RTSTONE_LIBRARY)\n\t$(CC) $(CFLAGS) $(RTSTONE_INCLUDES) -o $@ rtstone/port/main.c $(RTSTONE_LIBRARY)\n"
    )
    done = make(tree, f"CFLAGS={STRICT}")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "is up to date" in make(tree, f"CFLAGS={STRICT}").stdout
    (exported / "port" / "include" / "rtstone_port.h").touch()
    assert "rtstone/engine/src/engine.c" in make(tree, "-n", f"CFLAGS={STRICT}").stdout


def test_is_built_by_cmake(exported: Path) -> None:
    tree = exported.parent
    (tree / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.16)\nproject(own LANGUAGES C)\ninclude(rtstone/rtstone.cmake)\n"
    )
    for_a_board = ["-DCMAKE_SYSTEM_NAME=Generic", "-DCMAKE_TRY_COMPILE_TARGET_TYPE=STATIC_LIBRARY"]
    compiler = ["-DCMAKE_C_COMPILER=arm-none-eabi-gcc", f"-DCMAKE_C_FLAGS=-mcpu=cortex-m3 -mthumb {STRICT}"]
    for command in (["cmake", "-B", "build", *for_a_board, *compiler], ["cmake", "--build", "build", "-j2"]):
        done = subprocess.run(command, cwd=tree, capture_output=True, text=True, check=False, timeout=280)
        assert done.returncode == 0, done.stdout + done.stderr
        assert "warning" not in (done.stdout + done.stderr).lower()
    assert (tree / "build" / "librtstone.a").is_file()


def test_is_built_anew_by_nuttx_when_its_port_changes(exported: Path) -> None:
    """NuttX' own rules are not here; these name the objects and compile them as NuttX does."""
    apps = exported.parent / "apps"
    apps.mkdir()
    (apps / "Make.defs").write_text(f"CFLAGS = {STRICT}\n")
    (exported.parent / ".config").touch()
    (apps / "Application.mk").write_text(
        "COBJS = $(CSRCS:.c=.o)\nMAINCOBJ = $(MAINSRC:.c=.o)\nall: $(COBJS) $(MAINCOBJ)\n"
    )
    folder = exported / "nuttx"
    settings = ("CONFIG_RTSTONE=y", 'CONFIG_RTSTONE_PORT="../port"', f"APPDIR={apps}", f"TOPDIR={exported.parent}")
    done = make(folder, *settings)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Nothing to be done" in make(folder, *settings).stdout
    # Later than every object by its own times: the machine's clock may be set back meanwhile.
    later = max(file.stat().st_mtime for file in exported.rglob("*.o")) + 1
    os.utime(exported / "port" / "include" / "rtstone_port.h", (later, later))
    again = make(folder, "-n", *settings).stdout
    assert all(name in again for name in ("engine/src/engine.c", "port/threads.c", "port/main.c")), again


def _figures(capsys: pytest.CaptureFixture[str], *target: str) -> dict[str, object]:
    asked = ("-m", "interrupt-response", "--count", "50", "-r", "1", "--load", "none", "--no-archive", "--json", "-q")
    with pytest.raises(SystemExit) as ended:
        main(("run", *target, *asked))
    (run,) = json.loads(capsys.readouterr().out)["runs"]
    assert (ended.value.code, run["status"]) == (0, "complete")
    (session,) = run["sessions"]
    return {result["quantity"]: (result["count"], result["min"], result["sum"]) for result in session["results"]}


def test_runs_on_a_board_with_the_figures_of_ours(
    root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The kernel is ours, and so are the compiler's flags; only the tree and its build are not."""
    tree = tmp_path / "tree"
    lay_out(root, tree)
    done = make(tree)
    assert done.returncode == 0, done.stdout + done.stderr
    theirs = _figures(capsys, "-t", f"board:{BOARD}", "--firmware", str(tree / "build" / "kernel.elf"))
    assert "interrupt-task-response" in theirs
    with lasting_cache(root):
        assert theirs == _figures(capsys, "-t", f"board:{BOARD}/bare")


@pytest.mark.parametrize("what", ["file", "folder with something in it"])
def test_writes_over_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str], what: str) -> None:
    place = tmp_path / "there"
    if what == "file":
        place.write_text("mine")
    else:
        (place / "mine").mkdir(parents=True)
    with pytest.raises(SystemExit) as ended:
        main(("boards", "export", str(place)))
    assert ended.value.code == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "something is there already" in line


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a file").write_text("")
    with pytest.raises(SystemExit) as ended:
        main(("boards", "export", str(tmp_path / "a file" / "below")))
    assert ended.value.code == 3
    assert os.strerror(20) in capsys.readouterr().err
