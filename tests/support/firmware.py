# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Runs an image on its board and gives back the record stream, byte by byte."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from rtstone.model import Session
from rtstone.stream import collect
from rtstone.stream.plan import Item, Plan, encode
from rtstone.targets import boards

TIMEOUT_S = 120

BOARDS = ("arm64", "mps2-an385", "mcf5208evb", "riscv32", "zynq-a9")
KERNELS = ("bare", "freertos")
SISTERS = {"arm64-gicv3": "arm64"}
"""Boards made of another one's files. The shared files are tested there; here only the long trials test them again."""
PAIRS = [
    *((board, kernel) for board in (*BOARDS, *SISTERS) for kernel in KERNELS),
    ("arm64-gicv3", "rt"),
    ("mps2-an385", "rt"),
    ("riscv32", "rt"),
    ("mps2-an385", "freertos-rust"),
    ("arm64", "freertos-rust"),
    ("riscv32", "freertos-rust"),
]

INSTALLED = [
    *(("mps2-an385", "threadx"), ("zynq-a9", "rtems"), ("zynq-a9", "rtems-pthread")),
    ("zynq-a9", "rtems-ioc"),
]
"""Kernels that the user installs: `make test` covers none of them."""

LONG = {*((board, kernel) for board in SISTERS for kernel in KERNELS), ("riscv32", "freertos-rust")}
"""Cases that only `make test-long` covers: `make test` has another one of their kind."""


def mark_of(kernel: str) -> str:
    """The mark of tests with a kernel that the user installs."""
    return "rtems_ioc" if kernel == "rtems-ioc" else kernel.partition("-")[0]


CASES = [
    *(pytest.param(*pair, marks=pytest.mark.long) if pair in LONG else pair for pair in PAIRS),
    *(pytest.param(*pair, marks=getattr(pytest.mark, mark_of(pair[1]))) for pair in INSTALLED),
]


def run(image: Path, board: str, kernel: str, plan: Plan | bytes | None, folder: Path, *extra: str) -> bytes:
    """Return all that the image prints until the board is powered off. `folder` is for the plan and the records."""
    facts = boards.load(board)
    folder.mkdir(parents=True, exist_ok=True)
    records = folder / "records"
    blob = None
    if plan is not None:
        blob = folder / "plan"
        blob.write_bytes(plan if isinstance(plan, bytes) else encode(plan))
    values = {"image": str(image), "records": f"file,path={boards.option_value(records)}", "seed": "1"}
    command = boards.command(facts, facts.kernel_of(kernel), values=values, plan=blob)
    done = subprocess.run([*command, *extra], capture_output=True, text=True, check=False, timeout=TIMEOUT_S)
    assert done.returncode == 0, f"{' '.join(command)}: {done.stderr}"
    return records.read_bytes()


def session(stream: bytes, plan: Plan | None = None) -> Session:
    """Return the one session of a stream, which must be whole."""
    (found,) = collect(stream.splitlines(keepends=True), plan)
    assert found.complete, (found.refusal, found.problems, found.console)
    return found


def single(measurement: str, **keys: object) -> Plan:
    """A plan of one item."""
    item = {"item": 0, "measurement": measurement, **keys}
    return Plan(seed=7, repetition=0, items=(Item(**item),))  # type: ignore[arg-type]
