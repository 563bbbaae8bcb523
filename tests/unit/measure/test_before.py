# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The command before a repetition: if it takes too long, all its processes are ended.

Processes that it leaves running on purpose stay.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from rtstone.errors import InfrastructureError
from rtstone.measure import Before, _before
from rtstone.targets import open_target


def _run(command: str) -> None:
    Before(open_target("simulated"), command)._run()


def _gone(pid: int) -> bool:
    for _ in range(100):
        try:
            if Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0] == "Z":
                return True
        except FileNotFoundError:
            return True
        time.sleep(0.05)
    return False


def test_a_command_that_does_not_end_leaves_no_child(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_before, "_TIMEOUT_S", 1)
    pids = tmp_path / "pids"
    with pytest.raises(InfrastructureError, match="did not end within 1 s"):
        _run(f"sleep 300 & echo $! > {pids}; (sleep 300 & echo $! >> {pids}; wait) & wait")
    children = [int(word) for word in pids.read_text(encoding="ascii").split()]
    assert len(children) == 2
    assert all(map(_gone, children))


def test_what_a_command_leaves_running_keeps_nobody_waiting(tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    begun = time.monotonic()
    _run(f"sleep 300 & echo $! > {pid}")
    assert time.monotonic() - begun < 60
    left = int(pid.read_text(encoding="ascii"))
    assert Path(f"/proc/{left}").exists()
    os.kill(left, 9)


def test_a_command_that_fails_says_what_it_said() -> None:
    with pytest.raises(InfrastructureError, match=r"ended with code 3: .*no such knob$"):
        _run("head -c 100000 /dev/zero | tr '\\0' x; echo; echo no such knob >&2; exit 3")
