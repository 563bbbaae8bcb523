# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""A response timed by another machine: packets are answered or counted lost; foreign ones are counted, not answered."""

from __future__ import annotations

import json
import select
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from rtstone.stream import framing
from support.command import rtstone

pytestmark = pytest.mark.alone

SIZE = 24
"""Bytes of a datagram: token, number, kind."""


def _port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def _start(engine: Path, measurement: str, port: int, *words: str, count: int = 300) -> subprocess.Popen[str]:
    line = [str(engine), "run", "--measurement", measurement, "--timer", f"net:127.0.0.1:{port}", "--with-parent"]
    return subprocess.Popen([*line, "--count", str(count), *words], stdout=subprocess.PIPE, text=True)


def _records(process: subprocess.Popen[str]) -> list[dict[str, Any]]:
    said, _ = process.communicate(timeout=60)
    return [json.loads(framing.decode(line.encode())[1]) for line in said.splitlines()]


def _text(records: list[dict[str, Any]], kind: str) -> str:
    return "".join(r.get("text", "") for r in records if r["t"] == kind)


def _accounted(records: list[dict[str, Any]], count: int) -> dict[str, int]:
    """The figures of a side that has all its samples, and none before its cause."""
    ends = [r for r in records if r["t"] == "end"]
    assert [(end["status"], end["stop"]) for end in ends] == [("ok", "count")] * 2, _text(records, "note")
    assert int(ends[0]["count"]) == count
    figures = {r["name"]: int(r["value"]) for r in records if r["t"] == "figure"}
    assert all(end["min"] > -figures["stamp-error-most"] for end in ends)
    # By the wrong clock a figure would be wrong by an age, or negative.
    assert all(end["max"] < 20e9 for end in ends)
    assert figures["sent"] == figures["answered"] + figures["lost"] or "late" not in figures
    assert figures["lost"] == figures["lost-there"] + figures["lost-back"]
    return figures


class _Network(threading.Thread):
    """A network between the two: it drops, doubles and swaps datagrams by their numbers, and adds some of its own."""

    def __init__(self, to: int) -> None:
        super().__init__(daemon=True)
        self.port, self.to = _port(), to
        self.dropped_there = self.dropped_back = self.doubled = self.swapped = self.foreign = 0
        self.answers_to_foreign = 0
        self.answers = self.longest = 0
        self.ready = threading.Event()
        self.done = threading.Event()

    def run(self) -> None:
        near, far, stranger = (socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(3))
        with socket.create_server(("127.0.0.1", self.port)) as waiting, near, far, stranger:
            near.bind(("127.0.0.1", self.port))
            stranger.bind(("127.0.0.9", 0))
            for one in (near, far, stranger):
                one.setblocking(False)
            self.ready.set()
            caller, _ = waiting.accept()
            with caller, socket.create_connection(("127.0.0.1", self.to)) as responder:
                self._carry(caller, responder, near, far, stranger)
        self.done.set()

    def _carry(self, *ends: socket.socket) -> None:
        caller, responder, near, far, stranger = ends
        held, sender = b"", ("", 0)
        while True:
            for one in select.select(ends, [], [])[0]:
                if one in (caller, responder):
                    if not (said := one.recv(4096)):
                        return
                    (responder if one is caller else caller).sendall(said)
                    continue
                data, source = one.recvfrom(2048)
                number = int.from_bytes(data[8:16], "big")
                if one is stranger:
                    self.answers_to_foreign += 1
                elif one is far:
                    self.answers, self.longest = self.answers + 1, max(self.longest, len(data))
                    if number % 100 == 30:
                        self.dropped_back += 1
                    else:
                        near.sendto(data, sender)
                else:
                    sender = source
                    there = ("127.0.0.1", self.to)
                    if number % 100 == 10:
                        self.dropped_there += 1
                    elif number % 100 == 50:
                        held = data
                    else:
                        far.sendto(data, there)
                    if number % 100 == 51 and held:
                        far.sendto(held, there)
                        self.swapped, held = self.swapped + 1, b""
                    if number % 100 == 70:
                        far.sendto(data, there)
                        self.doubled += 1
                    if number % 100 == 90:  # the right token from elsewhere; a wrong one; too long
                        stranger.sendto(data, there)
                        far.sendto(bytes(SIZE), there)
                        far.sendto(data + b"x", there)
                        self.foreign += 3


