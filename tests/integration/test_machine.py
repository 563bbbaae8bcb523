# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The machine as the engine tells it: a clone is another, a bare root has an id of its own, and no secret is told."""

from __future__ import annotations

import hashlib
import hmac
import json
import subprocess
from pathlib import Path

import pytest

from rtstone.measure import host
from rtstone.stream import framing

SECRET = "0123456789abcdef0123456789abcdef"
_RUN = ("run", "--measurement", "semaphore-get-release", "--count", "10", "--sets", "1")


def _facts(*command: str) -> dict[str, str]:
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    records = [json.loads(framing.decode(line.encode())[1]) for line in done.stdout.splitlines()]
    facts: dict[str, str] = {}
    for record in (one for one in records if one["t"] == "env"):
        facts[record["key"]] = facts.get(record["key"], "") + record["value"]
    assert facts, done.stderr
    return facts


def _elsewhere(engine: Path, tmp_path: Path, machine_id: str, name: str) -> dict[str, str]:
    """The facts of a machine with this machine-id (empty: it has no such file's content) and this host name."""
    made = tmp_path / "machine-id"
    made.write_text(machine_id)
    script = (
        f"mount --bind {made} /etc/machine-id && "
        f"{{ [ ! -e /var/lib/dbus/machine-id ] || mount --bind {made} /var/lib/dbus/machine-id; }} && "
        f'hostname {name} && exec "$@"'
    )
    return _facts("unshare", "-rmu", "sh", "-c", script, "sh", str(engine), *_RUN)


def _expected(secret: str, name: str) -> str:
    """As RFC 2104 and FIPS 180-4 have it, by another hand than the engine's."""
    return hmac.new(secret.encode(), f"rtstone machine 1\n{name}\n".encode(), hashlib.sha256).hexdigest()[:32]


def test_a_machine_is_told_by_a_hash_that_the_host_makes_too(engine: Path, tmp_path: Path) -> None:
    facts = _elsewhere(engine, tmp_path, SECRET + "\n", "bench")
    assert facts["machine.id"] == _expected(SECRET, "bench") == host.machine_id(SECRET, "bench")
    assert (facts["machine.id-source"], facts["machine.name"]) == ("machine-id, host-name", "bench")
    assert facts["machine.memory"].endswith(" kB")
    assert facts["machine.virtualisation"]
    assert SECRET not in json.dumps(facts)


def test_a_clone_with_another_name_is_another_machine(engine: Path, tmp_path: Path) -> None:
    one, clone = (_elsewhere(engine, tmp_path, SECRET, name)["machine.id"] for name in ("one", "clone"))
    assert one != clone


@pytest.mark.parametrize("content", ["", "uninitialized\n", "0" * 32, SECRET[:20]])
def test_a_bare_root_says_what_stands_for_its_id(engine: Path, tmp_path: Path, content: str) -> None:
    facts = _elsewhere(engine, tmp_path, content, "bare")
    assert len(facts["machine.id"]) == 32
    assert facts["machine.id"] != _expected(content.strip(), "bare")
    assert "machine-id" not in facts["machine.id-source"]
    assert facts["machine.id-source"].endswith("host-name")


def test_the_id_is_the_same_without_privileges(engine: Path) -> None:
    assert _facts(str(engine), *_RUN)["machine.id"] == _facts("unshare", "-U", str(engine), *_RUN)["machine.id"]
