# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""A room that registers itself can be removed: its folder and its entry points. The rest works without it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from support.layering import PYTHON_ARROWS, REGISTERED, python_graph, python_imports
from support.removal import copy_without, with_dependants

OF_THE_WHOLE = (
    "--ignore=tests/unit/test_documentation.py",  # the pages name commands of all rooms
    "--ignore=tests/unit/cli/test_renamed.py",  # older names of commands of all rooms, until release 0.5
    "--ignore=tests/unit/test_needs.py",  # each need has a test, of whichever room
    "--deselect=tests/unit/cli/test_examples.py::test_the_reference_in_the_repository_is_current",
    "--deselect=tests/unit/test_schemas.py::test_they_are_what_the_structures_make",  # of all rooms' documents
    "--ignore=tests/unit/test_rooms.py",
)
"""Options that leave out the tests that need the complete product."""


def _run(copy: Path, *words: str, timeout_s: int) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *words],
        cwd=copy,
        env=os.environ | {"PYTHONPATH": f"{copy / 'src'}:{copy / 'tests'}"},
        capture_output=True,
        text=True,
        check=False,
        timeout=timeout_s,
    )


def test_nothing_below_names_them() -> None:
    rooms = list(PYTHON_ARROWS)
    for room in REGISTERED:
        users = {name for name, allowed in PYTHON_ARROWS.items() if room in allowed}
        assert users <= set(REGISTERED), f"{room} is imported by {users}"
        assert rooms.index("judge") < rooms.index("cli") < rooms.index(room)


COMMANDS = {"lab": "measure-all"}
"""Room -> a command of it, where it has another name."""
EACH = [*({room} for room in REGISTERED), set(REGISTERED)]


@pytest.mark.parametrize("rooms", EACH, ids=lambda rooms: "+".join(sorted(rooms)))
def test_the_rest_is_whole_without_it(root: Path, tmp_path: Path, rooms: set[str]) -> None:
    """No import of the rest, in a function or not, names the room. The commands that are left are listed."""
    gone = with_dependants(rooms)
    assert gone <= set(REGISTERED)
    copy = tmp_path / "copy"
    copy_without(gone, root, copy)
    package = copy / "src" / "rtstone"
    assert len(python_graph(package)) > 100
    for path in package.rglob("*.py"):
        module = ".".join(path.relative_to(copy / "src").with_suffix("").parts).removesuffix(".__init__")
        for name in python_imports(path.read_text(encoding="utf-8"), module, is_package=path.name == "__init__.py"):
            assert not any(f"{name}.".startswith(f"rtstone.{one}.") for one in gone), f"{module} imports {name}"
    done = _run(copy, "-m", "rtstone", "--help", timeout_s=60)
    assert (done.returncode, done.stderr) == (0, "")
    assert "\n  run " in done.stdout
    for command in (COMMANDS.get(room, room) for room in sorted(gone)):
        assert f"\n  {command} " not in done.stdout
    done = _run(copy, "-m", "rtstone", COMMANDS.get(min(rooms), min(rooms)), timeout_s=60)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    if len(rooms) > 1:
        done = _run(
            copy, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/unit/cli/test_choices.py", timeout_s=200
        )
        assert done.returncode == 0, done.stdout[-3000:]


@pytest.mark.long
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("rooms", EACH, ids=lambda rooms: "+".join(sorted(rooms)))
def test_the_unit_tests_of_the_rest_pass(root: Path, tmp_path: Path, rooms: set[str]) -> None:
    copy = tmp_path / "copy"
    copy_without(with_dependants(rooms), root, copy)
    done = _run(
        copy, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", "not alone and not long", *OF_THE_WHOLE, "tests/unit",
        timeout_s=3500,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-6000:]