def _until(what: Callable[[], object]) -> None:
    limit = time.monotonic() + 20
    while not what():
        assert time.monotonic() < limit
        time.sleep(0.02)


def _waits(port: int) -> bool:
    return f":{port:04X} 00000000:0000 0A" in Path("/proc/net/tcp").read_text("ascii")


@pytest.fixture
def network() -> _Network:
    made = _Network(_port())
    made.start()
    assert made.ready.wait(10)
    return made


@contextmanager
def _exchange(engine: Path, network: _Network, count: int) -> Iterator[list[subprocess.Popen[str]]]:
    """A responder that waits, and a stimulus that calls it through the network."""
    with _start(engine, "datagram-response", network.to, count=count) as responder:
        _until(lambda: _waits(network.to))
        with _start(engine, "datagram-round-trip", network.port, count=count) as stimulus:
            yield [stimulus, responder]


def test_what_a_bad_network_does_is_counted_to_the_datagram(engine: Path, network: _Network) -> None:
    with _exchange(engine, network, 300) as sides:
        asked, answered = (_accounted(_records(side), 300) for side in sides)
    assert network.done.wait(10)
    assert network.dropped_there > 0 < network.dropped_back
    assert (asked["lost-there"], asked["lost-back"]) == (network.dropped_there, network.dropped_back)
    assert asked["sent"] == answered["sent"] == asked["answered"] + asked["lost"]
    assert answered["received"] == answered["sent"] - network.dropped_there
    assert (answered["duplicated"], answered["foreign"]) == (network.doubled, network.foreign)
    assert asked["duplicated"] == network.doubled
    assert answered["out-of-order"] == network.swapped > 0
    assert network.answers_to_foreign == 0
    assert network.longest == SIZE


def test_a_responder_that_goes_away_is_told_and_what_came_is_kept(engine: Path, network: _Network) -> None:
    with _exchange(engine, network, 100_000) as (stimulus, responder):
        _until(lambda: network.answers > 50)  # more than warm up
        responder.kill()
        records = _records(stimulus)
    assert {r["status"] for r in records if r["t"] == "end"} == {"failed"}
    assert all(int(r["count"]) > 0 for r in records if r["t"] == "end")
    assert "the responder went away" in _text(records, "note")


