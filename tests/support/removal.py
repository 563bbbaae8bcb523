# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""A copy of the checkout without rooms: without their folders, their entry points and the tests that import them."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from support.layering import PYTHON_ARROWS, python_imports

LINKED = (".git", ".venv", "build")
"""Everything else of the checkout is copied."""


def with_dependants(rooms: set[str]) -> set[str]:
    """The rooms, and those that may import one of them."""
    found = set(rooms)
    for room, allowed in PYTHON_ARROWS.items():  # a room stands below all that it imports
        if allowed & found:
            found.add(room)
    return found


def copy_without(rooms: set[str], root: Path, copy: Path) -> None:
    """Makes the copy in the folder `copy`."""
    skipped = shutil.ignore_patterns("__pycache__", ".*_cache", ".hypothesis", "out", "dist", *LINKED)
    shutil.copytree(root, copy, symlinks=True, ignore=skipped)
    for name in LINKED:
        if (root / name).exists():
            (copy / name).symlink_to(root / name)
    lines = (root / "pyproject.toml").read_text(encoding="utf-8").splitlines(keepends=True)
    named = re.compile(rf'^[\w-]+ = "rtstone\.({"|".join(sorted(rooms))})[.:"]')
    (copy / "pyproject.toml").write_text("".join(line for line in lines if not named.match(line)), encoding="utf-8")
    for room in rooms:
        shutil.rmtree(copy / "src" / "rtstone" / room)
    for path in sorted((copy / "tests").rglob("*.py")):
        imported = python_imports(path.read_text(encoding="utf-8"), "", is_package=False)
        if any(name.split(".")[:2] == ["rtstone", room] for name in imported for room in rooms):
            path.unlink()
