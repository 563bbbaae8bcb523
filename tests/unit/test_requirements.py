# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The lists that one environment is installed from agree: pip refuses two versions of a package."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path

APART = {"labgrid.txt", "image.txt"}
"""Lists of environments of their own."""


def test_no_two_lists_of_one_environment_name_two_versions_of_a_package(root: Path) -> None:
    lists = [file for file in (root / "requirements").glob("*.txt") if file.name not in APART]
    assert len(lists) >= 7
    found: dict[tuple[str, str], set[str]] = defaultdict(set)
    for file in lists:
        for name, version, marker in re.findall(
            r"^([A-Za-z0-9._-]+)==(\S+?)(?: ; (.+?))? \\$", file.read_text(), re.MULTILINE
        ):
            found[name, marker].add(version)
    assert len(found) > 100
    assert {name: versions for name, versions in found.items() if len(versions) > 1} == {}
