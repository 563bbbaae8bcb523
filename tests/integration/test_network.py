# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Transfers by TCP and UDP: data is received or counted lost, each end is accounted for, and nothing is left behind."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rtstone.stream import framing
from support.children import alive, descendants
from support.command import rtstone

TRANSFER_NS = 200_000_000


def _records(engine: Path, *words: str, peer: str = "", before: tuple[str, ...] = ()) -> list[dict[str, Any]]:
    words_of = [*before, str(engine), "run", "--sched", "ts", "--count", "2", "--warmup", "1", *words]
    environment = {**os.environ, **({"RTSTONE_PEER": peer} if peer else {})}
    done = subprocess.run(words_of, capture_output=True, text=True, check=True, timeout=120, env=environment)
    return [json.loads(framing.decode(line.encode())[1]) for line in done.stdout.splitlines()]


def _figures(records: list[dict[str, Any]]) -> dict[str, int]:
    return {r["name"]: int(r["value"]) for r in records if r["t"] == "figure"}


def _skip(records: list[dict[str, Any]]) -> tuple[str, str]:
    """Reason and text of the one skip, its parts put together."""
    parts = [r for r in records if r["t"] == "skip"]
    return parts[-1].get("reason", parts[0].get("reason", "")), "".join(p.get("text", "") for p in parts)


def _name_spaces() -> bool:
    return subprocess.run(["unshare", "-n", "true"], capture_output=True, check=False).returncode == 0 or (
        subprocess.run(["unshare", "-Urn", "true"], capture_output=True, check=False).returncode == 0
    )


def _check(records: list[dict[str, Any]], name: str) -> None:
    (check,) = (r for r in records if r["t"] == "check" and r["name"] == name)
    assert check["value"] == check["low"] == check["high"]


def _accounted(records: list[dict[str, Any]], protocol: str) -> dict[str, int]:
    """Its figures, once they are known to add up."""
    (end,) = (r for r in records if r["t"] == "end")
    assert (end["status"], end["count"]) == ("ok", "2")
    found = _figures(records)
    assert found["transfers"] == 2
    assert found["elapsed_ns"] >= 2 * TRANSFER_NS
    assert found["bytes_sent"] >= found["bytes_received"] > 0
    assert found["bytes_sent"] % found["block_bytes"] == 0
    assert found["block_bytes"] == 4096
    for end_name in ("sender", "receiver"):
        assert 0 < found[f"{end_name}_cpu_ns"] < 2 * found["elapsed_ns"]
        assert found[f"{end_name}_cpu_busy_ns"] <= found[f"{end_name}_cpu_all_ns"]
        assert found[f"{end_name}_cpu_irq_ns"] <= found[f"{end_name}_cpu_busy_ns"]
    if protocol == "tcp":
        assert found["bytes_sent"] == found["bytes_received"]
        _check(records, "bytes")
    else:
        assert found["datagrams_sent"] == found["datagrams_received"] + found["datagrams_lost"]
        assert found["datagrams_sent"] * 4096 == found["bytes_sent"]
        assert found["datagrams_received"] * 4096 == found["bytes_received"]
        _check(records, "datagrams")
    return found


@pytest.mark.parametrize("protocol", ["tcp", "udp"])
def test_on_one_node_both_ends_share_the_cpu(engine: Path, protocol: str) -> None:
    found = _accounted(_records(engine, "--measurement", f"{protocol}-local"), protocol)
    assert found["sender_cpu"] == found["receiver_cpu"]
    assert found["window_bytes"] == 56 * 1024
    assert found["receive_buffer_bytes"] >= 56 * 1024
    # Two processes cannot have had more of one CPU than there was; the receiver of datagrams waits a little longer.
    assert found["sender_cpu_ns"] + found["receiver_cpu_ns"] < 1.3 * found["elapsed_ns"]


def test_an_event_loop_pays_for_its_waits(engine: Path) -> None:
    plain = _accounted(_records(engine, "--measurement", "tcp-local"), "tcp")
    loop = _accounted(_records(engine, "--measurement", "tcp-local-select"), "tcp")
    each = [found["receiver_cpu_ns"] / found["bytes_received"] for found in (plain, loop)]
    assert each[0] < each[1]


