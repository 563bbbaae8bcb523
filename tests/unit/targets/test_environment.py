# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Options for an engine on this machine, besides its plan, reach it alone: our own environment stays as it was."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from rtstone.stream.plan import Item, Plan
from rtstone.targets._engine import EngineTarget


def test_options_reach_the_engine_and_change_no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(EngineTarget, "_engine", lambda _: Path(sys.executable))
    before = dict(os.environ)
    shows = "import os; print(os.environ.get('RTSTONE_PEER'), os.environ.get('RTSTONE_LOAD_COMMAND'))"
    target = EngineTarget("one", "engine", ("-c", shows))
    item = Item(item=0, measurement="task-switch")
    told = Plan(seed=1, repetition=0, items=(item,), peer="192.0.2.1", load_command="sleep 1")
    assert list(target.start(told)) == [b"192.0.2.1 sleep 1"]
    assert list(target.start(Plan(seed=1, repetition=0, items=(item,)))) == [b"None None"]
    assert dict(os.environ) == before
