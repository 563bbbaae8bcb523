# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Before a kernel is measured it does what its port says: registers, lives, lent urgency, messages, interrupts."""

from __future__ import annotations

from pathlib import Path

import pytest

from rtstone.targets.boards import firmware
from support.firmware import CASES, run
from support.images import lasting_cache


@pytest.mark.parametrize(("board", "kernel"), [case for case in CASES if "bare" not in getattr(case, "values", case)])
def test_is_accepted(root: Path, tmp_path: Path, board: str, kernel: str) -> None:
    with lasting_cache(root):
        image = firmware.build(board, kernel, acceptance=True)
        assert run(image, board, kernel, None, tmp_path) == b"accepted\n"