MANY_FILES = """import os, resource, sys
hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
resource.setrlimit(resource.RLIMIT_NOFILE, (2048, hard))
for number in range(3, 1100):
    os.dup2(0, number)
os.execv(sys.argv[1], sys.argv[1:])"""


def test_select_is_refused_where_descriptors_are_beyond_its_sets(engine: Path) -> None:
    records = _records(engine, "--measurement", "tcp-local-select", before=(sys.executable, "-c", MANY_FILES))
    reason, text = _skip(records)
    assert reason == "unsupported"
    assert "descriptors below 1024" in text


def test_a_small_window_is_one(engine: Path) -> None:
    found = _accounted(_records(engine, "--measurement", "tcp-local-8k"), "tcp")
    assert found["window_bytes"] == 8192
    assert 8192 <= found["receive_buffer_bytes"] < 56 * 1024


@pytest.mark.needs("cpus")
@pytest.mark.parametrize("protocol", ["tcp", "udp"])
def test_on_one_node_each_end_may_have_a_cpu_of_its_own(engine: Path, protocol: str) -> None:
    found = _accounted(_records(engine, "--measurement", f"{protocol}-local-two-cpus"), protocol)
    assert found["sender_cpu"] != found["receiver_cpu"]


@pytest.mark.parametrize("name", ["tcp-link", "tcp-link-8k", "udp-link"])
def test_across_a_link_of_its_own_making(engine: Path, name: str) -> None:
    before = socket.if_nameindex()
    records = _records(engine, "--measurement", name)
    assert socket.if_nameindex() == before
    if _name_spaces():
        _accounted(records, name[:3])
    else:
        assert _skip(records)[0] == "denied"


@pytest.mark.needs("name-space-settings")
def test_without_the_right_to_name_spaces_it_says_what_gives_it(engine: Path) -> None:
    """A user name space in which nobody may make a network name space."""
    deny = 'echo 0 > /proc/sys/user/max_net_namespaces && exec "$@"'
    records = _records(engine, "--measurement", "tcp-link", before=("unshare", "-Ur", "sh", "-c", deny, "sh"))
    reason, text = _skip(records)
    assert reason == "denied"
    assert "no network name space may be made here" in text
    assert "remedy: sudo" in text


def test_in_the_real_time_class_it_says_why_not(engine: Path) -> None:
    reason, text = _skip(_records(engine, "--measurement", "udp-local", "--sched", "rt"))
    assert reason == "invalid"
    assert text.endswith("remedy: --sched ts")


def _until(what: Any, seconds: float = 10) -> bool:
    limit = time.monotonic() + seconds
    while not what():
        if time.monotonic() > limit:
            return False
        time.sleep(0.01)
    return True


@pytest.mark.parametrize("name", ["tcp-link", "udp-local"])
def test_killed_in_mid_transfer_it_leaves_nothing(engine: Path, name: str) -> None:
    before = socket.if_nameindex()
    words = [str(engine), "run", "--sched", "ts", "--measurement", name, "--count", "500"]
    with subprocess.Popen(words, stdout=subprocess.DEVNULL) as process:
        assert _until(lambda: len(descendants(process.pid)) == 2), "a near end and a far end"
        ends = descendants(process.pid)
        time.sleep(0.3)
        process.kill()
    assert _until(lambda: all(not alive(pid) for pid in ends))
    assert socket.if_nameindex() == before


# ---- another host, which here is another address of this one ----------------------------------------------------


def _free_port(address: str) -> int:
    with socket.socket() as found:
        found.bind((address, 0))
        return int(found.getsockname()[1])


@pytest.fixture
def peer(engine: Path) -> Iterator[str]:
    """A peer that waits on 127.0.0.5."""
    place = f"127.0.0.5:{_free_port('127.0.0.5')}"
    with subprocess.Popen([str(engine), "peer", "--bind", place], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert f"waits at {place}" in process.stdout.readline()
        yield place
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=10) == 130


@pytest.mark.parametrize("protocol", ["tcp", "udp"])
@pytest.mark.parametrize("direction", ["to", "from"])
def test_to_and_from_a_peer(engine: Path, peer: str, protocol: str, direction: str) -> None:
    _accounted(_records(engine, "--measurement", f"{protocol}-{direction}-peer", peer=peer), protocol)


