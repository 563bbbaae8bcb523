# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""docs/how-to/bisect-a-kernel.md, followed to the letter through a history of 32 commits; and each exit code by itself."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from rtstone.targets.boards import FOLDER_VARIABLE
from support.board_command import Command, rtstone
from support.command import environment
from support.images import Build, image, lasting
from support.own_kernel import BOARD, lay_out

__all__ = ["image", "lasting", "rtstone"]  # fixtures

COMMITS = 32
SLOW = 21
NO_BUILD = (12, 24, 25)
HANGS_AT_START, HANGS_LATER = 16, 27
DATE = "2026-01-01T00:00:00Z"
"""Of all commits, so that their hashes depend on their content alone: once one is passed over, they decide which git takes next."""
PATIENCE_S = 4
PAGE = "docs/how-to/bisect-a-kernel.md"

HEAD = 'schema = "rtstone.check"\nversion = "1.0"\ntime = "instruction-time"\n[measure]\n'
MEASURE = f'target = "board:{BOARD}"\nrepetitions = 3\ncount = 20\n'
BOUND = '[[bound]]\nmeasurement = "interrupt-response"\nquantity = "interrupt-task-response"\nrequire = ["{}"]\n'


def _sources(begin: dict[str, str], number: int) -> dict[str, str]:
    """The files of a commit that differ from those of the first."""
    services, flag, start = (begin[name] for name in ("services.c", "flag.c", "main.c"))
    services = services.replace('"bare metal"', f'"bare metal, change {number}"')
    if number >= SLOW:  # two instructions, one of which the compiler saves elsewhere
        flag = flag.replace("count + 1u;", 'count + 1u;\n    __asm__ volatile("dmb\\n\\tdsb" ::: "memory");')
    if number in NO_BUILD:
        flag = flag.replace("semaphore->maximum = maximum;", "semaphore->limit = maximum;")
    if number == HANGS_LATER:
        services = services.replace("board_interrupts_on();", "")
    if number == HANGS_AT_START:
        start = start.replace("board_init();", "board_init();\n    while (board_clock_hz() != 0) {\n    }")
    return {"services.c": services, "flag.c": flag, "main.c": start}


