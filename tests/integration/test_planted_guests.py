# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Causes of late samples that are planted in a guest, each named by `rtstone explain`, and no innocent beside them.

As tests/integration/test_explain_causes.py, on kernels that this machine does not run. The guest counts instructions: no host can make a
sample late. A program in the guest (tests/support/planter.c) plants causes of drawn lengths and reports when; each late sample is compared
with that.
"""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import pytest

from rtstone.archive import open_archive
from rtstone.explain import _cpu, _trail
from rtstone.explain.document import NOTHING
from rtstone.model import Run
from rtstone.stream.plan import Plan
from rtstone.targets import board as board_target
from rtstone.targets.boards import Kernel
from rtstone.targets.boards.guest import Extra, _build
from rtstone.targets.boards.guest._tools import TOOLS
from support.board_command import Command, rtstone
from support.causes import Spans, origin, share
from support.static_program import static_program

__all__ = ["rtstone"]  # the fixture

pytestmark = pytest.mark.long  # a boot each of some 20 to 60 s

COUNT, PERIOD, OVER = 1500, "2ms", "2ms"
KERNELS = ["pc-split/linux-6.1-rt", "pc-split/linux-6.12-rt", "arm64-split/linux-6.1-rt"]
ARCHITECTURES = {"pc-split": "amd64", "arm64-split": "arm64"}
INNOCENT = ("plant-below", "plant-budget", "plant-held")
"""Tasks that are never to blame: below the measured thread, or not real-time."""
ABOVE = "task plant-above, priority 98"
HELD = f"{NOTHING}: the timer's interrupt came late"
"""No event shows this cause: only the stack shows in which function of the kernel it ended."""


class Judged(NamedTuple):
    """A late sample."""

    shares: dict[str, float]
    """How much of it each plant filled."""
    named: str
    """To blame; empty where nothing had half."""


def _planter(root: Path, folder: Path, architecture: str, plants: tuple[str, ...], seed: int) -> Extra:
    """The planter, under the engine's name, and the engine in a folder of its own."""
    source, compiler = root / "tests" / "support" / "planter.c", f"{TOOLS[architecture].prefix}gcc"
    program = static_program(folder / "planter", source, compiler=compiler)
    engine = _build.programs(architecture) / "rtstone-engine"
    files = {
        "rtstone-engine": program.read_bytes(),
        "engine/rtstone-engine": engine.read_bytes(),
        "plants": f"{seed} {' '.join(plants)}\n".encode(),
    }
    return Extra("planter", files, frozenset({"rtstone-engine", "engine/rtstone-engine"}))


def _planted(run: Run) -> dict[str, Spans]:
    """When each plant was there, as the planter printed on the console."""
    spans: dict[str, Spans] = {}
    for line in run.sessions[0].console:
        words = line.removeprefix("[console] ").split()
        if words[:1] == ["PLANTED"]:
            *numbers, name = words[1:]
            at = [int(number) for number in numbers]
            spans.setdefault(name, []).extend(zip(at[::2], at[1::2], strict=True))
    return spans


class Guest:
    """Measures in a guest with plants."""

    def __init__(self, rtstone: Command, root: Path, folder: Path, patch: pytest.MonkeyPatch) -> None:
        self._rtstone, self._root, self._folder, self._patch = rtstone, root, folder, patch

    def judged(self, kernel: str, *plants: str, count: int = COUNT) -> list[Judged]:
        """The late samples of a run. Prints the seed of the lengths, so that the run can be repeated."""
        seed = random.SystemRandom().getrandbits(60)
        board, _, name = kernel.partition("/")
        architecture = ARCHITECTURES[board]
        text = (self._root / "boards" / board / "board.toml").read_text()
        modules = '\nmodules = ["rtstone_hold:loops=0"]' if "held" in plants else ""
        text = text.replace(f'id = "{board}"', 'id = "planted"')
        text = text.replace(f'architecture = "{architecture}"', f'architecture = "{architecture}"{modules}')
        (self._folder / "planted").mkdir()
        (self._folder / "planted" / "board.toml").write_text(text)
        self._patch.setenv("RTSTONE_BOARDS", str(self._folder))

        def extra(kernel: Kernel, _: Plan) -> Extra:
            return _planter(self._root, self._folder, kernel.architecture, plants, seed)

        self._patch.setattr(board_target, "inside_ioc", extra)
        self._patch.setattr(board_target.BoardTarget, "keeps", False)  # its state is of use to nobody again
        words = ("-m", "interrupt-split", "-r", "1", "--load", "none", "--count", str(count), "--period", PERIOD)
        ended = self._rtstone("run", "-t", f"board:planted/{name}", *words, "--trace-over", OVER, "--raw")
        assert ended.code == 0, ended.err
        archive = open_archive()
        run = archive.load("last")
        began = origin(archive, run.id)
        spans = _planted(run)
        assert {*spans} == {*plants}, run.sessions[0].console
        whole = next(result for result in run.results() if result.quantity == "interrupt-task-response")
        assert whole.min is not None
        found = [
            Judged(
                {plant: share(trail, spans[plant], began) for plant in plants},
                _trail.blame(trail, whole.min).function,
            )
            for trail in _trail.trails(whole)
        ]
        _report(f"{kernel}, seed {seed}", plants, found)
        return found


