# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""A run that is interrupted before its engine has begun, in a guest's boot for instance, can be resumed."""

from __future__ import annotations

from collections.abc import Iterator
from types import TracebackType
from typing import Self

import pytest

from rtstone.errors import UsageError
from rtstone.measure import Interruption, Measuring, resume
from rtstone.stream.plan import Item, Plan, encode
from rtstone.targets import Capabilities

PLANS = [
    Plan(seed=7, repetition=repetition, items=(Item(item=0, measurement="queue-fill", count=100 + 7 * repetition),))
    for repetition in (0, 1)
]


class Booting:
    """A guest whose user presses Ctrl-C after its first lines."""

    name = "booting"
    capabilities = Capabilities()

    def __init__(self, *, echoes: bool) -> None:
        self._echoes = echoes

    def describe(self) -> dict[str, str]:
        return {}

    def deploy(self) -> None:
        pass

    def start(self, plan: Plan) -> Iterator[bytes]:
        yield b"[    0.000000] Booting Linux"
        if self._echoes:
            yield from encode(plan).splitlines()
        raise KeyboardInterrupt

    def stop(self) -> None:
        pass

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        pass


@pytest.mark.parametrize("echoes", [False, True])
def test_an_interrupted_boot_is_resumed_by_the_plan_that_was_sent(echoes: bool) -> None:
    with Interruption() as interruption, Measuring(Booting(echoes=echoes), list(PLANS), interruption) as measuring:
        assert not measuring.next()
    outcome = measuring.outcome()
    assert outcome.run.status == "interrupted"
    (log,) = outcome.logs
    assert log.startswith(b"[    0.000000] Booting Linux\n")
    assert (b"[plan] ~0 " in log) == (not echoes), "only a plan that the engine had not echoed is added"
    taken = resume(outcome.run, outcome.logs, virtual=False)
    assert taken.sessions == ()
    assert [plan.items[0].measurement for plan in taken.plans] == ["queue-fill", "queue-fill"]
    assert taken.plans[0].items == PLANS[0].items
    assert [plan.repetition for plan in taken.plans] == [0, 1]


def test_a_log_without_any_plan_is_refused() -> None:
    with Interruption() as interruption, Measuring(Booting(echoes=False), list(PLANS), interruption) as measuring:
        measuring.next()
    outcome = measuring.outcome()
    with pytest.raises(UsageError):
        resume(outcome.run, (b"nothing\n",), virtual=False)
