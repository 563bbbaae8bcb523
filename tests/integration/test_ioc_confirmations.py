# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Every put that waits for its confirmation gets it, also where the IOC's thread that gives them falls behind a whole burst."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from rtstone.ioc import IocSettings
from support.ioc import private, programs, running

__all__ = ["programs"]  # the fixture

RECORDS = 5000

pytestmark = pytest.mark.timeout(240)


@pytest.fixture
def one_cpu() -> Iterator[None]:
    """All that is started meanwhile shares one CPU: a thread of the least urgent class then runs when nothing else of it wants to."""
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(allowed)})
    yield
    os.sched_setaffinity(0, allowed)


def _thread(pid: int, name: str) -> int:
    for task in Path(f"/proc/{pid}/task").iterdir():
        if (task / "comm").read_text(encoding="utf-8").strip() == name:
            return int(task.name)
    raise AssertionError(f"the IOC has no thread {name}")


@pytest.mark.needs("realtime")
@pytest.mark.usefixtures("one_cpu")
def test_a_burst_is_confirmed_though_nobody_took_its_callbacks_meanwhile(programs: Path) -> None:
    settings = private(load=RECORDS, pva_port=None)
    with running(programs, settings) as (ioc, client):
        callbacks = _thread(ioc.pid, "cbLow")
        usual = os.sched_getscheduler(callbacks), os.sched_getparam(callbacks)
        os.sched_setscheduler(callbacks, os.SCHED_IDLE, os.sched_param(0))
        words = (str(RECORDS), "0", "--bursts", "1", "--callback", "--prefix", f"{settings.prefix}load:", "--json")
        with subprocess.Popen(
            [programs / "rtstone-caput", *words],
            env=os.environ | ioc.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as put:
            client.until(f"load:put{RECORDS - 1}", 1, 30)  # the server has done all puts, in their order
            os.sched_setscheduler(callbacks, *usual)
            out, err = put.communicate(timeout=90)
        assert not [line for line in ioc.lines if "ring buffer full" in line]
    assert put.returncode == 0, err
    found = json.loads(out)
    assert (found["puts"], found["failed"]) == (RECORDS, 0)


def test_the_queue_has_room_for_all_records_of_the_load() -> None:
    assert IocSettings().server_environment()["RTSTONE_IOC_CALLBACKS"] == "2000"
    assert IocSettings(load=RECORDS).server_environment()["RTSTONE_IOC_CALLBACKS"] == str(2000 + RECORDS)
