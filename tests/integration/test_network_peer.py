# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""SLAC's load from another host: packets are answered and copied, or counted lost; nothing outlives either end."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import threading
import time
import tty
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from rtstone.stream import framing
from support import split
from support.command import rtstone
from support.spaces import Space

HERE, THERE = "10.87.9.1", "10.87.9.2"
LINES = "".join("".join(chr(32 + (first + i) % 95) for i in range(72)) + "\r\n" for first in range(95)).encode()


def _characters(count: int) -> bytes:
    """The first `count` characters of RFC 864 that a terminal gets, after the load's own line."""
    return (b"\r\n" + LINES * (count // len(LINES) + 1))[:count]


@contextmanager
def _peer(engine: Path, place: str, *enter: str) -> Iterator[subprocess.Popen[str]]:
    words = [*enter, str(engine), "peer", "--bind", place]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert f"waits at {place}" in process.stdout.readline()
        try:
            yield process
        finally:
            process.kill()


def _start(engine: Path, place: str, *words: str, enter: tuple[str, ...] = ()) -> subprocess.Popen[str]:
    """A measurement of 5 ms a sample under the load.

    If RTSTONE_SERIAL names no writable line, the load uses a pseudo-terminal.
    """
    measured = ("--measurement", "interrupt-response", "--period-ns", "5000000", "--warmup", "1")
    command = [*enter, str(engine), "run", *measured, "--load", "network-peer", *words]
    own = {"RTSTONE_PEER": place, "RTSTONE_SERIAL": os.environ.get("RTSTONE_SERIAL", os.devnull)}
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=os.environ | own)


def _records(engine: Path, place: str, *words: str, enter: tuple[str, ...] = ()) -> list[dict[str, Any]]:
    out = _start(engine, place, "--count", "40", *words, enter=enter).communicate(timeout=60)[0]
    return [json.loads(framing.decode(line.encode())[1]) for line in out.splitlines()]


def _figures(records: list[dict[str, Any]]) -> dict[str, int]:
    return {r["key"]: int(r["value"]) for r in records if r["t"] == "load"}


def _skipped(records: list[dict[str, Any]]) -> str:
    return "".join(r.get("text", "") for r in records if r["t"] == "skip")


def _place() -> str:
    with socket.socket() as found:
        found.bind(("127.0.0.5", 0))
        return f"127.0.0.5:{found.getsockname()[1]}"


def _echoes() -> int:
    """Echo requests that this name space has taken."""
    return int(re.findall(r"Icmp:((?: \d+){9})", Path("/proc/net/snmp").read_text())[0].split()[-1])


def _wait_for_flood(before: int) -> None:
    limit = time.monotonic() + 30
    while _echoes() < before + 500:
        assert time.monotonic() < limit
        time.sleep(0.01)


def test_between_two_name_spaces_all_is_counted_at_both_ends(engine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The characters come out of a terminal as RFC 864 has them; a name space of this machine is no other host."""
    master, slave = os.openpty()
    tty.setraw(slave)
    monkeypatch.setenv("RTSTONE_SERIAL", os.ttyname(slave))
    came = bytearray()

    def read() -> None:
        with suppress(OSError):
            while data := os.read(master, 4096):
                came.extend(data)

    reader = threading.Thread(target=read)
    reader.start()
    with ExitStack() as stack:
        near = Space(stack)
        far = Space(stack, *near.enter)
        near.ip("link", "add", "near", "type", "veth", "peer", "name", "far", "netns", far.pid)
        for end, name, address in ((near, "near", HERE), (far, "far", THERE)):
            end.ip("addr", "add", f"{address}/24", "dev", name)
            end.ip("link", "set", name, "up")
        stack.enter_context(_peer(engine, f"{THERE}:5741", *far.enter))
        records = _records(engine, THERE, "--intensity", "3", enter=near.enter)
    os.close(slave)  # the last one: the terminal ends
    reader.join()
    os.close(master)
    told = _figures(records)
    assert 0 < told["pings_answered"] <= told["pings_taken"] <= told["pings_sent"]
    assert told["pings_per_s"] > 0
    assert 0 < told["bytes_copied"] <= told["bytes_received"] == told["bytes_sent"]
    assert (told["peer_elsewhere"], told["near_interrupts"]) == (0, 0)
    assert {r["value"] for r in records if r["t"] == "check" and r["name"] == "load-faults"} == {"0"}
    assert any("a peer on this machine" in r["text"] for r in records if r["t"] == "note")
    assert len(came) == told["bytes_copied"] + 2 > 2
    assert bytes(came) == _characters(len(came))


@pytest.mark.needs("raw-sockets")
def test_a_study_has_it_by_default_and_says_what_was_no_other_host(
    engine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RTSTONE_SERIAL", os.devnull)
    place = _place()
    with _peer(engine, place):
        words = ("--study", "slac", "--peer", place, "--count", "40", "--no-archive", "--json", "--quiet")
        done = rtstone("run", *words, expect=None)
    split.require_run(done.returncode, done.stderr)
    (study,) = json.loads(done.stdout)["studies"]
    (found,) = (f for line in study["sheet"]["lines"] for f in line["findings"] if f["check"] == "load")
    assert found["verdict"] == "substituted"
    assert "the peer is on this machine" in found["ours"]
    assert "network-peer pings_sent" in found["evidence"]


@pytest.mark.needs("raw-sockets")
def test_a_peer_that_goes_away_makes_the_item_invalid_and_the_next_one_is_left_out(engine: Path) -> None:
    place = _place()
    with _peer(engine, place) as peer:
        before = _echoes()
        run = _start(engine, place, "--count", "400")
        _wait_for_flood(before)
        peer.kill()
        out = run.communicate(timeout=60)[0]
    records = [json.loads(framing.decode(line.encode())[1]) for line in out.splitlines()]
    assert [r["value"] for r in records if r["t"] == "check" and r["name"] == "load-faults"] != ["0"]
    assert {r["status"] for r in records if r["t"] == "end"} == {"invalid"}
    assert "no rtstone peer answers" in _skipped(_records(engine, place))


@pytest.mark.needs("raw-sockets")
def test_a_peer_outlives_a_measuring_host_that_is_killed_and_floods_nobody_then(engine: Path) -> None:
    place = _place()
    host, _, port = place.partition(":")
    with _peer(engine, place):
        before = _echoes()
        run = _start(engine, place, "--count", "2000")
        _wait_for_flood(before)
        run.kill()
        run.communicate()
        # One host at a time: it greets the next when the flood is over.
        with socket.create_connection((host, int(port)), timeout=20) as after:
            assert after.recv(100).startswith(b"rtstone peer 1\n")


def test_an_older_peer_and_one_that_may_not_ping_are_told(engine: Path) -> None:
    with socket.create_server(("127.0.0.5", 0)) as server:
        threading.Thread(target=_be_older, args=(server,), daemon=True).start()
        assert "an older one" in _skipped(_records(engine, f"127.0.0.5:{server.getsockname()[1]}"))
    place = _place()
    with _peer(engine, place, "setpriv", "--bounding-set=-net_raw", "--inh-caps=-net_raw"):
        assert "it may not ping" in _skipped(_records(engine, place))
    assert "no other host is given" in _skipped(_records(engine, ""))


def _be_older(server: socket.socket) -> None:
    """As release 0.2.0 answers a word that it does not know."""
    for _ in range(2):
        stream, _ = server.accept()
        with stream:
            stream.sendall(b"rtstone peer 1\n")
            if stream.recv(100):
                stream.sendall(b"error not a transfer that this version does\n")