def test_both_sides_must_mean_the_same_period_and_nonsense_is_passed_over(engine: Path) -> None:
    port = _port()
    with _start(engine, "datagram-response", port) as responder:
        _until(lambda: _waits(port))
        with socket.create_connection(("127.0.0.1", port), timeout=5) as stranger:
            assert stranger.recv(100).startswith(b"responder 1 ")
            stranger.sendall(b"GET / HTTP/1.1\r\n\r\n")
        with _start(engine, "datagram-round-trip", port, "--period-ns", "2000000") as stimulus:
            said = _text(_records(stimulus), "skip")
        assert "the responder has a period of 1000000 ns, and this side of 2000000 ns" in said
        assert "the stimulus sends each 2000000 ns" in _text(_records(responder), "skip")


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("stimulus", "no-such-host.invalid"), 2, "there is no host 'no-such-host.invalid'"),
        (("stimulus", "127.0.0.1:99999"), 2, "behind net: stands an IPv4 address"),
        (("stimulus", "127.0.0.1", "--period", "10us"), 2, "at most a datagram each 100us"),
        (("stimulus", "127.0.0.1:{port}", "-q"), 4, "no responder at 127.0.0.1:{port} (Connection refused)"),
        (("run", "-m", "datagram-response", "--timer", "net:here"), 2, "behind net: stands an IPv4 address"),
        (("run", "-m", "datagram-response", "--load", "none", "-q"), 4, "remedy: --timer net:ADDRESS"),
        (
            ("run", "-m", "datagram-response", "--timer", "net:127.0.0.1:{taken}", "--load", "none", "-q"),
            4,
            "Address already in use; remedy: another port",
        ),
        (
            ("run", "-m", "datagram-response", "--timer", "net:192.0.2.77", "--load", "none", "-q"),
            4,
            "Cannot assign requested address",
        ),
        (("run", "-m", "edge-response", "--load", "none", "-q"), 4, "remedy: --timer gpio:/dev/gpiochip0/17"),
        (("run", "-m", "edge-response", "--timer", "gpio:/dev/null/1+", "-q"), 4, "is no line of a GPIO chip"),
        (("run", "-m", "edge-response", "--timer", "gpio:/dev/null/1", "-q"), 4, "line 1 of /dev/null cannot be used"),
        (("run", "-m", "edge-response", "--timer", "pps:/dev/null", "-q"), 4, "/dev/null is no source of pulses"),
        (("run", "-m", "edge-response", "--timer", "pps:/no/such", "-q"), 4, "cannot open /no/such"),
        (("run", "-m", "edge-response", "--timer", "uio:/dev/uio0", "-q"), 4, "remedy: --timer gpio:/dev/gpiochip0/17"),
        (("run", "-m", "uio-response", "--load", "none", "-q"), 4, "remedy: --timer uio:/dev/uio0"),
        (("run", "-m", "uio-response", "--timer", "uio:/dev/uio999", "-q"), 4, "there is no UIO device /dev/uio999"),
        (("run", "-m", "uio-response", "--timer", "uio:/dev/uio0+0/64", "-q"), 4, "+0/64 is no UIO device, as in uio:"),
        (("run", "-m", "uio-response", "--timer", "uio:/dev/uio0+0/62:1", "-q"), 4, "/62:1 is no UIO device, as in"),
        (("run", "-m", "uio-response", "--timer", "uio:/dev/uio0+0/0:100000000", "-q"), 4, "is no UIO device, as in"),
    ],
)
def test_bad_input_is_one_line_and_its_exit_code(words: tuple[str, ...], code: int, said: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        ports = {"port": _port(), "taken": taken.getsockname()[1]}
        here = [word.format(**ports) for word in words]
        done = rtstone(*here, "--no-archive", expect=code)
    assert said.format(**ports) in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr


# ---- two name spaces: another network, and a clock of its own ----------------------------------------------------

_TWO_SPACES = """
set -e
unshare --net sleep 100 & far=$!
trap 'kill $far' EXIT
until [ "$(readlink /proc/$far/ns/net)" != "$(readlink /proc/$$/ns/net)" ]; do sleep 0.05; done
ip link add near type veth peer name far netns $far
ip addr add 10.87.3.1/24 dev near
ip link set near up
nsenter -t $far --net sh -c 'ip addr add 10.87.3.2/24 dev far; ip link set far up'
nsenter -t $far --net unshare --time --monotonic 123456 --fork "$1" run --with-parent \\
    --measurement datagram-response --timer net:10.87.3.2 --count 200 > "$2" & there=$!
"$1" run --measurement datagram-round-trip --timer net:10.87.3.2 --count 200
wait $there
"""


@pytest.mark.needs("network-name-spaces")
def test_across_two_name_spaces_with_a_shifted_clock_at_the_far_end(engine: Path, tmp_path: Path) -> None:
    """In the far end's time name space CLOCK_MONOTONIC is 34 hours ahead. Its stamps come from CLOCK_REALTIME."""
    # In a container root may not either.
    may = subprocess.run(["unshare", "--net", "true"], check=False, capture_output=True, timeout=20).returncode == 0
    words = ("unshare", "--net") if may else ("unshare", "--user", "--map-root-user", "--net")
    line = [*words, "sh", "-c", _TWO_SPACES, "sh", str(engine), str(tmp_path / "far")]
    near = subprocess.run(line, capture_output=True, text=True, check=True, timeout=60).stdout
    for said in (near, (tmp_path / "far").read_text()):
        records = [json.loads(framing.decode(text.encode())[1]) for text in said.splitlines()]
        figures = _accounted(records, 200)
        assert figures["lost"] == figures["stamp-clock-set"] == 0
        assert figures["same-machine"] == 1
        note = _text(records, "note")
        assert "both sides are on this same machine: no wire between" in note
        assert "stamps in software, of " in note
