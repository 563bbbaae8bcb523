# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""What every test of the machine's facts starts from: no sign of the container that the tests themselves may run in."""

from __future__ import annotations

import pytest

from rtstone.machine.doctor.checks import interference


@pytest.fixture(autouse=True)
def _no_sign_of_a_container(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (interference.POD, interference.MANAGER):
        monkeypatch.delenv(name, raising=False)
