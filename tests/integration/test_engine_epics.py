# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The engine on EPICS's own OS interface: a whole session, what libCom lacks left out with a reason, what stands in named."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from rtstone.ioc import build_engine
from rtstone.model import Session
from rtstone.stream import collect
from rtstone.stream.plan import Item, Plan
from rtstone.targets import open_target
from support.images import lasting_cache

pytestmark = [pytest.mark.alone, pytest.mark.timeout(300)]

MEASURED = (
    *("task-create-delete", "semaphore-ping", "semaphore-get-release", "queue-fill", "queue-alternate"),
    *("block-allocate", "task-preemption", "semaphore-shuffle", "deadlock-break", "message-latency", "thread-switch"),
    "task-ping-suspend-resume",
    "interrupt-response",
)
LACKING = {
    "queue-fill-urgent": "epicsMessageQueue has no send to the head",
    "task-suspend-resume": "libCom lets a thread suspend itself, not another one",
    "task-switch": "libCom has no yield",
    "process-switch": "libCom's threads share one address space",
}


@pytest.fixture(scope="module")
def session(root: Path) -> Iterator[Session]:
    """One session with a few samples of everything."""
    with lasting_cache(root), pytest.MonkeyPatch.context() as patch:
        patch.setenv("RTSTONE_ENGINE_EPICS", str(build_engine()))
        names = (*MEASURED, *LACKING)
        plan = Plan(
            seed=1, repetition=0, items=tuple(Item(item=i, measurement=n, count=200) for i, n in enumerate(names))
        )
        with open_target("epics") as target:
            target.deploy()
            (found,) = collect(list(target.start(plan)), plan)
        yield found


def test_it_is_whole(session: Session) -> None:
    assert session.complete
    assert {result.measurement for result in session.results} == {*MEASURED, *LACKING}


@pytest.mark.parametrize("name", MEASURED)
def test_it_measures(session: Session, name: str) -> None:
    found = [result for result in session.results if result.measurement == name]
    assert {result.status for result in found} == {"ok"}


@pytest.mark.parametrize(("name", "why"), LACKING.items())
def test_what_libcom_lacks_is_left_out_with_the_reason(session: Session, name: str, why: str) -> None:
    (found,) = (result for result in session.results if result.measurement == name)
    assert (found.status, found.text) == ("skipped", why)