def test_a_peer_serves_one_host_after_the_other_and_survives_nonsense(engine: Path, peer: str) -> None:
    host, _, port = peer.partition(":")
    for words in (b"", b"GET / HTTP/1.1\r\n\r\n", b"transfer 0 0 0 4096 57344 999999 1 1\n", b"x" * 5000):
        with socket.create_connection((host, int(port)), timeout=10) as stranger:
            assert stranger.recv(100).startswith(b"rtstone peer 1\n")
            with contextlib.suppress(OSError):
                stranger.sendall(words)
    _accounted(_records(engine, "--measurement", "tcp-to-peer", peer=peer), "tcp")


def test_no_peer_and_a_wrong_address_are_told(engine: Path) -> None:
    assert "no other host is given" in _skip(_records(engine, "--measurement", "tcp-to-peer"))[1]
    reason, text = _skip(_records(engine, "--measurement", "tcp-to-peer", peer=f"127.0.0.5:{_free_port('127.0.0.5')}"))
    assert reason == "failed"
    assert "Connection refused" in text
    assert "rtstone peer --bind" in text
    reason, text = _skip(_records(engine, "--measurement", "udp-to-peer", peer="nowhere"))
    assert reason == "invalid"
    assert "no IPv4 address" in text


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["--bind", "192.0.2.77"], 2, "no address of this machine"),
        (["--bind", "0.0.0.0"], 2, "would let anybody in"),  # noqa: S104 - refused
        (["--bind", "127.0.0.5:70000"], 2, "--bind takes an IPv4 address"),
        (["--bind", "localhost"], 2, "--bind takes an IPv4 address"),
        ([], 2, "peer takes --bind"),
    ],
)
def test_a_peer_refuses_in_one_line_what_it_cannot_do(engine: Path, words: list[str], code: int, said: str) -> None:
    done = subprocess.run([str(engine), "peer", *words], capture_output=True, text=True, check=False, timeout=20)
    assert (done.returncode, done.stdout) == (code, "")
    assert done.stderr.count("\n") == 1
    assert said in done.stderr


def test_a_port_in_use_is_told(engine: Path, peer: str) -> None:
    words = [str(engine), "peer", "--bind", peer]
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=20)
    assert done.returncode == 3
    assert "Address already in use" in done.stderr
    assert "another port" in done.stderr


@pytest.mark.needs("realtime")
@pytest.mark.timeout(300)
def test_the_study_prints_all_its_tables_with_a_figure_in_every_row_that_is_measured(engine: Path, peer: str) -> None:
    # Three samples are the fewest of which a table shows an interval.
    words = ("--study", "infn", "--profile", "quick", "--count", "3", "--peer", peer)
    done = rtstone("run", *words, "--json", "--no-archive", "--quiet", timeout_s=240)
    (study,) = json.loads(done.stdout)["studies"]
    tables = {t["number"]: t for t in study["tables"] if t["kind"] == "paper"}
    assert list(tables) == ["1", "2", "signals", "3", "4", "windows", "5", "6"]
    for number, table in tables.items():
        titles = [column["title"] for column in table["columns"] if column["kind"] == "ours"]
        assert titles
        if number in {"4", "6"}:
            assert any("to peer" in title for title in titles)
            assert any("from peer" in title for title in titles)
        for line in table["lines"] if number != "1" else ():
            ours = [c for c, k in zip(line["cells"], table["columns"], strict=True) if k["kind"] == "ours"]
            assert all(cell["state"] == "value" for cell in ours), (number, line)
    sheet = {line["findings"][0]["check"]: line["findings"][0] for line in study["sheet"]["lines"]}
    for check in ("ends-share-cpu", "block-and-window"):
        assert sheet[check]["verdict"] == "met", check
    # Another address of this machine is no other host.
    assert sheet["across-a-link"]["verdict"] == "substituted"
    assert "a peer on this machine" in sheet["across-a-link"]["ours"]
    # Which window gives more is the machine's answer; that both were measured on either way is ours.
    assert all(f"{name} " in sheet["window-sizes"]["evidence"] for name in ("tcp-local", "tcp-link"))


def test_a_wrong_peer_is_refused_before_anything_is_measured() -> None:
    done = rtstone("run", "--study", "infn", "--peer", "somewhere", "--no-archive", expect=2)
    assert done.stderr.startswith("rtstone: --peer takes an IPv4 address")
