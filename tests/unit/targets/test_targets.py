# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Specifications of targets, the registry, and the faults that a replay can put in."""

from __future__ import annotations

import gzip
import random
import time
import tomllib
from pathlib import Path

import pytest

from rtstone.errors import InfrastructureError, UsageError
from rtstone.stream import collect
from rtstone.stream.plan import Item, Plan
from rtstone.targets import Capabilities, Target, capabilities, kinds, open_target, replay
from rtstone.targets._watchdog import MARGIN_S, silence_limit_s
from rtstone.targets.replay import Faults, inject, split_sessions
from support.hostile import bounded
from support.streams import good_stream

PLAN = Plan(seed=1, repetition=0, items=(Item(item=0, measurement="task-switch"),))
LINES = [line.rstrip(b"\n") for line in good_stream()]


def test_our_kinds_register_like_anybodys(root: Path) -> None:
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    declared = project["project"]["entry-points"]["rtstone.targets"]
    assert {"local", "replay", "simulated"} <= set(declared) <= set(kinds())


@pytest.mark.parametrize("spec", ["local", "simulated", "simulated:tails", "replay:some/file"])
def test_a_target_is_named_as_it_was_asked_for(spec: str) -> None:
    target = open_target(spec)
    assert isinstance(target, Target)
    assert target.name == spec
    target.stop()  # harmless when nothing runs


def test_every_kind_says_what_it_can_before_anything_is_started(root: Path) -> None:
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    behind = {"board": ":arm64/bare", "replay": ":some/file", "serial": ":/dev/null", "ssh": ":host"}
    kinds = set(project["project"]["entry-points"]["rtstone.targets"]) - {"labgrid"}  # which is what its place has
    of = {k: capabilities(k + behind.get(k, "")) for k in kinds}
    assert all(isinstance(one, Capabilities) for one in of.values())
    assert {kind for kind, one in of.items() if one.engine_here} == {"local", "ioc", "simulated"} & kinds
    assert {kind for kind, one in of.items() if one.shares_host} == {"local", "epics", "ioc"} & kinds
    assert {kind for kind, one in of.items() if one.emulated} == {"board"}
    assert {kind for kind, one in of.items() if one.replays} == {"replay"}
    assert of["local"].silicon


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("", "unknown kind of target ''"),
        ("locall", "unknown kind of target 'locall'. Did you mean 'local'?"),
        (
            "mps2-an385/freertos",
            "unknown kind of target 'mps2-an385/freertos'. Did you mean 'board:mps2-an385/freertos'?",
        ),
        ("local:1", "takes nothing behind it"),
        ("replay", "needs a file"),
        ("replay:f?los=1", "unknown fault of a replay 'los'. Did you mean 'loss'"),
        ("replay:f?loss=2", "replay"),
        ("replay:f?loss=x", "replay"),
        ("replay:f?seed=1.5", "replay"),
    ],
)
def test_a_wrong_specification_is_told(spec: str, words: str) -> None:
    with pytest.raises(UsageError, match=words) as caught:
        open_target(spec)
    assert "\n" not in str(caught.value)


def test_replay_of_what_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InfrastructureError, match="No such file"):
        open_target(f"replay:{tmp_path}/none").deploy()
    broken = tmp_path / "broken.gz"
    broken.write_bytes(gzip.compress(b"x" * 1000)[:20])
    with pytest.raises(InfrastructureError, match="no whole gzip file"):
        open_target(f"replay:{broken}").deploy()


def test_a_recording_that_unpacks_without_end_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replay, "MOST_BYTES", 1 << 20)
    packed = tmp_path / "bomb.gz"
    packed.write_bytes(gzip.compress(bytes((1 << 20) + 1)))
    with bounded(64 << 20), pytest.raises(InfrastructureError, match="more than 1 MiB"):
        open_target(f"replay:{packed}").deploy()


