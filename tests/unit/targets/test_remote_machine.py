# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The engine of a machine over ssh: it is brought again where a reboot or a new image has removed it."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from rtstone.targets.remote import _client, _machine, _scripts
from rtstone.targets.remote._address import parse
from rtstone.targets.remote._machine import refusal


def test_the_engine_is_brought_again_to_a_machine_with_a_new_image(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "engine"
    program.write_bytes(b"an engine")
    digest = hashlib.sha256(b"an engine").hexdigest()
    there: list[str] = []
    puts: list[bytes] = []
    looks: list[str] = []

    def ask(
        address: object, script: str, given: bytes | None = None, *, timeout_s: float = 0.0
    ) -> _client.ScriptResult:
        if script == _scripts.LOOK:
            looks.append(script)
            have = [f"@have {digest} {one}".encode() for one in there]
            return _client.ScriptResult(0, (b"@kernel Linux", b"@machine x86_64", b"@place /far", *have, b"@done"), "")
        assert given is not None
        puts.append(given)
        there.append(f"{digest[:16]}/{_scripts.ENGINE}")
        return _client.ScriptResult(0, (b"@done",), "")

    monkeypatch.setattr(_client, "ask", ask)
    monkeypatch.setattr(_machine, "engine_for", lambda *_: ("x86_64", program))
    machine = _machine.Machine(parse("user@host"))
    machine.deploy()
    machine.run("far")
    assert (len(looks), len(puts)) == (2, 1), "it is there: it is not copied again"
    there.clear()  # a new image
    machine.run("far")
    assert puts == [b"an engine"] * 2
    machine = _machine.Machine(parse("user@host"))
    machine.deploy()
    there.clear()  # by --before, before the first session
    machine.run("far")
    assert puts == [b"an engine"] * 3


def test_a_shell_that_quotes_the_whole_script_is_cut() -> None:
    said = refusal(126, f"sh: {'exec engine; ' * 200}: Permission denied")
    assert len(said) < 320
    assert said.endswith(": Permission denied")
    assert "noexec" in said
