# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""docs/how-to/add-a-kernel.md, followed to the letter: its commands put a kernel of another name on a board and run it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from support.firmware import BOARDS, SISTERS

SHELL = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NEEDED = (
    *("CMakeLists.txt", "CMakePresets.json", "pyproject.toml", "cmake", "engine", "linux", "ports", "boards", "probe"),
    *("spec", "studies", "reference", "src"),
)


@pytest.mark.parametrize(
    "board",
    ["arm64", *(pytest.param(board, marks=pytest.mark.long) for board in (*BOARDS, *SISTERS) if board != "arm64")],
)
def test_the_guides_commands_put_a_kernel_on_a_board(root: Path, tmp_path: Path, board: str) -> None:
    copy = tmp_path / "rtstone"
    copy.mkdir()
    for name in NEEDED:
        source = root / name
        if source.is_dir():
            shutil.copytree(source, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy2(source, copy / name)
    commands = SHELL.findall((root / "docs" / "how-to" / "add-a-kernel.md").read_text(encoding="utf-8"))
    assert len(commands) == 3
    script = "set -e\n" + "".join(commands).replace("board=arm64\n", f"board={board}\n")
    script += f"python -m rtstone boards\npython -m rtstone boards accept {board}/mykernel\n"
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-c", script],
        cwd=copy,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        check=False,
        timeout=280,
    )
    # Everything works but the last command: the copied port has no threads yet.
    assert done.returncode == 1, done.stdout + done.stderr
    last = done.stdout.splitlines()[-1]
    assert last.startswith(f"board:{board}/mykernel: not accepted: boards/firmware/acceptance.c:"), last
    assert f"board:{board}/mykernel: 2 runs the same" in done.stdout
    assert "Conditions of slac" in done.stdout
    assert f"board:{board}/mykernel\tMy kernel 1.0\t" in done.stdout
