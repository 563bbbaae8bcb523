# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The CPU of a batch: from its file or from rtstone.toml into each request, and a version that older workers know. Costs 3 s."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from rtstone.archive import _queue, open_queue
from rtstone.cli import main
from rtstone.lab.worker import Work, decoded
from rtstone.lab.worker_command import request_of

pytestmark = pytest.mark.usefixtures("simulated_engine")

LAB = 'measurements = ["semaphore-ping"]\nloads = ["none"]\nprofile = "quick"\n{cpu}\n[places]\ndesk = "simulated"\n'


@pytest.mark.parametrize(
    ("line", "setting", "cpu", "version"),
    [("", "", -1, 1), ("", "cpu = 3\n", 3, 2), ("cpu = 2", "cpu = 3\n", 2, 2), ("cpu = -1", "cpu = 3\n", -1, 1)],
)
def test_the_cpu_goes_into_each_request_and_older_workers_leave_what_they_cannot_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str, setting: str, cpu: int, version: int
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("rtstone.toml").write_text(setting)
    Path("lab.toml").write_text(LAB.format(cpu=line))
    where = str(tmp_path / "archive.sqlite")

    def interrupted(*_: object, **__: object) -> None:
        raise SystemExit(130)

    monkeypatch.setattr("rtstone.lab.command._see_through", interrupted)
    with pytest.raises(SystemExit):
        main(["measure-all", "lab.toml", "--workers", "0", "--archive", where])
    queue = open_queue(where)
    with monkeypatch.context() as older:
        older.setattr(_queue, "VERSION", 1)
        assert queue.newer() == version - 1
    lease = queue.take("me")
    assert lease is not None
    work = decoded(lease.request)
    assert (work.cpu, work.version) == (cpu, version)
    assert request_of(work).cpu == cpu


def test_a_request_without_a_cpu_is_written_as_before() -> None:
    """So an unfinished batch continues after an update, and an older worker reads it."""
    assert "cpu" not in msgspec.json.encode(Work(target="simulated", measurement="semaphore-ping")).decode()