def test_every_damage_of_a_packed_recording_is_one_line(tmp_path: Path) -> None:
    whole = gzip.compress(random.Random(1).randbytes(300) * 4)
    packed = tmp_path / "hurt.gz"
    refused = 0
    for place in range(2, len(whole)):
        hurt = bytearray(whole)
        hurt[place] ^= 0xFF
        packed.write_bytes(hurt)
        try:
            open_target(f"replay:{packed}").deploy()
        except InfrastructureError as error:
            refused += "no whole gzip file" in str(error)
    assert refused > len(whole) * 0.9


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_replay_gives_the_lines_back(tmp_path: Path, pack: type[bytes]) -> None:
    log = tmp_path / "log"
    log.write_bytes(pack(b"\n".join(LINES + LINES) + b"\n"))
    with open_target(f"replay:{log}") as target:
        target.deploy()
        assert list(target.start(PLAN)) == LINES
        assert list(target.start(PLAN)) == LINES
        with pytest.raises(InfrastructureError, match="2 sessions and no more"):
            next(target.start(PLAN))


def test_replay_stops(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_bytes(b"\n".join(LINES))
    target = open_target(f"replay:{log}")
    lines = target.start(PLAN)
    assert next(lines) == LINES[0]
    target.stop()
    assert list(lines) == []


def test_sessions_are_split_behind_their_bye() -> None:
    assert split_sessions([*LINES, b""]) == [LINES]
    assert split_sessions([*LINES, *LINES, b"shut down"]) == [LINES, LINES, [b"shut down"]]
    assert split_sessions(LINES[:5]) == [LINES[:5]]
    assert split_sessions([b""]) == []


def test_no_faults_change_nothing() -> None:
    assert list(inject(LINES, Faults(seed=5))) == LINES


@pytest.mark.parametrize(
    "faults",
    [Faults(loss=0.2), Faults(corrupt=0.2), Faults(repeat=0.2), Faults(truncate=0.2), Faults(reset=0.4)],
    ids=lambda faults: str(faults).partition("(")[2],
)
def test_faults_are_the_same_for_the_same_seed_and_found_out(faults: Faults) -> None:
    spoiled = list(inject(LINES, faults))
    assert spoiled == list(inject(LINES, faults))
    assert spoiled != LINES
    assert not all(session.complete for session in collect(spoiled))


def test_every_session_has_faults_of_its_own() -> None:
    faults = Faults(loss=0.3)
    assert list(inject(LINES, faults, stream=0)) != list(inject(LINES, faults, stream=1))


def test_each_kind_of_fault_does_what_it_says() -> None:
    lines = [b"~%d something" % n for n in range(1000)]
    assert 100 < 1000 - len(list(inject(lines, Faults(loss=0.2)))) < 300
    assert 1100 < len(list(inject(lines, Faults(repeat=0.2)))) < 1300
    corrupt = list(inject(lines, Faults(corrupt=0.2)))
    assert len(corrupt) == 1000
    assert 100 < sum(a != b for a, b in zip(lines, corrupt, strict=True)) < 300
    cut = b"\n".join(inject(lines, Faults(truncate=0.25)))
    assert b"\n".join(lines).startswith(cut)
    assert abs(len(cut) / len(b"\n".join(lines)) - 0.75) < 0.01
    assert list(inject(lines, Faults(reset=0.4)))[400:] == lines


def test_the_watchdog_waits_long_enough() -> None:
    long = Item(item=1, measurement="interrupt-response", count=2_000_000, period_ns=250_000)
    assert silence_limit_s(PLAN) == pytest.approx(MARGIN_S + 2 * 1.0)
    assert silence_limit_s(Plan(seed=1, repetition=0, items=(*PLAN.items, long))) == pytest.approx(MARGIN_S + 1000)


def test_an_end_that_is_asked_for_before_the_engine_is_there_ends_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A signal may come at any moment, between two lines of ours too."""
    silent = tmp_path / "engine"
    silent.write_text("#!/bin/sh\nexec sleep 60\n")
    silent.chmod(0o755)
    monkeypatch.setenv("RTSTONE_ENGINE_SIMULATED", str(silent))
    plan = Plan(seed=1, repetition=0, items=(Item(item=0, measurement="semaphore-ping", count=10),))
    with open_target("simulated") as target:
        target.stop()
        begun = time.monotonic()
        assert list(target.start(plan)) == []
    assert time.monotonic() - begun < 20  # not the minute, nor the silence that is allowed
