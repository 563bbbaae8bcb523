# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""No set is lost unseen: where records are slow to take one over, the next one waits, whether it is whole or the watchdog ended it."""

from __future__ import annotations

import time
from pathlib import Path

from support.ioc import Client, private, programs, running, scripted

__all__ = ["programs"]  # the fixture

SAMPLES = 10


def _script(root: Path, folder: Path, programs: Path, play: str) -> Path:
    """A start-up script whose sets are taken over only when a client processes the record `count`: there are no rules of access."""
    script = scripted(root, folder, programs, play)
    lines = [line for line in script.read_text().splitlines() if not line.startswith("asSetFilename")]
    script.write_text("\n".join(lines) + "\n")
    return script


def _first_set(client: Client) -> None:
    """A whole set, which no record takes over."""
    client.put("samples", SAMPLES)
    client.put("count.SCAN", "Passive")
    client.put("startOnce", 1)
    time.sleep(0.5)
    assert client.get("state") == 0
    assert client.get("count") == 0


def _taken(client: Client) -> tuple[int, int]:
    """Takes a set over: the samples so far, and the first one's delay of the set."""
    client.put("count.PROC", 1)
    raw = client.get("interruptLatency")
    return client.get("count"), (raw[0] if isinstance(raw, list) else raw) // 1000


def test_a_set_waits_for_the_one_before(programs: Path, root: Path, tmp_path: Path) -> None:
    with running(programs, private(script=_script(root, tmp_path, programs, "ramp"))) as (ioc, client):
        _first_set(client)
        client.put("startOnce", 1)
        until = time.monotonic() + 10
        while client.message() != "no record has taken over the last set for 5 s" and time.monotonic() < until:
            time.sleep(0.1)
        assert client.message() == "no record has taken over the last set for 5 s"
        assert client.get("state") == 1
        assert _taken(client) == (SAMPLES, 0)
        client.until("state", 0)
        assert client.message() == ""
        assert _taken(client) == (2 * SAMPLES, SAMPLES)
        assert ioc.poll() is None


def test_a_set_that_the_watchdog_ended_waits_too(programs: Path, root: Path, tmp_path: Path) -> None:
    with running(programs, private(script=_script(root, tmp_path, programs, "stuck:15:3"))) as (_, client):
        _first_set(client)
        client.put("startOnce", 1)
        client.until("state", 2)
        assert _taken(client) == (SAMPLES, 0)
        assert _taken(client) == (SAMPLES + 5, SAMPLES)
        time.sleep(3)  # it comes back with one more sample, which is a set of its own
        assert _taken(client) == (SAMPLES + 6, SAMPLES + 5)
        client.until("state", 0)
