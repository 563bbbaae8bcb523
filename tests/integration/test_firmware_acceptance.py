# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Before a kernel is measured it does what its port says: registers, lives, lent urgency, messages, interrupts."""

from __future__ import annotations

import pytest

from support.board_command import Command, rtstone
from support.firmware import CASES

__all__ = ["rtstone"]  # the fixture


@pytest.mark.parametrize(("board", "kernel"), [case for case in CASES if "bare" not in getattr(case, "values", case)])
def test_is_accepted(rtstone: Command, board: str, kernel: str) -> None:
    done = rtstone("boards", "accept", f"{board}/{kernel}")
    assert (done.code, done.out) == (0, f"board:{board}/{kernel}: accepted\n"), done.err
