# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Clients of the load that come from somewhere else, tried between two network name spaces of this machine, which are no other machine."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from rtstone.archive import open_archive
from rtstone.studies import study
from rtstone.studies.conditions import judge
from support.images import lasting
from support.spaces import Space

__all__ = ["lasting"]  # the fixture

pytestmark = pytest.mark.timeout(300)

HERE, THERE, STRANGER = "10.87.9.1", "10.87.9.2", "10.87.9.3"
RECORDS, PAUSE_MS = 100, 100
SESSIONS = 2
"""An IOC each, which the same clients load."""


@pytest.fixture
def ends() -> Iterator[tuple[Space, Space]]:
    """Both ends of a cable, each in a name space of its own; the far one has two addresses."""
    with ExitStack() as stack:
        near = Space(stack)
        far = Space(stack, *near.enter)
        near.ip("link", "add", "near", "type", "veth", "peer", "name", "far", "netns", far.pid)
        for end, name, addresses in ((near, "near", (HERE,)), (far, "far", (THERE, STRANGER))):
            for address in addresses:
                end.ip("addr", "add", f"{address}/24", "dev", name)
            for device in (name, "lo"):
                end.ip("link", "set", device, "up")
        yield near, far


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
def test_only_a_host_that_is_named_may_write(root: Path, ends: tuple[Space, Space], allowed: str, code: int) -> None:
    """The rules are shown first. A client on another host gets an error that names what it may not do."""
    served = ("--load", str(RECORDS), "--no-clients", "--interface", HERE, "--allow-write", allowed, "--pva-port", "0")
    near, far = ends
    ioc = near.start(root, "ioc", *served)
    try:
        said = _until(ioc, "serving rtstone:*")
        assert f'HAG(local) {{ "127.0.0.1", "{HERE}", "{allowed}" }}' in said
        words = ("--address", HERE, "--records", str(RECORDS), "--pause", "0.2", "--duration", "3", "--json")
        client = far.start(root, "ioc", "load", *words)
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


def test_a_name_space_of_this_machine_is_no_other_host(root: Path, ends: tuple[Space, Space], tmp_path: Path) -> None:
    """The run is loaded by clients that came through a device, and the sheet knows that they share its CPUs."""
    near, far = ends
    archive = tmp_path / "archive.sqlite"
    client = far.start(
        root, "ioc", "load", "--for-run", "--records", str(RECORDS), "--pause", f"{PAUSE_MS}ms", "--address", HERE
    )
    measured = ["-m", "interrupt-stages", "--load", "ioc", "--intensity", "1", "--count", "2000", "--period", "1ms"]
    measured += ["--repetitions", str(SESSIONS)]
    run = near.start(root, "run", "-t", f"ioc:{HERE}/{THERE}", *measured, "--archive", str(archive))
    try:
        out, err = run.communicate(timeout=100)
    finally:
        run.terminate()
        client.terminate()
        said = client.communicate(timeout=30)
        run.communicate(timeout=30)
    assert run.returncode == 0, (out, err, said)
    assert said[0].count("the session has ended") >= SESSIONS - 1
    kept = open_archive(str(archive)).load("last")
    results = list(kept.results())
    assert len(results) == SESSIONS * len({result.quantity for result in results})
    for result in results:
        loaded = {figure.key: figure.value for figure in result.load}
        assert loaded["puts"] == loaded["bursts"] * RECORDS > 0
        assert (loaded["outside"], loaded["monitors_lost"], loaded["puts_failed"]) == (0, 0, 0)
    assert kept.host["target.may_write"] == THERE
    found = next(finding for finding in judge(kept, study("aps")) if finding.check == "ioc-clients")
    assert (found.verdict, found.ours) == ("not met", "on this machine: their work takes its CPUs' time")
