# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""`make setup` says what it needs where it may not install it, and its lists hold no address."""

from __future__ import annotations

import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

# What tools/setup itself runs before it can install anything; no package set names them.
ESSENTIAL = ("bash", "env", "dirname", "find", "id", "cat", "printf", "ls")


@pytest.fixture
def bare_tools(root: Path, tmp_path: Path) -> Path:
    """A checkout with only the set-up in it."""
    shutil.copytree(root / "tools", tmp_path / "checkout" / "tools")
    shutil.copytree(root / "requirements", tmp_path / "checkout" / "requirements")
    return tmp_path / "checkout"


def _setup(checkout: Path, path: Path, *sets: str) -> subprocess.CompletedProcess[str]:
    """Run tools/setup with only the programs in `path`."""
    return subprocess.run(
        [path / "bash", checkout / "tools" / "setup", *sets],
        env={"PATH": str(path), "PYTHON": "python3"},  # else the distribution's, by its full path
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


@pytest.fixture
def bare_path(tmp_path: Path) -> Path:
    """A folder of programs with neither apt-get nor sudo nor a compiler."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in ESSENTIAL:
        found = shutil.which(name)
        if found:
            (folder / name).symlink_to(found)
    return folder


def test_tells_what_is_missing_when_it_cannot_install(bare_tools: Path, bare_path: Path) -> None:
    done = _setup(bare_tools, bare_path, "run")
    assert done.returncode == 3
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert line.startswith("setup: these are needed")
    for package in ("python3", "python3-venv", "gcc", "cmake", "ninja-build", "make"):
        assert re.search(rf"\b{package}\b", line), package


def test_unknown_set_is_named(bare_tools: Path, bare_path: Path) -> None:
    done = _setup(bare_tools, bare_path, "no-such-set")
    assert done.returncode == 3
    assert "there is no package set 'no-such-set'" in done.stderr


def test_python_that_is_too_old_is_named(bare_tools: Path, bare_path: Path) -> None:
    for name in ("gcc", "make", "cmake", "ninja"):
        (bare_path / name).symlink_to("/bin/true")
    old = bare_path / "python3"
    # Python 3.9 as the set-up finds it: it has ensurepip, it fails the version check, it prints its version.
    old.write_text(
        '#!/bin/sh\ncase "$*" in *version_info*) exit 1 ;; -V) echo "Python 3.9.2" ;; esac\n', encoding="utf-8"
    )
    old.chmod(0o755)
    done = _setup(bare_tools, bare_path, "run")
    assert done.returncode == 3
    assert "Python 3.11 or newer is needed; python3 is Python 3.9.2" in done.stderr


def test_locks_hold_names_versions_and_hashes_only(root: Path) -> None:
    lists = sorted((root / "requirements").glob("*.txt"))
    names = ("build", "display", "docs", "image", "ioc", "labgrid", "release", "run", "test")
    assert [path.name for path in lists] == [f"{name}.txt" for name in names]
    name = r"[A-Za-z0-9._-]+"
    asks = rf"({name}( \(pyproject\.toml(:{name})?\))?|-c requirements/{name}\.txt)"
    allowed = re.compile(
        rf"{name}==[0-9a-z.+!]+( ; [^/]+)? \\|    --hash=sha256:[0-9a-f]{{64}}( \\)?|    # (via( {asks})?|  {asks})"
    )
    for path in lists:
        lines = path.read_text(encoding="utf-8").splitlines()
        assert lines
        assert [line for line in lines if not allowed.fullmatch(line)] == []


def test_locks_cover_what_pyproject_declares(root: Path) -> None:
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    declared = {
        "run": project["project"]["dependencies"],
        "build": project["dependency-groups"]["build"],
        "test": project["dependency-groups"]["test"],
        "docs": project["dependency-groups"]["docs"],
        "labgrid": project["dependency-groups"]["lab"],
        "ioc": project["project"]["optional-dependencies"]["ioc"],
        "display": project["project"]["optional-dependencies"]["display"],
    }
    for name, wanted in declared.items():
        text = (root / "requirements" / f"{name}.txt").read_text(encoding="utf-8")
        locked = set(re.findall(r"^([a-z0-9._-]+)==", text, re.MULTILINE))
        missing = {re.split(r"[<>=!~ \[;]", entry)[0].lower() for entry in wanted} - locked
        assert missing == set(), name
