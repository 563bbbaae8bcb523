# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""docs/how-to/add-a-port.md, followed to the letter: its commands build the template as a port of another name."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

SHELL = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FIRST_LINE = "rtstone: fatal: there is not enough memory for a run\n"
NEEDED = ("CMakeLists.txt", "cmake", "engine", "examples", "ioc", "linux", "ports", "spec", "studies", "reference")


@pytest.fixture
def checkout(root: Path, tmp_path: Path) -> Path:
    """A copy of the files that the build needs, in which a port can be added."""
    copy = tmp_path / "rtstone"
    copy.mkdir()
    for name in NEEDED:
        source = root / name
        if source.is_dir():
            shutil.copytree(source, copy / name)
        else:
            shutil.copy2(source, copy / name)
    return copy


def test_the_guides_commands_build_a_new_port(root: Path, checkout: Path) -> None:
    commands = SHELL.findall((root / "docs" / "how-to" / "add-a-port.md").read_text())
    assert len(commands) >= 2
    script = "set -e\n" + "".join(commands)
    done = subprocess.run(
        ["bash", "-c", script], cwd=checkout, capture_output=True, text=True, check=False, timeout=280
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "warning" not in done.stdout + done.stderr
    engine = checkout / "build" / "mykernel" / "rtstone-engine-mykernel"
    # A template measures nothing, and must not look as if it had: it ends with a line, an exit code and an empty record.
    ended = subprocess.run([str(engine)], capture_output=True, text=True, check=False, timeout=20)
    assert ended.returncode == 3
    assert not ended.stdout
    assert ended.stderr == FIRST_LINE
    assert FIRST_LINE.strip() in (root / "docs" / "how-to" / "add-a-port.md").read_text()


def test_every_hook_of_the_contract_is_marked_in_the_template(root: Path) -> None:
    contract = (root / "engine" / "include" / "rtstone" / "port.h").read_text()
    template = "".join(path.read_text() for path in sorted((root / "ports" / "template").rglob("*.[ch]")))
    hooks = set(re.findall(r"\b(rts_port_\w+)\(", contract))
    assert len(hooks) > 40
    marked = set(
        re.findall(r"/\*[\s*]*\[(?:required|optional)\](?:[^*]|\*(?!/))*\*/\s*[^{;]*?\b(rts_port_\w+)\(", template)
    )
    assert hooks - marked == set()
