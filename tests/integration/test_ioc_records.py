# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Every record, over Channel Access and PV Access alike: its time, its writers, refused values, largest counts."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rtstone.ioc import Ioc
from rtstone.version import __version__
from support.ioc import PARAMETERS, Client, private, programs, running, scripted

__all__ = ["programs"]  # the fixture

pytestmark = pytest.mark.timeout(300)

INVALID = 3
WRITABLE = {"start", "startOnce", "stop", "clear", "samples", "limit", "burst", "load:put0", "load:put1"}
RESULTS = ("count", "sets", "setSamples")
COUNTED = ("count", "over", "saturated", "burstCount", "burstOver")
COUNTS = ["count", "sets", "missedStarts", *(f"{name}:{what}" for name in PARAMETERS for what in COUNTED)]


def _listing(script: str, folder: Path) -> Path:
    """A start-up script that lists all records when it is done."""
    made = folder / "listing.cmd"
    made.write_text(f"{script}\ndbl\n", encoding="utf-8")
    return made


def _names(ioc: Ioc) -> list[str]:
    prefix = ioc.settings.prefix
    found = [line.removeprefix(prefix) for line in ioc.lines if line.startswith(prefix) and " " not in line]
    assert len(found) == len(set(found)) > 100
    return found


@pytest.fixture(scope="module")
def measuring(programs: Path, root: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Ioc, Client]]:
    """An IOC that measures this machine, with a little load; its records are listed."""
    text = (root / "ioc" / "program" / "st.cmd").read_text(encoding="utf-8")
    script = _listing(text, tmp_path_factory.mktemp("script"))
    with running(programs, private(load=2, pairs=True, script=script)) as found:
        yield found


def _both(client: Client, names: list[str]) -> dict[str, dict[str, dict[str, Any]]]:
    return {way: client.ask(do=f"{way}get_all", names=names) for way in ("", "pva_")}


def test_every_record_has_a_time_and_a_value_from_the_start(programs: Path, root: Path, tmp_path: Path) -> None:
    """None is of 1990, and none undefined, before anything has been measured."""
    before = time.time()
    text = (root / "ioc" / "program" / "st.cmd").read_text(encoding="utf-8")
    with running(programs, private(load=2, pairs=True, script=_listing(text, tmp_path))) as (ioc, client):
        names = _names(ioc)
        for way, found in _both(client, names).items():
            late = {name: one["time"] for name, one in found.items() if not before <= one["time"] <= time.time()}
            assert late == {}, way
            assert [name for name, one in found.items() if one["severity"] == INVALID] == [], way


def test_every_result_has_the_time_of_its_set(measuring: tuple[Ioc, Client]) -> None:
    ioc, client = measuring
    names = _names(ioc)
    results = [name for name in names if name.split(":")[0] in (*PARAMETERS, *RESULTS)]
    client.put("samples", 50)
    for _ in range(2):
        before = time.time()
        client.ask(do="collect", names=["count"], start="startOnce", sets=1, seconds=10)
        for way, found in _both(client, names).items():
            (moment,) = {one["time"] for name, one in found.items() if name in RESULTS}
            assert before < moment < time.time()
            plumbing = (":results", ":recounted")
            other = {
                name: found[name]["time"] - moment
                for name in results
                if not name.endswith(plumbing) and abs(found[name]["time"] - moment) > 1e-6
            }
            assert other == {}, way


def test_what_the_ioc_alone_knows_nobody_writes(measuring: tuple[Ioc, Client]) -> None:
    ioc, client = measuring
    names = _names(ioc)
    rights = client.ask(do="get_all", names=names)
    assert {name for name, one in rights.items() if one["write"]} == WRITABLE
    fields = client.ask(do="get_all", names=[f"{name}.{field}" for name in names for field in ("DISP", "SCAN", "DESC")])
    assert {name.split(".")[0] for name, one in fields.items() if one["write"]} == WRITABLE
    for name in ("count", "state", "realtime", "load:value0", "totalResponse:percent"):
        before = client.get(name)
        assert "Write access denied" in client.try_to(do="put", name=name, value=1)["error"]
        assert client.get(name) == pytest.approx(before, nan_ok=True)
    for name in set(names) - WRITABLE:
        assert "error" in client.try_to(do="pva_put", name=name, value=1), name


CANNOT_BE = [math.nan, math.inf, -math.inf, 1e12, -5, 2.5]


@pytest.mark.parametrize("way", ["put", "pva_put"])
@pytest.mark.parametrize("value", [*CANNOT_BE, "100 us", "many", "1e5x"])
@pytest.mark.parametrize(("name", "good"), [("limit", 70_000), ("samples", 70)])
def test_a_number_that_cannot_be_is_refused(
    measuring: tuple[Ioc, Client], name: str, good: int, value: float | str, way: str
) -> None:
    """A bad number leaves the old value in force.

    The writer gets an alarm or an error; a good number ends the alarm.
    """
    _, client = measuring
    client.put(name, good)
    assert client.severity(name) == 0
    told = client.try_to(do=way, name=name, value=value)
    found = client.ask(do="get", name=name)
    assert found["value"] == good
    assert client.ask(do="pva", name=name)["value"] == good
    assert (
        "error" in told or found["severity"] == client.ask(do="pva_get_all", names=[name])[name]["severity"] == INVALID
    )
    client.ask(do=way, name=name, value=good + 1)
    assert client.get(name) == good + 1
    assert client.severity(name) == 0


