# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Each domain error ends a command with the exit code that the design gives it."""

from __future__ import annotations

import pytest

from rtstone import errors
from rtstone.errors import unknown


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (errors.RtstoneError, 3),
        (errors.BoundExceeded, 1),
        (errors.UsageError, 2),
        (errors.InfrastructureError, 3),
        (errors.ImageError, 2),
        (errors.GuestError, 3),
        (errors.IncompleteError, 4),
    ],
)
def test_exit_codes(error: type[errors.RtstoneError], code: int) -> None:
    assert error.exit_code == code
    assert issubclass(error, errors.RtstoneError)


def test_a_long_name_is_quoted_in_part() -> None:
    said = str(unknown("measurement", "x" * 100_000, ["queue-fill"]))
    assert len(said) < 200
    assert said.startswith("unknown measurement 'xxx")