@pytest.fixture
def guest(rtstone: Command, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Guest:
    """Measures in a guest with plants."""
    return Guest(rtstone, root, tmp_path, monkeypatch)


def _alone(judged: Judged, causes: dict[str, str]) -> str:
    """The plant that alone filled a sample; empty where none touched it."""
    shares = {plant: judged.shares[plant] for plant in causes}
    most = max(shares, key=lambda plant: shares[plant])
    if shares[most] > 0.6 and all(share < 0.3 for plant, share in shares.items() if plant != most):
        return most
    return "" if shares[most] < 0.3 else "several or in part"


def _report(title: str, plants: tuple[str, ...], found: list[Judged]) -> None:
    causes = {plant: "" for plant in plants if plant != "below"}
    print(f"\n{title}: planted x named")
    for (plant, named), count in sorted(Counter((_alone(one, causes) or "none", one.named) for one in found).items()):
        print(f"{count:6} {plant:20} {named or 'nothing had half'}")


def _require(found: list[Judged], causes: dict[str, str], least: int = 50) -> None:
    """A plant that alone filled a sample is named in 95 of 100, is not named where it hardly was; an innocent never is."""
    for plant, cause in causes.items():
        filled = [one.named for one in found if _alone(one, causes) == plant and one.named != _cpu.UNKNOWN]
        assert len(filled) > least
        right = sum(named.startswith(cause) for named in filled)
        assert right >= 0.95 * len(filled), Counter(filled)
        assert not [one for one in found if one.named.startswith(cause) and one.shares[plant] < 0.3]
        others = tuple(other for name, other in causes.items() if name != plant)
        assert not [named for named in filled if named.startswith(others)]
    assert not [one.named for one in found if any(name in one.named for name in INNOCENT)]


@pytest.mark.parametrize("kernel", KERNELS)
def test_a_task_above_is_named_and_not_the_one_below_that_runs_meanwhile(guest: Guest, kernel: str) -> None:
    _require(guest.judged(kernel, "above", "below"), {"above": ABOVE})


@pytest.mark.parametrize("kernel", KERNELS)
def test_a_stopped_engine_is_called_stopped_whoever_runs_meanwhile(guest: Guest, kernel: str) -> None:
    _require(guest.judged(kernel, "stop", "below"), {"stop": _cpu.STOPPED})


@pytest.mark.parametrize("kernel", KERNELS)
def test_two_causes_at_once_are_told_apart(guest: Guest, kernel: str) -> None:
    _require(guest.judged(kernel, "above", "stop", "below"), {"above": ABOVE, "stop": _cpu.STOPPED}, least=30)


@pytest.mark.parametrize("kernel", KERNELS)
def test_a_used_up_budget_is_named_and_not_who_used_it_or_runs_meanwhile(guest: Guest, kernel: str) -> None:
    """Of Linux 6.1 real-time tasks are throttled; Linux 6.12 lends the CPU to a task that starves."""
    cause = _cpu.FAIR_SERVER if "6.12" in kernel else _cpu.THROTTLED
    _require(guest.judged(kernel, "budget", count=8 * COUNT), {"budget": cause})


@pytest.mark.parametrize("kernel", KERNELS)
def test_a_cause_that_no_event_shows_stays_without_one(guest: Guest, kernel: str) -> None:
    """A module holds interrupts off in the name of a task that is not to blame: nothing that an event shows, and nobody, is named."""
    _require(guest.judged(kernel, "held"), {"held": HELD})
