# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""No program of ours opens a file of a fixed name in a folder where everybody may write: another user could have put a link there."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
NAMED = re.compile(r"\"(?:/var)?/tmp/[^\"]*\"|\"/dev/shm/[^\"]*\"")
DRAWN = re.compile(r"X{6}\"$")
"""The end of a template for mkstemp and its like."""


def test_files_in_tmp_have_no_name_or_one_that_is_drawn() -> None:
    sources = [
        path
        for room in ("linux", "ports", "engine", "ioc", "probe", "src")
        for path in (ROOT / room).rglob("*")
        if path.suffix in {".c", ".h", ".py"} and "tests" not in path.parts
    ]
    assert len(sources) > 300
    fixed = {
        f"{path.relative_to(ROOT)}: {name}"
        for path in sources
        for name in NAMED.findall(path.read_text(encoding="utf-8"))
        if not DRAWN.search(name)
    }
    assert fixed == set()