def _git(folder: Path, *words: str) -> str:
    who = ("-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
    env = os.environ | {"GIT_AUTHOR_DATE": DATE, "GIT_COMMITTER_DATE": DATE}
    command = ["git", *who, *words]
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout


def _history(folder: Path) -> None:
    """The tree's first commit, v1.0, and 32 more."""
    begin = {name: (folder / "port" / name).read_text() for name in ("services.c", "flag.c", "main.c")}
    (folder / ".gitignore").write_text("build/\n")
    _git(folder, "init", "-q")
    for number in range(COMMITS + 1):
        sources = _sources(begin, number)
        assert (sources["flag.c"] != begin["flag.c"]) == (number >= SLOW or number in NO_BUILD)
        for name, text in sources.items():
            (folder / "port" / name).write_text(text)
        _git(folder, "add", ".")
        _git(folder, "commit", "-qm", f"Change {number}")
    _git(folder, "tag", "v1.0", f"HEAD~{COMMITS}")


def _impatient_board(root: Path, folder: Path) -> None:
    """The page's board under the name ``mine``, which gives a guest that hangs less time."""
    shutil.copytree(root / "boards" / BOARD, folder / "mine")
    file = folder / "mine" / "board.toml"
    text = file.read_text().replace(f'id = "{BOARD}"', 'id = "mine"')
    file.write_text(re.sub(r"^(first_record_s|silence_s) = .*$", rf"\1 = {PATIENCE_S}", text, flags=re.MULTILINE))


def _seen(rtstone: Command, folder: Path, elf: Path, require: str) -> dict[str, float]:
    """The row of a requirement: what this compiler's image shows."""
    ended = rtstone("check", _gate(folder, require), "--measure", "-q", "--json", "--firmware", str(elf))
    assert ended.code == 0, ended.err
    (row,) = json.loads(ended.out)["rows"]
    return {name: row[name] for name in ("observed", "low", "high")}


def test_the_page_leads_to_the_commit(rtstone: Command, image: Build, root: Path, tmp_path: Path) -> None:
    page = (root / PAGE).read_text()
    (commands,) = re.findall(r"^```sh\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    (check,) = re.findall(r"^```toml\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    tree, boards, programs = (tmp_path / name for name in ("tree", "boards", "bin"))
    lay_out(root, tree)
    _history(tree)
    _impatient_board(root, boards)
    # The page's figure is that of one compiler. The two instructions take 80 ns more.
    (figure,) = re.findall(r"min < (\S+)us", check)
    fast_us = _seen(rtstone, tmp_path, image(BOARD, "bare"), "min < 1ms")["observed"] / 1000
    (tree / "gate.toml").write_text(check.replace(BOARD, "mine").replace(figure, f"{fast_us + 0.03:.2f}"))
    programs.mkdir()
    (programs / "rtstone").write_text(f'#!/bin/sh\nexec {sys.executable} -m rtstone "$@"\n')
    (programs / "rtstone").chmod(0o755)
    env = environment() | {FOLDER_VARIABLE: str(boards)}
    env["PATH"] = f"{programs}:{env['PATH']}"
    done = subprocess.run(
        ["sh", "-ec", commands], cwd=tree, env=env, capture_output=True, text=True, check=False, timeout=280
    )
    said = done.stdout + done.stderr
    assert done.returncode == 0, said
    assert "Traceback" not in said
    assert _git(tree, "log", "-1", "--format=%s", "refs/bisect/bad").strip() == f"Change {SLOW}"
    # The middle of the history hangs, so that git had to pass over at least that.
    log = _git(tree, "bisect", "log")
    skipped = {int(number) for number in re.findall(r"^# skip: .*Change (\d+)$", log, re.MULTILINE)}
    assert HANGS_AT_START in skipped
    assert skipped <= {*NO_BUILD, HANGS_AT_START, HANGS_LATER}


# ---- each code ---------------------------------------------------------------------------------------------------------


def _gate(folder: Path, require: str, head: str = HEAD + MEASURE) -> str:
    (folder / "gate.toml").write_text(head + BOUND.format(require))
    return str(folder / "gate.toml")


def _asked(tmp_path: Path, elf: Path, require: str = "min < 1ms") -> tuple[str, ...]:
    return ("check", _gate(tmp_path, require), "--measure", "--bisect", "-q", "--firmware", str(elf))


@pytest.mark.parametrize(
    ("require", "code"), [("min < 1ms", 0), ("min < 100ns", 1), ("median < 1ms", 0), ("median < 7us", 1)]
)
def test_a_verdict(rtstone: Command, image: Build, tmp_path: Path, require: str, code: int) -> None:
    assert rtstone(*_asked(tmp_path, image(BOARD, "bare"), require)).code == code


def test_rows_that_are_inconclusive_are_no_verdict(rtstone: Command, image: Build, tmp_path: Path) -> None:
    elf = image(BOARD, "bare")
    seen = _seen(rtstone, tmp_path, elf, "median < 1ms")
    assert seen["low"] < seen["high"]
    ended = rtstone(*_asked(tmp_path, elf, f"median < {(seen['low'] + seen['high']) / 2000:.3f}us"))
    assert (ended.code, "inconclusive" in ended.out) == (125, True)


@pytest.mark.parametrize("content", [None, b"", b"\x7fELF, as far as it goes"])
def test_what_is_no_image_is_no_verdict(rtstone: Command, tmp_path: Path, content: bytes | None) -> None:
    elf = tmp_path / "kernel.elf"
    if content is not None:
        elf.write_bytes(content)
    ended = rtstone(*_asked(tmp_path, elf))
    assert ended.code == 125
    (line,) = ended.err.splitlines()
    assert line.startswith("rtstone: cannot be judged: ")


def test_a_missing_emulator_stops_it(
    rtstone: Command, image: Build, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    elf = image(BOARD, "bare")
    monkeypatch.setenv("PATH", "/nonexistent")
    ended = rtstone(*_asked(tmp_path, elf))
    assert (ended.code, "qemu-system-arm: apt-get install" in ended.err) == (128, True)


@pytest.mark.parametrize(
    "words", [("--bisect",), ("--bisect", "--measure", "--nonesuch"), ("--bisect", "--measure", "-t", "board:none")]
)
def test_a_wrong_command_stops_it(rtstone: Command, tmp_path: Path, words: tuple[str, ...]) -> None:
    ended = rtstone("check", _gate(tmp_path, "min < 1ms"), *words)
    assert ended.code == 128
    assert len(ended.err.splitlines()) == 1


@pytest.mark.parametrize(
    "require", ["max < 1ms", "p99 < 1ms", "mean < 1ms", "exceedance(1ms) < 1e-3", "loss = 0", "sd < 1ms"]
)
def test_what_moves_with_each_build_is_refused(rtstone: Command, tmp_path: Path, require: str) -> None:
    ended = rtstone("check", _gate(tmp_path, require), "--measure", "--bisect", "-t", f"board:{BOARD}/bare")
    assert ended.code == 128
    (line,) = ended.err.splitlines()
    assert f"'{require}': --bisect judges a min or a median" in line


def test_a_machine_of_its_own_time_is_refused(rtstone: Command, tmp_path: Path) -> None:
    gate = _gate(tmp_path, "min < 1ms", HEAD.replace("instruction-time", "time"))
    ended = rtstone("check", gate, "--measure", "--bisect")
    assert (ended.code, "gate.toml:3: --bisect is for virtual boards" in ended.err) == (128, True)
