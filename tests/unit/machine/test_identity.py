# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The id of a machine by its signs: the cases of linux/tests/test_identity.c, and how files become signs."""

from __future__ import annotations

from pathlib import Path

import pytest

from rtstone.machine import identity as rules
from rtstone.machine.identity import Signs, hashed, identity, made
from rtstone.machine.system import System

ONE, OTHER = "0123456789abcdef" * 2, "f" * 32


@pytest.mark.parametrize(
    ("signs", "key", "name", "serial", "source"),
    [
        (Signs(machine_id=ONE, host="one", own_name=True), ONE, "one", "", "machine-id, host-name"),
        (
            Signs(machine_id=ONE, machine_id_mounted=True, host="one", own_name=True, inside=True),
            *(ONE, "one", "", "machine-id, host-name"),
        ),
        (Signs(machine_id=ONE, machine_id_mounted=True, host="a", inside=True), ONE, "", "", "machine-id"),
        (
            Signs(stated="node-7", machine_id=ONE, host="a", serial="1", inside=True),
            *("node-7", "", "", "RTSTONE_MACHINE"),
        ),
        (Signs(machine_id=ONE, host="box", inside=True, boot_id=OTHER, cpu_model="x"), OTHER, "", "", "boot-id"),
        (Signs(host="box", inside=True, serial="1", boot_id=ONE), "", "", "1", "board-serial"),
        (Signs(host="box", inside=True, product_uuid=ONE, boot_id=OTHER), ONE, "", "", "product-uuid"),
        (Signs(host="bare", own_name=True, cpu_model="x", boot_id=ONE), "x", "bare", "", "cpu-model, host-name"),
        (Signs(host="bare", own_name=True, cpu_model="x", serial="1"), "", "bare", "1", "host-name, board-serial"),
        (Signs(host="bare", product_uuid=ONE, cpu_model="x"), ONE, "bare", "", "product-uuid, host-name"),
        (Signs(machine_id=ONE, host="pi", serial="7"), ONE, "pi", "7", "machine-id, host-name, board-serial"),
    ],
)
def test_each_sign_counts_as_in_the_engine(signs: Signs, key: str, name: str, serial: str, source: str) -> None:
    assert made(signs) == (hashed(key, name, serial), source)


def test_the_name_of_a_container_alone_is_no_identity() -> None:
    assert made(Signs(machine_id=ONE, host="box", inside=True, cpu_model="x")) == ("", "nothing")


def _system(root: Path, files: dict[str, str]) -> System:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return System(root)


@pytest.mark.parametrize(
    ("files", "source"),
    [
        ({"sys/class/dmi/id/product_uuid": f"{ONE}\n"}, "product-uuid, host-name"),
        ({"sys/class/dmi/id/product_uuid": "00000000-0000-0000-0000-000000000000\n"}, "host-name"),
        ({"sys/class/dmi/id/product_uuid": "FFFFFFFF-FFFF-FFFF\n"}, "host-name"),
        ({"sys/class/dmi/id/product_uuid": "To Be Filled By O.E.M.\n"}, "host-name"),
        ({"proc/device-tree/serial-number": "10000000abcd\0"}, "host-name, board-serial"),
        ({"proc/cpuinfo": "processor\t: 0\nmodel name\t: Some CPU\n"}, "cpu-model, host-name"),
        ({"proc/cpuinfo": "processor\t: 0\nmodel name\t: Some CPU\nSerial\t\t: 10ab\n"}, "host-name, board-serial"),
        ({"etc/machine-id": "uninitialized\n", "proc/cpuinfo": "model name\t: Some CPU\n"}, "cpu-model, host-name"),
        ({"etc/machine-id": f"{ONE}\n"}, "machine-id, host-name"),
    ],
)
def test_a_bare_host_is_known_by_what_its_files_say(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, files: dict[str, str], source: str
) -> None:
    monkeypatch.setattr(rules, "_first", lambda _: True)
    assert identity(_system(tmp_path, files), "bare")[1] == source
