# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Windows of data transfers on this machine: shared memory works, and a window that cannot be is told before it is touched."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from rtstone.stream import framing
from support.command import rtstone

WAYS = ("write", "flushed", "read")


def _records(engine: Path, *words: str) -> list[dict[str, Any]]:
    command = [str(engine), "run", *words]
    done = subprocess.run(command, capture_output=True, check=True, timeout=60)
    return [json.loads(framing.decode(line)[1]) for line in done.stdout.splitlines()]


def _one(records: list[dict[str, Any]], type_: str, /, **keys: str) -> dict[str, Any]:
    (found,) = (r for r in records if r["t"] == type_ and all(r.get(key) == value for key, value in keys.items()))
    return found


@pytest.mark.parametrize("bits", [8, 16, 32, 64])
@pytest.mark.parametrize("way", WAYS)
def test_every_block_arrives(engine: Path, way: str, bits: int) -> None:
    name = f"transfer-{way}-d{bits}"
    records = _records(engine, "--measurement", name, "--count", "300", "--warmup", "4", "--window", "shm")
    end = _one(records, "end")
    assert (end["status"], end["count"]) == ("ok", "300")
    assert int(_one(records, "figure", name="bytes")["value"]) == 300 * 4096
    check = _one(records, "check", name="blocks-right")
    assert check["value"] == check["low"] == check["high"]
    assert "shared memory" in _one(records, "note", kind="environment")["text"]


@pytest.mark.parametrize("name", ["transfer-to-memory", "transfer-from-memory", "transfer-within", "cache-to-cache"])
def test_moves_between_places_arrive_too(engine: Path, name: str) -> None:
    records = _records(engine, "--measurement", name, "--count", "300")
    assert _one(records, "end")["status"] == "ok"
    assert int(_one(records, "check", name="blocks-right")["value"]) >= 300


@pytest.mark.parametrize(
    ("window", "words"),
    [
        ("pci:ffff:ff:1f.7/2", "there is no PCI device ffff:ff:1f.7"),
        ("pci:nonsense", "a PCI window is pci:"),
        ("pci:0000:00:04.0/2/user", "or the same and /kernel"),
        ("vme:0/a24/100000/kernel", "or the same and /map"),
        ("uio:99/0", "there is no UIO device /dev/uio99"),
        ("uio:x", "a UIO window is uio:N/M"),
        ("vme:9/a24/100000", "/dev/bus/vme/m9 cannot be opened"),
        ("vme:0/a24/1000001", "a24 has no window at 1000001"),
        ("vme:0/a24/1234", "multiples of 10000"),
        ("vme:0/a99/0", "a VME window is vme:"),
        ("magic", "there is no window 'magic'"),
    ],
)
def test_a_window_that_cannot_be_is_told_and_nothing_is_measured(engine: Path, window: str, words: str) -> None:
    records = _records(engine, "--measurement", "transfer-read-d32", "--window", window)
    skip = _one(records, "skip")
    assert skip["reason"] == "invalid"
    assert words in skip["text"]
    assert not [r for r in records if r["t"] in {"begin", "end", "hist"}]


@pytest.mark.usefixtures("engine")
def test_the_command_refuses_it_before_the_run() -> None:
    done = rtstone("run", "-m", "transfer-read-d8", "--window", "vme:0/a64/0", "--no-archive", expect=2)
    assert "a window is shm, pci:" in done.stderr
    assert done.stdout == ""
