# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""When a guest is made an IOC: where its plan asks for the load of one, on the architecture that EPICS base comes for."""

from __future__ import annotations

from pathlib import Path

import pytest

from rtstone import ioc
from rtstone.cli._check import USUAL_LOADS
from rtstone.ioc import guest as _guest_ioc
from rtstone.ioc.guest import can_be_ioc, inside_ioc
from rtstone.stream.plan import Item, Plan
from rtstone.targets import boards

PC = boards.load("pc").kernel_of("linux-6.1-rt")
ARM64 = boards.load("arm64").kernel_of("linux-6.1-rt")


def _plan(*loads: tuple[str, int]) -> Plan:
    items = (Item(item=n, measurement="interrupt-total", load=load, intensity=i) for n, (load, i) in enumerate(loads))
    return Plan(seed=1, repetition=0, items=tuple(items))


@pytest.fixture(autouse=True)
def asked(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The numbers of records for which files were asked."""
    found: list[int] = []

    def files(records: int) -> tuple[dict[str, bytes], frozenset[str]]:
        found.append(records)
        return {"ioc/db/load.db": b"record"}, frozenset()

    monkeypatch.setattr(ioc, "guest_files", files)
    return found


def test_as_many_records_as_the_strongest_load_wants(asked: list[int]) -> None:
    made = inside_ioc(PC, _plan(("none", 1), ("ioc", 4), ("cpu+ioc-above", 50), ("network", 8)))
    assert made is not None
    assert asked == [5000]
    assert made.packed() == made.packed()
    assert b"ioc/db\0" in made.packed()


def test_other_loads_and_other_architectures_go_without(asked: list[int]) -> None:
    assert inside_ioc(PC, _plan(("none", 1), ("network", 1))) is None
    assert inside_ioc(ARM64, _plan(("ioc", 1))) is None
    assert asked == []


def test_a_study_of_an_ioc_needs_base(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ioc, "guest_obstacle", lambda: None)
    assert can_be_ioc(PC)
    assert not can_be_ioc(ARM64)
    monkeypatch.setattr(ioc, "guest_obstacle", lambda: "EPICS base is not installed")
    assert not can_be_ioc(PC)


def test_an_image_that_is_an_ioc_needs_none_of_this_host(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ioc, "guest_obstacle", lambda: "EPICS base is not installed")
    zynq = boards.load("zynq-a9")
    assert can_be_ioc(zynq.kernel_of("rtems-ioc"))
    assert not can_be_ioc(zynq.kernel_of("rtems"))


def test_the_engine_has_these_loads_and_counts_alike(root: Path) -> None:
    """The host's description of a unit of intensity agrees with the load's code."""
    assert set(USUAL_LOADS) >= _guest_ioc.LOADS
    header = (root / "ioc/load/clients.h").read_text(encoding="utf-8")
    assert f"#define IOC_RECORDS_OF_ONE {_guest_ioc.RECORDS_OF_ONE}u\n" in header
