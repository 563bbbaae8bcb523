# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Clients of the load that come from somewhere else, tried from a network name space of this machine, which is no other machine."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from rtstone.measure import measure
from rtstone.stream.plan import Item, Plan
from rtstone.studies import study
from rtstone.studies.conditions import judge
from support.images import lasting

__all__ = ["lasting"]  # the fixture

pytestmark = [pytest.mark.alone, pytest.mark.timeout(300)]

HERE, THERE, STRANGER = "10.87.9.1", "10.87.9.2", "10.87.9.3"
SPACE, NEAR, FAR = "rtstone-test", "rtst-near", "rtst-far"
RECORDS, PAUSE_MS = 100, 100


def _ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True, timeout=20)


@pytest.fixture
def space() -> Iterator[None]:
    """A name space at the other end of a cable, with two addresses."""
    _ip("netns", "add", SPACE)
    try:
        _ip("link", "add", NEAR, "type", "veth", "peer", "name", FAR)
        _ip("link", "set", FAR, "netns", SPACE)
        _ip("addr", "add", f"{HERE}/24", "dev", NEAR)
        _ip("link", "set", NEAR, "up")
        for address in (THERE, STRANGER):
            _ip("-n", SPACE, "addr", "add", f"{address}/24", "dev", FAR)
        _ip("-n", SPACE, "link", "set", FAR, "up")
        _ip("-n", SPACE, "link", "set", "lo", "up")
        yield
    finally:
        _ip("netns", "del", SPACE)  # its device goes with it, and the near one with that


def _command(root: Path, *words: str, inside: bool) -> subprocess.Popen[str]:
    there = ("ip", "netns", "exec", SPACE) if inside else ()
    return subprocess.Popen(
        [*there, sys.executable, "-m", "rtstone", *words],
        env=os.environ | {"PYTHONPATH": str(root / "src")},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def _until(program: subprocess.Popen[str], words: str) -> str:
    assert program.stdout is not None
    said = ""
    for line in program.stdout:
        said += line
        if words in line:
            return said
    assert program.stderr is not None
    pytest.fail(said + program.stderr.read())


@pytest.mark.parametrize(("allowed", "code"), [(THERE, 0), (STRANGER, 3)])
def test_only_a_host_that_is_named_may_write(root: Path, space: None, allowed: str, code: int) -> None:
    """The rules are shown first, and a client from elsewhere is told what it may not."""
    served = ("--load", str(RECORDS), "--no-clients", "--interface", HERE, "--allow-write", allowed, "--pva-port", "0")
    ioc = _command(root, "ioc", *served, inside=False)
    try:
        said = _until(ioc, "serving rtstone:*")
        assert f'HAG(local) {{ "127.0.0.1", "{HERE}", "{allowed}" }}' in said
        words = ("--address", HERE, "--records", str(RECORDS), "--pause", "0.2", "--duration", "3", "--json")
        client = _command(root, "ioc-load", *words, inside=True)
        out, err = client.communicate(timeout=90)
        assert client.returncode == code, err
        if code == 0:
            load = json.loads(out)["load"]
            assert load["caput"]["puts"] > 0 == load["caput"]["failed"] == load["camonitor"]["lost"]
        else:
            assert err.count("\n") == 1
            assert "does it let this machine write" in err
    finally:
        ioc.terminate()
        ioc.communicate(timeout=30)


def test_a_name_space_of_this_machine_is_no_other_host(root: Path, space: None) -> None:
    """The run is loaded by clients that came through a device, and the sheet knows that they share its CPUs."""
    plan = Plan(
        seed=1,
        repetition=0,
        items=(Item(item=0, measurement="interrupt-stages", count=2000, load="ioc", period_ns=1_000_000),),
    )
    words = ("--for-run", "--records", str(RECORDS), "--pause", f"{PAUSE_MS}ms", "--address", HERE)
    client = _command(root, "ioc-load", *words, inside=True)
    watch = threading.Timer(100, client.terminate)
    watch.start()
    try:
        outcome = measure(f"ioc:{HERE}/{THERE}", lambda _: plan, 1, studies=("aps",))
    finally:
        watch.cancel()
        client.terminate()
        said = client.communicate(timeout=30)
    run = outcome.run
    assert run.status == "complete", (outcome.error, said, [(result.status, result.text) for result in run.results()])
    loaded = {figure.key: figure.value for figure in next(iter(run.results())).load}
    assert loaded["puts"] == loaded["bursts"] * RECORDS > 0
    assert (loaded["outside"], loaded["monitors_lost"], loaded["puts_failed"]) == (0, 0, 0)
    assert run.host["target.may_write"] == THERE
    found = next(finding for finding in judge(run, study("aps")) if finding.check == "ioc-clients")
    assert (found.verdict, found.ours) == ("not met", "on this machine: their work takes its CPUs' time")
