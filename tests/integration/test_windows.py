# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Windows of data transfers on this machine: shared memory works; an impossible window is refused untouched."""

from __future__ import annotations

import json
import re
import subprocess
import sys
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


def test_a_batch_of_moves_within_the_cache_shares_one_reading_of_the_clock(engine: Path) -> None:
    single = _records(engine, "--measurement", "cache-to-cache", "--count", "300")
    batch = _records(engine, "--measurement", "cache-to-cache", "--pass", "batch", "--count", "300", "--sets", "50")
    assert _one(batch, "end")["status"] == "ok"
    right = _one(batch, "check", name="blocks-right")
    assert int(right["value"]) == int(right["low"]) == int(right["high"]) >= 50
    sets = [ticks for record in batch if record["t"] == "batch" for ticks in record["v"]]
    assert min(sets) / 300 < 0.8 * _one(single, "end")["min"]


def test_the_blocks_of_a_move_within_the_cache_do_not_begin_at_the_same_place_of_a_page(engine: Path) -> None:
    """Else a CPU takes a load for one of the store before it, wherever the kernel puts the memory (4 KiB aliasing)."""
    note = _one(_records(engine, "--measurement", "cache-to-cache", "--count", "100"), "note", kind="environment")
    said = re.fullmatch(r"two blocks of 4096 bytes, which begin at bytes (\d+) and (\d+) of a page", note["text"])
    assert said is not None, note
    apart = abs(int(said[1]) - int(said[2]))
    assert 512 <= apart <= 4096 - 512


def _cache_bytes() -> int:
    """The largest cache of which the kernel or the C library know."""
    files = Path("/sys/devices/system/cpu").glob("cpu[0-9]*/cache/index*/size")
    sizes = [int(file.read_text().strip().removesuffix("K")) << 10 for file in files]
    for level in (2, 3, 4):
        said = subprocess.run(
            ["getconf", f"LEVEL{level}_CACHE_SIZE"], capture_output=True, text=True, check=False
        ).stdout.strip()
        sizes.append(int(said) if said.isdigit() else 0)
    return max(sizes)


@pytest.mark.parametrize("limit", [None, 300 << 20])
def test_regions_of_memory_are_twice_the_last_cache_or_the_note_states_that_a_cache_may_hold_them(
    engine: Path, limit: int | None
) -> None:
    words = () if limit is None else ("prlimit", f"--as={limit}")
    command = [*words, str(engine), "run", "--measurement", "memory-to-memory", "--count", "20"]
    done = subprocess.run(command, capture_output=True, check=True, timeout=60)
    records = [json.loads(framing.decode(line)[1]) for line in done.stdout.splitlines()]
    assert _one(records, "end")["status"] == "ok"
    text = _one(records, "note", kind="environment")["text"]
    region = int(text.removeprefix("two regions of ").split()[0]) << 20
    assert region <= (limit or sys.maxsize) // 2
    assert ("a cache may hold them" in text) == (region < 2 * _cache_bytes() or _cache_bytes() == 0), text
    assert f"{_cache_bytes() >> 10} KiB" in text or "the system reports no cache size" in text


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
