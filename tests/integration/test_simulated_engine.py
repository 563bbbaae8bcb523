# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The program rtstone-engine-simulated: its scripts, its words for bad input, and the same bytes twice."""

from __future__ import annotations

import json
import subprocess
import zlib
from pathlib import Path

import pytest


def _plan(*items: dict[str, object]) -> bytes:
    """Return a framed plan of these items."""
    head = {"t": "plan", "v": "1.0", "seed": "7", "repetition": 1, "items": len(items)}
    numbered = [{"t": "item", "item": number, **item} for number, item in enumerate(items)]
    lines = []
    for sequence, record in enumerate([head, *numbered, {"t": "go"}]):
        body = f"{sequence:x} {json.dumps(record, separators=(',', ':'))}"
        lines.append(f"~{body} {zlib.crc32(body.encode()):08x}\n")
    return "".join(lines).encode()


def _run(engine: Path, *arguments: str, plan: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([str(engine), *arguments], input=plan, capture_output=True, check=False, timeout=60)


def _scripts(engine: Path) -> list[str]:
    listed = _run(engine, "--help").stdout.decode().split("scripts:\n")[1].split("\n\n")[0]
    return [line.split()[0] for line in listed.splitlines()]


def test_help_lists_the_scripts(simulated_engine: Path) -> None:
    wanted = {"steady", "tails", "negative", "overrun", "overflow", "unsupported", "denied", "substitutes", "no-switch"}
    assert wanted <= set(_scripts(simulated_engine))


@pytest.mark.parametrize("arguments", [("--script", "no-such"), ("--script",), ("measure",)])
def test_bad_arguments_get_one_line(simulated_engine: Path, arguments: tuple[str, ...]) -> None:
    done = _run(simulated_engine, *arguments)
    assert done.returncode == 2
    assert done.stdout == b""
    assert len(done.stderr.splitlines()) == 1


def test_every_script_gives_the_same_bytes_twice(simulated_engine: Path) -> None:
    plan = _plan(
        {"measurement": "interrupt-response", "count": 60, "raw": 1, "load": "cpu"},
        {"measurement": "semaphore-ping", "count": 200},
        {"measurement": "process-switch", "pass": "batch", "count": 31, "sets": 4},
    )
    for script in _scripts(simulated_engine):
        if script == "stopped-clock":
            continue
        first, second = (_run(simulated_engine, "--script", script, plan=plan) for _ in range(2))
        assert first.returncode == 0, f"{script}: {first.stderr.decode()}"
        assert b'"t":"bye"' in first.stdout.splitlines()[-1]
        assert first.stdout == second.stdout, script


def test_a_clock_that_stands_still_is_no_clock(simulated_engine: Path) -> None:
    done = _run(simulated_engine, "--script", "stopped-clock", plan=_plan({"measurement": "semaphore-ping"}))
    assert done.returncode == 3
    assert b'"status":"failed"' in done.stdout.splitlines()[-1]
