# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""How the guest's first program reads the kernel's command line, compiled for this machine and with sanitizers."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rtstone.targets import boards
from rtstone.targets._hub import words

Parse = Callable[[str], str]


@pytest.fixture(scope="module")
def parse(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Parse:
    """Returns ``records|probe|slaves|wrong|module(parameters)|…``, with ``-`` for an option that is not given."""
    program = tmp_path_factory.mktemp("guest") / "command_line"
    sources = (root / "boards" / "guest" / "command_line.c", root / "tests" / "support" / "guest_command_line.c")
    flags = (
        "-std=c11",
        "-D_GNU_SOURCE",
        "-g",
        "-Wall",
        "-Wextra",
        "-Wconversion",
        "-Werror",
        "-fsanitize=address,undefined",
    )
    subprocess.run(["gcc", *flags, f"-I{sources[0].parent}", *sources, "-o", program], check=True)

    def run(line: str) -> str:
        done = subprocess.run([program], input=f"{line}\n", capture_output=True, text=True, check=True)
        assert done.stderr == ""
        return done.stdout.rstrip("\n")

    return run


@pytest.mark.parametrize(
    ("line", "understood"),
    [
        ("", "-|-|-|-"),
        ("console=ttyS0 quiet panic=-1", "-|-|-|-"),
        ("quiet rtstone.records=/dev/ttyS1 rtstone.probe=/dev/rtstone-probe", "/dev/ttyS1|/dev/rtstone-probe|-|-"),
        ("rtstone.records=/dev/a rtstone.records=/dev/b", "/dev/b|-|-|-"),
        ("rtstone.module=uio", "-|-|-|-|uio()"),
        ("rtstone.stop=0000:00:0a.0", "-|-|-|-|stops at 0000:00:0a.0"),
        ("rtstone.module=p:source=arm-timer", "-|-|-|-|p(source=arm-timer)"),
        ("rtstone.module=p:source=edu,line=0000:00:02.0", "-|-|-|-|p(source=edu line=0000:00:02.0)"),
        ("rtstone.module=p:", "-|-|-|-|p()"),
        ("rtstone.module=a  rtstone.module=b:x=1,,y=2", "-|-|-|-|a()|b(x=1  y=2)"),
        ("rtstone.module=", "-|-|-|rtstone.module="),
        ("rtstone.module=:source=edu", "-|-|-|rtstone.module=:source=edu"),
        ("rtstone.records= rtstone.probe=/dev/p", "-|/dev/p|-|rtstone.records="),
        ("rtstone.network=eth0,eth1,/dev/ttyS2", "-|-|-|-"),
        ("rtstone.vme-slaves=a24/100000", "-|-|a24/100000|-"),
        ("rtstone.vme-slaves=", "-|-|-|rtstone.vme-slaves="),
        ("rtstone.driver=0000:00:09.0,hilscher", "-|-|-|-|0000:00:09.0 to hilscher"),
        ("rtstone.driver=hilscher", "-|-|-|rtstone.driver=hilscher"),
        ("rtstone.driver=,hilscher", "-|-|-|rtstone.driver=,hilscher"),
        ("rtstone.driver=0000:00:09.0,", "-|-|-|rtstone.driver=0000:00:09.0,"),
        ("rtstone.wire=eth0,192.0.2.1 rtstone.peer=192.0.2.2", "-|-|-|-|at eth0,192.0.2.1 to 192.0.2.2 for -"),
        ("rtstone.serve=192.0.2.2 rtstone.wire=eth0,192.0.2.2", "-|-|-|-|at eth0,192.0.2.2 to - for 192.0.2.2"),
        ("rtstone.outside=eth0,192.0.2.1,5064", "-|-|-|-|outside by eth0,192.0.2.1,5064"),
        ("rtstone.outside=", "-|-|-|rtstone.outside="),
        ("rtstone.wire= rtstone.peer=", "-|-|-|rtstone.wire="),
        ("rtstone.recrods=/dev/ttyS1 rtstone.x", "-|-|-|rtstone.recrods=/dev/ttyS1"),
        (
            " ".join(f"rtstone.module=m{n}" for n in range(9)),
            "-|-|-|rtstone.module=m8" + "".join(f"|m{n}()" for n in range(8)),
        ),
    ],
)
def test_takes_a_command_line_apart(parse: Parse, line: str, understood: str) -> None:
    """An unknown option of ours is named, not passed over: a run without its probe measures something else."""
    assert parse(line) == understood


@given(line=st.text(alphabet="rtstone.mdulcpb=:, /-", max_size=200))
def test_is_at_ease_with_anything(parse: Parse, line: str) -> None:
    """The sanitizers find nothing, and the values found are those given."""
    records, probe, slaves = parse(line).split("|")[:3]
    words = line.split()
    for value, name in ((records, "records"), (probe, "probe"), (slaves, "vme-slaves")):
        given_words = [word for word in words if word.startswith(f"rtstone.{name}=") and not word.endswith("=")]
        if value == "-":
            assert not [word for word in given_words if word != f"rtstone.{name}=-"]
        else:
            assert f"rtstone.{name}={value}" in words


def test_understands_all_that_boards_say(parse: Parse) -> None:
    """board.toml and this program agree on every word."""
    lines = 0
    for board in map(boards.load, boards.names()):
        arguments = board.emulator.kinds.get("linux", ())
        for kernel in board.offered:
            if kernel.kind == "linux":
                own = " ".join([kernel.append, *(f"rtstone.module={module}" for module in kernel.modules)])
                ends = [words(board.hub, far=far) for far in (False, True)] if board.hub is not None else [""]
                for end in ends:
                    append = next(text for text in arguments if "rtstone." in text).replace("{append}", f"{own} {end}")
                    records, probe, slaves, wrong, *rest = parse(append).split("|")
                    modules = [part for part in rest if part.endswith(")")]
                    drivers = [part.rpartition(" to ")[2] for part in rest if part.endswith(" to hilscher")]
                    assert records.startswith("/dev/tty")
                    assert wrong == "-"
                    assert probe == ("/dev/rtstone-probe" if any("probe" in module for module in modules) else "-")
                    assert (slaves != "-") == ("vme_fake" in kernel.modules)
                    assert len(modules) == len(kernel.modules)
                    assert drivers == (["hilscher"] if "uio_cif" in kernel.modules else [])
                    assert any(part.startswith("at ") for part in rest) == (board.hub is not None)
                    lines += 1
    assert lines >= 11
