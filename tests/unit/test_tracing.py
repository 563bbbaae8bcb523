# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""tools/trace-sample: a trace is cut into the samples that the record tells of, to the tick, or refused."""

from __future__ import annotations

import importlib
import struct
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType

import pytest

NAMES = [
    *(
        "el1h_64_irq",
        "handle_percpu_devid_irq",
        "handle[rtstone_probe]",
        "probe_interrupt[rtstone_probe]",
        "try_to_wake_up",
    ),
    *("__schedule", "cpu_switch_to", "probe_read[rtstone_probe]", "start_here[rtstone_probe]", "do_idle"),
]
USER, COUNTER = "user", "counter"
ONE = [
    *((100, "el1h_64_irq"), (140, "handle_percpu_devid_irq"), (150, "handle[rtstone_probe]"), (155, COUNTER)),
    *(
        (160, "probe_interrupt[rtstone_probe]"),
        (170, COUNTER),
        (175, "try_to_wake_up"),
        (190, "probe_interrupt[rtstone_probe]"),
    ),
    *((195, "handle[rtstone_probe]"), (200, "handle_percpu_devid_irq"), (210, "el1h_64_irq"), (230, "__schedule")),
    *((260, "cpu_switch_to"), (265, "__schedule"), (280, "probe_read[rtstone_probe]"), (300, USER), (310, COUNTER)),
]
DUE = 90
TOLD = {
    "interrupt-service-response": [155 - DUE],
    "interrupt-task-response": [310 - DUE],
    "context-switch-delay": [140],
}


@pytest.fixture
def samples(root: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    monkeypatch.syspath_prepend(str(root / "tools"))
    yield importlib.import_module("tracing.samples")
    for name in [name for name in sys.modules if name.split(".")[0] == "tracing"]:
        del sys.modules[name]


def _trace(steps: Sequence[tuple[int, str]]) -> bytes:
    numbers = {name: number for number, name in enumerate(NAMES)} | {USER: 0xFFFFFFFE, COUNTER: 0xFFFFFFFD}
    return b"".join(struct.pack("<QQ", at, numbers[name]) for at, name in steps)


def test_stages_end_where_they_must(samples: ModuleType) -> None:
    (one,) = samples.cut(NAMES, _trace([(50, "do_idle"), *ONE]), TOLD)
    assert dict(zip(samples.STAGES, one.stages, strict=True)) == {
        "held off": 10,  # due at 90, the vector at 100
        "entry": 55,
        "handler": 15,
        "wake": 60,
        "switch": 30,
        "return": 50,
    }
    assert one.total == 220
    assert one.steps[0] == samples.Step(-40, "do_idle")


def test_an_interrupt_that_nobody_read_is_no_sample(samples: ModuleType) -> None:
    before = [(at - 80, name) for at, name in ONE[:11]]  # its task never comes to read: the timer is started anew
    trace = _trace([*before, (135, "start_here[rtstone_probe]"), *((at + 100, name) for at, name in ONE)])
    (one,) = samples.cut(NAMES, trace, TOLD)
    assert one.total == 220


@pytest.mark.parametrize("quantity", ["interrupt-task-response", "context-switch-delay"])
def test_a_tick_too_many_is_refused(samples: ModuleType, quantity: str) -> None:
    wrong = TOLD | {quantity: [TOLD[quantity][0] + 1]}
    with pytest.raises(ValueError, match="sample 0"):
        samples.cut(NAMES, _trace([(50, "do_idle"), *ONE]), wrong)


def test_calls_are_told_with_what_they_took(samples: ModuleType) -> None:
    show = importlib.import_module("tracing.show")
    (one,) = samples.cut(NAMES, _trace([(50, "do_idle"), *ONE]), TOLD)
    took = {call.function: call.instructions for call in show.calls(one)}
    assert took["try_to_wake_up"] == 15
    assert took["probe_interrupt[rtstone_probe]"] == 35
    assert took["cpu_switch_to"] is None
    assert any(line.split() == ["85", "15", "try_to_wake_up"] for line in show.story(one, whole=False))