@pytest.mark.parametrize("text", ["70000", " 7e4 ", "0x11170"])
def test_a_text_that_is_a_number_is_taken(measuring: tuple[Ioc, Client], text: str) -> None:
    _, client = measuring
    client.put("limit", 5)
    client.put("limit", text)
    assert client.get("limit") == 70_000
    assert client.severity("limit") == 0


@pytest.mark.parametrize("count", [2**31 + 1, 2**32 + 1, 2**40])
def test_counters_go_on(programs: Path, root: Path, tmp_path: Path, count: int) -> None:
    """After 25 days at 1 kHz a counter of 32 bits would have come to its end."""
    script = scripted(root, tmp_path, programs, "ramp")
    with script.open("a", encoding="utf-8") as file:
        file.write(f'scriptedCounted("S1", "{count}")\n')
    with running(programs, private(script=script)) as (_, client):
        client.until("count", count)
        for name in COUNTS:
            assert client.get(name) == count, name
            assert client.ask(do="pva", name=name)["value"] == count, name
        for name in PARAMETERS:
            assert sum(client.get(f"{name}:histogram")) == count
            assert sum(client.ask(do="pva", name=f"{name}:histogram")["value"]) == count
            assert client.get(f"{name}:median") == 5
        client.put("limit", 1)  # counted again
        assert client.get("totalResponse:over") == count
        assert client.get("totalResponse:burstOver") == count
        client.put("startOnce", 1)
        client.until("sets", count + 1)


def test_another_limit_counts_everything_anew_at_once(programs: Path, root: Path, tmp_path: Path) -> None:
    """In bursts, between them, and in all, while no set is taken; and no set is sent again for it."""
    name = "interruptLatency"
    with running(programs, private(script=scripted(root, tmp_path, programs, "ramp"))) as (_, client):
        client.put("samples", 40)
        client.put("burst", 1)
        client.ask(do="collect", names=["count"], start="startOnce", sets=1, seconds=10)
        burst = client.get(name)
        client.put("burst", 0)
        client.ask(do="collect", names=["count"], start="startOnce", sets=1, seconds=10)
        quiet = client.get(name)
        assert (len(burst), len(quiet)) == (40, 40)
        client.ask(do="follow", names=[name])
        before = client.ask(do="get", name="count")
        for limit in (30_000, 60_000, 100_000, 0, 10, 2**31 - 1, 39_500):
            changed = time.time()
            client.put("limit", limit)
            over = [sum(value > limit for value in values) for values in (burst, quiet)]
            assert client.get(f"{name}:over") == sum(over), limit
            assert client.get(f"{name}:burstOver") == over[0], limit
            shares = {"percent": sum(over) / 80, "percentBurst": over[0] / 40, "percentQuiet": over[1] / 40}
            for record, share in shares.items():
                found = client.ask(do="get", name=f"{name}:{record}")
                assert found["value"] == pytest.approx(100 * share), (limit, record)
                assert found["time"] >= changed - 1e-3, "a later value has a later time"
            assert client.severity(f"{name}:max") == (1 if limit <= 79_000 else 0), limit
        assert client.ask(do="get", name="count") == before
        assert client.ask(do="followed", edges=[0], limit=0)[name]["updates"] == 0


def test_a_delay_without_samples_is_no_delay_that_is_not_measured(measuring: tuple[Ioc, Client]) -> None:
    _, client = measuring
    client.put("samples", 20)
    client.ask(do="collect", names=["count"], start="startOnce", sets=1, seconds=10)
    shares = (":percent", ":percentBurst", ":percentQuiet")
    for record in (":min", ":median", ":max", *shares):
        found = client.ask(do="get", name=f"topToBottom{record}")
        assert math.isnan(found["value"]), record
        assert found["severity"] == INVALID, record
    client.put("clear", 1)
    client.until("count", 0)
    for name in PARAMETERS:
        for record in (":min", ":median", ":max", *shares):
            found = client.ask(do="get", name=f"{name}{record}")
            assert math.isnan(found["value"]), record
            assert found["severity"] == 0, record


def test_it_tells_how_it_is_doing(measuring: tuple[Ioc, Client]) -> None:
    ioc, client = measuring
    resident = Path(f"/proc/{ioc.pid}/statm").read_text(encoding="ascii").split()[1]
    assert client.get("memory") == pytest.approx(int(resident) * os.sysconf("SC_PAGE_SIZE") / 1024, rel=0.5)
    assert 3 < client.get("openFiles") < client.get("mostFiles")
    assert 1 <= client.get("caClients") < client.get("caChannels")
    assert 0 <= client.get("cpuLoad") < 100 * (os.cpu_count() or 1)
    assert client.text("version") == __version__
    assert client.text("baseVersion").startswith("7.")
    before = client.get("heartbeat"), client.get("uptime")
    client.until("heartbeat", before[0] + 2)
    assert client.get("uptime") > before[1]
