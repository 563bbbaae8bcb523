# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Only a cargo that starts and is new enough counts, and a kernel in C needs one only until its sources are fetched."""

from __future__ import annotations

from pathlib import Path

import pytest

from rtstone.cache import cache_root
from rtstone.cli._boards import _kernel
from rtstone.cli.boards import _state
from rtstone.errors import InfrastructureError
from rtstone.targets.boards import _cargo, _kernel_source, firmware, load

BOARD = "mps2-an385"


@pytest.fixture
def cargo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program of that name, first in the search path; the test writes it."""
    program = tmp_path / "programs" / "cargo"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\nexit 1\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:/usr/bin:/bin")
    return program


@pytest.mark.parametrize(
    ("script", "counts"),
    [
        ("echo 'cargo 1.85.0 (d73d2caf9 2024-12-31)'", True),
        ("echo 'cargo 2.0.0'", True),
        ("echo 'cargo 1.66.0'", False),
        ("echo 'no default toolchain is configured' >&2; exit 1", False),
        ("echo 'cargo 1.95.0'; exit 1", False),
    ],
)
def test_a_cargo_counts_that_starts_and_is_new_enough(cargo: Path, script: str, counts: bool) -> None:
    cargo.write_text(f"#!/bin/sh\n{script}\n")
    assert (_cargo.find() == str(cargo)) is counts


def test_without_it_a_command_is_one_line(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(_cargo, "find", lambda: None)
    with pytest.raises(InfrastructureError) as caught:
        _cargo.run("fetch rt", ["vendor"], tmp_path, 10)
    assert str(caught.value) == "cargo 1.85 or newer is needed to fetch rt: apt-get install cargo-web"


def test_the_list_of_boards_names_a_cargo_that_does_not_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_cargo, "find", lambda: None)
    board = load(BOARD)
    for name in ("freertos", "rt", "freertos-rust"):
        entry = _kernel(board, board.kernel_of(name))
        assert "cargo-web" in entry.missing, name
        assert _state(entry).startswith("missing: ")
    assert "cargo-web" not in _kernel(board, board.kernel_of("bare")).missing


def test_a_kernel_in_c_whose_sources_are_fetched_needs_no_cargo(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_cargo, "find", lambda: None)
    (cache_root() / "freertos" / _kernel_source._cache_name(firmware.sources_root(), "freertos")).mkdir(parents=True)
    assert "cargo-web" not in firmware.missing(BOARD, "freertos")
    assert "cargo-web" in firmware.missing(BOARD, "rt")
