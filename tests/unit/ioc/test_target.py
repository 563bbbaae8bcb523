# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The words of the target `ioc`."""

from __future__ import annotations

import pytest

from rtstone.errors import UsageError
from rtstone.ioc.target import open_ioc


@pytest.mark.parametrize("rest", ["1", "192.0.2.1", "192.0.2.1/host"])
def test_a_wrong_specification_is_told(rest: str) -> None:
    with pytest.raises(UsageError, match="takes an address of this machine and the host that loads it") as caught:
        open_ioc(rest)
    assert "\n" not in str(caught.value)
