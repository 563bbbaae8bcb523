# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The line of a failed build that an error quotes."""

from __future__ import annotations

import pytest

from rtstone.targets.boards.guest._tools import first_error

ENTERING = "make[1]: Entering directory '/usr/src/linux'"


@pytest.mark.parametrize(
    ("lines", "quoted"),
    [
        ([ENTERING, "a.c:1:2: error: no", "make: *** [a.o] Error 1"], "a.c:1:2: error: no"),
        (
            [ENTERING, "make[1]: *** No rule to make target 'a'.  Stop."],
            "make[1]: *** No rule to make target 'a'.  Stop.",
        ),
        ([ENTERING, "cc: fatal: Killed", "done"], "cc: fatal: Killed"),
        ([ENTERING, "  CC a.o", ""], "CC a.o"),
        (["", " "], "it said nothing"),
    ],
)
def test_the_line_that_shows_why_is_quoted(lines: list[str], quoted: str) -> None:
    assert first_error(lines) == quoted
