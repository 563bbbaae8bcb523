# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The document of `rtstone boards` fits the schema in spec/. Each kernel has the commands that make it ready."""

from __future__ import annotations

import json
import shutil

import jsonschema
import msgspec
import pytest

from rtstone.cli._boards import Document, document
from rtstone.cli.boards import _emulator, _state
from rtstone.targets.boards import _cargo, emulator, firmware, guest
from support.schemas import schema

SLOW = "board:arm64/linux-6.1-none"


@pytest.fixture
def new(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine that has every program, and nothing built."""
    monkeypatch.setattr(shutil, "which", lambda name: f"/usr/bin/{name}")
    monkeypatch.setattr(_cargo, "find", lambda: "/usr/bin/cargo")
    monkeypatch.setattr(guest, "missing", lambda kernel: [])
    monkeypatch.setattr(guest, "is_cached", lambda kernel: False)
    monkeypatch.setattr(firmware, "is_cached", lambda board, kernel: False)


def test_what_is_printed_fits_the_schema_and_comes_back_the_same() -> None:
    found = document()
    data = msgspec.json.encode(found)
    jsonschema.validate(json.loads(data), schema("boards"))
    assert msgspec.json.decode(data, type=Document) == found
    assert list(
        jsonschema.Draft202012Validator(schema("boards")).iter_errors({"schema": "rtstone.boards", "version": "1.0"})
    )


@pytest.mark.usefixtures("new")
def test_only_what_takes_long_needs_a_command_of_its_own() -> None:
    """All else is fetched or built by the first run."""
    kernels = {kernel.target: kernel for board in document().boards for kernel in board.kernels}
    slow = [target for target, kernel in kernels.items() if kernel.commands]
    assert slow == [f"board:arm64/linux-6.1-{mode}" for mode in ("none", "voluntary", "full")]
    kernel = kernels[SLOW]
    assert kernel.commands == ("rtstone boards --build arm64/linux-6.1-none",)
    assert (kernel.on_demand, kernel.cached, kernel.missing) == (True, False, ())
    assert _state(kernel) == f"not built: {kernel.commands[0]} (about {kernel.build_minutes} min on one CPU)"
    assert _state(kernels["board:arm64/linux-6.1"]) == "fetched by the first run"
    assert _state(kernels["board:arm64/bare"]) == "built by the first run"


@pytest.mark.usefixtures("new")
def test_packages_come_before_the_build(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guest, "missing", lambda kernel: ["bison", "flex"])
    found = document()
    kernel = next(kernel for board in found.boards for kernel in board.kernels if kernel.target == SLOW)
    assert kernel.commands == ("apt-get install bison flex", "rtstone boards --build arm64/linux-6.1-none")
    assert _state(kernel).startswith("missing: apt-get install bison flex, then rtstone boards --build")
    assert found.install == "apt-get install bison flex"


@pytest.mark.usefixtures("new")
def test_what_has_been_built_is_ready(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guest, "is_cached", lambda kernel: True)
    kernel = next(kernel for board in document().boards for kernel in board.kernels if kernel.target == SLOW)
    assert (kernel.cached, kernel.commands, _state(kernel)) == (True, (), "ready")


def test_the_emulator_comes_with_what_builds_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(emulator, "built", lambda: None)
    monkeypatch.setattr(emulator, "missing", lambda: ["libfdt-dev", "meson"])
    found = document()
    assert found.mended_emulator.version == ""
    assert found.mended_emulator.commands == ("apt-get install libfdt-dev meson", "rtstone boards --build emulator")
    assert _emulator(found).startswith(
        "Debian's own. A busy host may change the figures of guests that halt. To build the fixed emulator: apt-get install libfdt"
    )
    monkeypatch.setattr(emulator, "built", lambda: emulator.Facts("1:7.2+x", "gcc", "0"))
    found = document()
    assert (found.mended_emulator.version, found.mended_emulator.commands) == ("1:7.2+x", ())
    assert _emulator(found) == "built here from Debian's 1:7.2+x, with the fix; boards that count instructions use it"
