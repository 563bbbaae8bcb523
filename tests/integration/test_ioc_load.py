# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The IOC under the paper's load: no monitor lost that Channel Access promises, every put accounted for, the sampler at work meanwhile."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rtstone.ioc import Ioc
from support import recomputed
from support.images import lasting_cache
from support.ioc import MEASURED, Client, fell_behind, private, programs, running

__all__ = ["programs"]  # the fixture

SECONDS = float(os.environ.get("RTSTONE_IOC_LOAD_SECONDS", "3"))
"""How long bursts come back to back; the issue's minute: RTSTONE_IOC_LOAD_SECONDS=60."""

pytestmark = pytest.mark.timeout(240 + SECONDS)


@pytest.fixture(scope="module")
def loaded(programs: Path) -> Iterator[tuple[Ioc, Client]]:
    """An IOC that measures this machine, with the paper's 5000 records."""
    with running(programs, private(load=5000)) as found:
        yield found


def _start(programs: Path, name: str, ioc: Ioc, *words: str) -> subprocess.Popen[str]:
    prefix = ("--prefix", f"{ioc.settings.prefix}load:")
    return subprocess.Popen(
        [programs / name, *words, *prefix, "--json"],
        env=os.environ | ioc.environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def _monitor(programs: Path, ioc: Ioc, records: int) -> subprocess.Popen[str]:
    """A monitor of all records, connected: puts from now on are seen."""
    program = _start(programs, "rtstone-camonitor", ioc, str(records))
    assert program.stderr is not None
    assert f"{records} records connected" in program.stderr.readline()
    return program


def _figures(program: subprocess.Popen[str], seconds: float = 60) -> dict[str, Any]:
    out, err = program.communicate(timeout=seconds)
    assert program.returncode == 0, err
    found: dict[str, Any] = json.loads(out)
    return found


def _resident_kb(pid: int) -> int:
    status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS:"))


def test_bursts_with_a_pause_lose_and_merge_nothing(programs: Path, loaded: tuple[Ioc, Client]) -> None:
    ioc, client = loaded
    client.put("clear", 1)
    monitor = _monitor(programs, ioc, 5000)
    mark = ("--mark", f"{ioc.settings.prefix}burst")
    put = _figures(_start(programs, "rtstone-caput", ioc, "5000", "0.5", "--bursts", "4", *mark))
    client.until("burst", 0)
    client.until("load:put4999", 4)
    monitor.send_signal(signal.SIGTERM)
    seen = _figures(monitor)
    assert (put["bursts"], put["puts"], put["failed"]) == (4, 20_000, 0)
    assert (seen["monitors"] + seen["merged"], seen["lost"], seen["disconnected"]) == (20_000, 0, 0)
    assert put["puts_per_s"] > 0 < put["busy_s"] < put["elapsed_s"]


def test_back_to_back_the_last_value_always_comes(programs: Path, loaded: tuple[Ioc, Client]) -> None:
    ioc, client = loaded
    client.put("samples", 200)
    recomputed.begin(client, MEASURED)
    client.put("start.SCAN", ".2 second")
    before = _resident_kb(ioc.pid)
    monitor = _monitor(programs, ioc, 5000)
    put = _figures(_start(programs, "rtstone-caput", ioc, "5000", "0", "--duration", str(SECONDS)), SECONDS + 60)
    client.put("start.SCAN", "Passive")
    monitor.send_signal(signal.SIGTERM)
    seen = _figures(monitor)
    assert put["failed"] == 0
    assert put["bursts"] > 5
    assert (seen["lost"], seen["disconnected"]) == (0, 0)
    # The first value of the counter is below the one that the records have from the last test.
    assert seen["monitors"] + seen["merged"] == pytest.approx(put["puts"], abs=10_000)
    client.until("state", 0)
    sets = client.get("sets")
    assert sets >= SECONDS  # the sampler has been at work meanwhile
    samples = client.get("count")
    assert client.get("totalResponse:count") == samples
    # A set is cut short only if the machine stood still for longer than the sampler can be behind; the IOC reports it
    # then.
    is_cut = fell_behind(ioc)
    assert samples < 200 * sets if is_cut else samples == 200 * sets
    assert recomputed.differences(client, MEASURED) == []
    assert _resident_kb(ioc.pid) < before + 30_000


@pytest.mark.alone
def test_the_long_run_in_short(root: Path, tmp_path: Path) -> None:
    """Clients that stand still in between lose nothing, and values merged meanwhile are accounted for."""
    path = os.pathsep.join(str(root / part) for part in (".", "src", "tests"))
    command = [sys.executable, "-m", "bench.ioc.long", "--minutes", "0.25", "--json", str(tmp_path / "long.json")]
    with lasting_cache(root):
        own = os.environ | {"PYTHONPATH": path}
        done = subprocess.run(command, cwd=root, env=own, capture_output=True, text=True, check=False, timeout=200)
    assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads((tmp_path / "long.json").read_text(encoding="utf-8"))
    assert found["wrong"] == []
    assert found["accounts"]["camonitor"]["merged"] > 0
    assert found["accounts"]["visitors"] == {"visits": 1, "lost": 0}


def test_the_clients_are_threads_as_well(programs: Path, loaded: tuple[Ioc, Client]) -> None:
    """Threads of one process, started, held and ended twice as by an engine: all of their accounts agree each time."""
    ioc, _ = loaded
    words = (f"{ioc.settings.prefix}load:", "500", "5")
    environment = os.environ | ioc.environment
    done = subprocess.run(
        [programs / "rtstone-threads", *words],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    for seen, put, account in (lines[:3], lines[3:]):
        if "failed" not in put:
            seen, put = put, seen
        assert account["codes"] == [0, 0]
        assert put["bursts"] == account["bursts"] == account["settled"] >= 5
        assert put["puts"] == account["puts"] == 500 * put["bursts"]
        assert (put["failed"], account["failed"], seen["lost"], account["lost"], account["cut"]) == (0, 0, 0, 0, 0)
        assert (seen["monitors"], seen["merged"]) == (account["monitors"], account["merged"])
        # The counter begins again below the records' values: should the first two merge, one is in neither count.
        assert seen["monitors"] + seen["merged"] == pytest.approx(put["puts"], abs=500)
    assert len(lines) == 6


def test_a_put_with_confirmation_is_a_put(programs: Path, loaded: tuple[Ioc, Client]) -> None:
    ioc, _ = loaded
    found = _figures(_start(programs, "rtstone-caput", ioc, "500", "0", "--bursts", "3", "--callback"))
    assert (found["puts"], found["failed"], found["callback"]) == (1500, 0, True)


@pytest.mark.parametrize("name", ["rtstone-caput", "rtstone-camonitor"])
@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("0",), "N is a number from 1 to 1000000, not '0'"),
        (("10000000",), "N is a number from 1 to 1000000, not '10000000'"),
        (("many",), "N is a number from 1 to 1000000, not 'many'"),
        (("5", "-1"), "PAUSE is a number from 0 to 86400, not '-1'"),
        (("5", "1", "2"), "what is '2'?"),
        (("--duration",), "--duration needs a value"),
        (("--wrong", "1"), "there is no option --wrong"),
    ],
)
def test_a_client_refuses_what_cannot_be(programs: Path, name: str, words: tuple[str, ...], told: str) -> None:
    done = subprocess.run([programs / name, *words], capture_output=True, text=True, check=False, timeout=30)
    assert done.returncode == 2
    assert told in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_client_says_which_records_are_not_there(programs: Path, loaded: tuple[Ioc, Client]) -> None:
    ioc, _ = loaded
    program = _start(programs, "rtstone-caput", ioc, "5002")
    end = program.communicate
    # It waits for half a minute. Asked to end, it reports at once what it was waiting for.
    with pytest.raises(subprocess.TimeoutExpired):
        program.wait(3)
    program.send_signal(signal.SIGTERM)
    _, err = end(timeout=10)
    assert program.returncode == 3
    assert "2 of 5002 records are not to be found, the first is rtstone:load:put5000" in err


def test_nothing_of_a_client_stays(programs: Path, loaded: tuple[Ioc, Client]) -> None:
    """No CA repeater is left behind: libca starts one if there is no other."""
    ioc, _ = loaded
    _figures(_start(programs, "rtstone-caput", ioc, "5", "0", "--bursts", "1"))
    assert not [
        entry
        for entry in Path("/proc").iterdir()
        if entry.name.isdecimal() and "caRepeater" in _command_of(entry) and _started_by_tests(entry)
    ]


def _command_of(entry: Path) -> str:
    try:
        return (entry / "cmdline").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def _started_by_tests(entry: Path) -> bool:
    try:
        return b"PYTEST_CURRENT_TEST" in (entry / "environ").read_bytes()
    except OSError:
        return False


@pytest.mark.parametrize("count", ["0", "-5", "10000000", "1e3", ""])
def test_a_database_of_an_impossible_size_is_not_made(programs: Path, count: str) -> None:
    done = subprocess.run(
        [programs / "rtstone-createdb", count], capture_output=True, text=True, check=False, timeout=30
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert f"N is a number from 1 to 1000000, not '{count}'" in done.stderr
