# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The machine as the engine reports it: a clone is another, a bare root has its own id, and no secret is revealed."""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from rtstone.stream import framing
from support.command import environment

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


def _elsewhere(tmp_path: Path, machine_id: str, name: str = "") -> tuple[str, ...]:
    """The words that run a command where this is the machine-id: of the own host name, or in a container with that `name`."""
    made = tmp_path / "machine-id"
    made.write_text(machine_id)
    script = (
        f"mount --bind {made} /etc/machine-id && "
        f"{{ [ ! -e /var/lib/dbus/machine-id ] || mount --bind {made} /var/lib/dbus/machine-id; }} && "
        f'{{ [ -z "{name}" ] || hostname {name}; }} && exec "$@"'
    )
    return ("unshare", "-rmu" if name else "-rm", "sh", "-c", script, "sh")


def _expected(secret: str, name: str) -> str:
    """As RFC 2104 and FIPS 180-4 have it, by another hand than the engine's."""
    return hmac.new(secret.encode(), f"rtstone machine 1\n{name}\n".encode(), hashlib.sha256).hexdigest()[:32]


def _host(*within: str) -> list[str]:
    """The id and its source as the host program makes them."""
    script = (
        "from rtstone.machine.identity import identity; from rtstone.machine.system import System; import os; "
        "print(*identity(System(), os.uname().nodename), sep='|')"
    )
    words = [*within, sys.executable, "-c", script]
    return (
        subprocess.run(words, capture_output=True, text=True, check=True, env=environment()).stdout.strip().split("|")
    )


@pytest.mark.needs("name-spaces")
def test_a_machine_is_known_by_a_hash_that_the_host_makes_too(engine: Path, tmp_path: Path) -> None:
    within = _elsewhere(tmp_path, SECRET + "\n")
    facts = _facts(*within, str(engine), *_RUN)
    name = os.uname().nodename
    assert [facts["machine.id"], facts["machine.id-source"]] == _host(*within)
    assert (facts["machine.id"], facts["machine.id-source"]) == (_expected(SECRET, name), "machine-id, host-name")
    assert facts["machine.name"] == name
    assert facts["machine.memory"].endswith(" kB")
    assert facts["machine.virtualisation"]
    assert SECRET not in json.dumps(facts)


@pytest.mark.needs("name-spaces")
def test_containers_with_a_mounted_machine_id_are_one_machine(engine: Path, tmp_path: Path) -> None:
    for name in ("one", "other"):
        within = _elsewhere(tmp_path, SECRET, name)
        facts = _facts(*within, str(engine), *_RUN)
        assert [facts["machine.id"], facts["machine.id-source"]] == [_expected(SECRET, ""), "machine-id"]
        assert _host(*within) == [_expected(SECRET, ""), "machine-id"]
        assert facts["machine.name"] == name


@pytest.mark.needs("name-spaces")
def test_a_container_without_one_is_known_by_its_boot_and_never_by_its_name(engine: Path, tmp_path: Path) -> None:
    boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    for name in ("one", "other"):
        within = _elsewhere(tmp_path, "", name)
        facts = _facts(*within, str(engine), *_RUN)
        if facts["machine.id-source"] == "boot-id":  # firmware's number comes first, where root may read one
            assert facts["machine.id"] == _expected(boot, "")
        assert "host-name" not in facts["machine.id-source"]
        assert [facts["machine.id"], facts["machine.id-source"]] == _host(*within)


@pytest.mark.needs("name-spaces")
@pytest.mark.parametrize("name", ["", "box"])
def test_the_user_s_own_name_of_the_machine_comes_first(
    engine: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv("RTSTONE_MACHINE", "node-7")
    within = _elsewhere(tmp_path, SECRET, name)
    facts = _facts(*within, str(engine), *_RUN)
    assert [facts["machine.id"], facts["machine.id-source"]] == [_expected("node-7", ""), "RTSTONE_MACHINE"]
    assert _host(*within) == [_expected("node-7", ""), "RTSTONE_MACHINE"]
    assert facts["machine.name"] == "node-7"


@pytest.mark.needs("name-spaces")
@pytest.mark.parametrize("content", ["", "uninitialized\n", "0" * 32, SECRET[:20]])
def test_a_bare_root_says_what_stands_for_its_id(engine: Path, tmp_path: Path, content: str) -> None:
    within = _elsewhere(tmp_path, content)
    facts = _facts(*within, str(engine), *_RUN)
    assert [facts["machine.id"], facts["machine.id-source"]] == _host(*within)
    assert len(facts["machine.id"]) == 32
    assert facts["machine.id"] != _expected(content.strip(), os.uname().nodename)
    assert "machine-id" not in facts["machine.id-source"]
    assert facts["machine.id-source"].endswith("host-name")


def test_the_id_is_the_same_without_privileges(engine: Path) -> None:
    assert _facts(str(engine), *_RUN)["machine.id"] == _facts("unshare", "-U", str(engine), *_RUN)["machine.id"]
