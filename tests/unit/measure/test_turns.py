# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Targets that are compared alternate, and so does their order. Commands before a repetition are run, and reported."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Self

import pytest

from rtstone.errors import InfrastructureError
from rtstone.measure import Before, Interruption, Measuring, alternating, interleaved, measure_group
from rtstone.stream.plan import Item, Plan
from rtstone.targets import Capabilities

_ITEMS = (Item(item=0, measurement="thread-switch"),)


class Noting:
    """A target that says nothing and notes when it was asked."""

    capabilities = Capabilities()

    def __init__(self, name: str, order: list[str]) -> None:
        self.name = name
        self._order = order

    def describe(self) -> dict[str, str]:
        return {"x": "y"}

    def deploy(self) -> None:
        pass

    def start(self, plan: Plan) -> Iterator[bytes]:
        self._order.append(f"{self.name}{plan.repetition}")
        yield b"~0 hello"

    def stop(self) -> None:
        pass

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        pass


class Going(Measuring):
    """Goes on though what it hears is no record stream: this is about turns."""

    def _judge(self, sessions: object) -> None:
        pass


def _order(*, alternate: bool, repetitions: tuple[int, int] = (4, 4)) -> list[str]:
    order: list[str] = []
    with Interruption() as asked:
        going = [
            Going(Noting(name, order), [Plan(seed=1, repetition=i, items=_ITEMS) for i in range(n)], asked)
            for name, n in zip("AB", repetitions, strict=True)
        ]
        measure_group(going, [], asked, order=alternating if alternate else interleaved)
    return order


def test_the_order_alternates_and_repetitions_keep_their_numbers() -> None:
    assert _order(alternate=True) == ["A0", "B0", "B1", "A1", "A2", "B2", "B3", "A3"]


def test_without_it_the_order_is_always_the_same() -> None:
    assert _order(alternate=False) == ["A0", "B0", "A1", "B1", "A2", "B2", "A3", "B3"]


def test_one_side_that_has_ended_does_not_end_the_other() -> None:
    assert _order(alternate=True, repetitions=(1, 3)) == ["A0", "B0", "B1", "B2"]


def test_a_command_is_run_before_each_repetition_and_told(tmp_path: Path) -> None:
    log = tmp_path / "log"
    target = Before(Noting("A", []), f'echo "$RTSTONE_TARGET" >> {log}')
    for _ in range(2):
        assert list(target.start(Plan(seed=1, repetition=0, items=_ITEMS))) == [b"~0 hello"]
    assert log.read_text(encoding="utf-8") == "A\nA\n"
    assert target.describe() == {"x": "y", "before": f'echo "$RTSTONE_TARGET" >> {log}'}


def test_a_command_that_fails_ends_it_before_anything_is_measured() -> None:
    order: list[str] = []
    target = Before(Noting("A", order), "echo no such governor; exit 3")
    with pytest.raises(InfrastructureError, match="ended with code 3: no such governor"):
        list(target.start(Plan(seed=1, repetition=0, items=_ITEMS)))
    assert order == []


@pytest.mark.parametrize(("last_too", "kept"), [(False, 2), (True, 3)])
def test_each_session_is_kept_while_others_are_measured_beside_it(last_too: bool, kept: int) -> None:
    """Of a virtual target among several also the last: the command goes on, and may be ended before it comes to its own end."""
    found: list[str] = []
    plans = [Plan(seed=1, repetition=i, items=_ITEMS) for i in range(3)]
    with Interruption() as asked:
        going = [
            Going(Noting(name, []), plans, asked, checkpoint=partial(_note, found, name), last_too=last_too)
            for name in "AB"
        ]
        measure_group([], going, asked, jobs=2)
    assert (found.count("A"), found.count("B")) == (kept, kept)


def _note(found: list[str], name: str, measuring: Measuring) -> None:
    assert isinstance(measuring, Going)
    found.append(name)
