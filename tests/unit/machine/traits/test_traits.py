# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""`rtstone traits`: the papers' platforms as data, a made-up machine, and the command."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import jsonschema
import pytest
import typer
from typer.testing import CliRunner

from rtstone.cli.traits import register
from rtstone.errors import UsageError
from rtstone.machine.system import System
from rtstone.machine.traits import PROBES, memory_protection, probe, published
from rtstone.studies import reference
from support.schemas import schema

FILES = {
    "proc/version": "Linux version 6.1.0",
    "proc/sys/kernel/osrelease": "6.1.0-rt",
    "proc/sys/kernel/version": "#1 SMP PREEMPT_RT Debian",
    "proc/self/status": "CapEff:\t0000000000800000\n",
    "proc/filesystems": "nodev\tproc\n\text4\n\tvfat\n",
    "proc/net/protocols": "protocol size\nTCP 1 x\nUDP 1 x\nUNIX 1 x\n",
    "proc/modules": "",
    "proc/sys/kernel/modules_disabled": "1",
    "sys/devices/system/cpu/online": "0-3",
    "sys/class/net/lo/mtu": "65536",
    "sys/class/uio/uio0/name": "x",
    "sys/kernel/btf/vmlinux": "",
}


def _machine(root: Path, **changes: str | None) -> Path:
    for name, text in {**FILES, **{key.replace("__", "/"): value for key, value in changes.items()}}.items():
        if text is not None:
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
    return root


def test_every_platform_is_of_a_paper_and_says_something() -> None:
    traits, platforms = published()
    assert {platform.study for platform in platforms} == {paper.study for paper in reference.papers()}
    assert all(platform.traits for platform in platforms)
    names = [(platform.study, platform.name) for platform in platforms]
    assert len(names) == len(set(names))
    assert {trait.id for trait in traits} == set(PROBES)


def test_a_made_up_machine(tmp_path: Path) -> None:
    seen = {trait: one.value for trait, one in probe(_machine(tmp_path)).items()}
    assert seen["licence"] == "GPL-2.0-only"
    assert seen["api"].startswith("system calls of Linux 6.1.0-rt")
    assert seen["priority"].endswith("this user may use them; kernel: PREEMPT_RT")
    assert seen["user-interrupts"] == "UIO, 1 device"
    assert seen["smp"] == "yes; CPUs on line: 0-3"
    assert seen["file-systems"] == "ext4, vfat"
    assert seen["network"] == "TCP, UDP; interfaces: lo"
    assert seen["loading"] == "kernel modules, switched off; shared libraries"
    assert seen["debugger"].endswith("kernel: BPF with types")


def test_what_cannot_be_seen_is_left_out(tmp_path: Path) -> None:
    seen = probe(tmp_path)
    assert not {"licence", "api", "smp", "file-systems", "network"} & seen.keys()
    assert seen["user-interrupts"].value.startswith("timers by signal only")


def test_memory_protection_is_tried_not_assumed() -> None:
    found = memory_protection(System())
    assert found is not None
    assert found.value == "yes"
    assert "was stopped" in found.means


def _app() -> typer.Typer:
    app = typer.Typer()
    app.callback()(lambda: None)
    register(app)
    return app


def test_the_command_prints_data() -> None:
    outcome = CliRunner().invoke(_app(), ["traits", "--json", "--study", "slac"])
    assert outcome.exit_code == 0
    document = json.loads(outcome.stdout)
    wanted = schema("traits")
    jsonschema.Draft202012Validator(wanted).validate(document)
    assert {platform["name"] for platform in document["platforms"]} == {"RTLinux 3.1", "RTEMS", "vxWorks"}
    text = CliRunner().invoke(_app(), ["traits", "--format", "csv", "--platform", "rtems"]).stdout
    rows = list(csv.DictReader(io.StringIO(text)))
    assert {row["platform"] for row in rows} == {"RTEMS", "RTEMS 4.6", "this machine"}


def test_the_command_prints_tables_and_where_it_looked() -> None:
    outcome = CliRunner().invoke(_app(), ["traits", "--means"])
    assert outcome.exit_code == 0
    assert "pSOS+" in outcome.stdout
    assert "sysconf" in outcome.stdout


@pytest.mark.parametrize("words", [["--study", "nasa"], ["--platform", "qnx"], ["--format", "xml"]])
def test_bad_input_is_told(words: list[str]) -> None:
    outcome = CliRunner().invoke(_app(), ["traits", *words])
    assert isinstance(outcome.exception, UsageError)
    assert words[1] in str(outcome.exception)
