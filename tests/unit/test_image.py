# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The Containerfile: the capabilities of the engine's file, the user, the first process, and versions that are tested."""

from __future__ import annotations

import json
import re
import struct
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "Containerfile").read_text(encoding="utf-8")
NUMBERS = {"SYS_NICE": 23, "IPC_LOCK": 14, "BPF": 39, "PERFMON": 38}
"""Of linux/capability.h."""


def test_the_engine_s_file_permits_four_capabilities_and_has_none_effective() -> None:
    (call,) = re.findall(r"low, high = ([^;]+); .*struct\.pack\(\"<IIIII\", (0x[0-9a-f]+), low, 0, high, 0\)", TEXT)
    low, high = (sum(1 << int(bit) for bit in re.findall(r"1 << (\d+)", part)) for part in call[0].split(","))
    assert low | high << 32 == sum(1 << number for number in NUMBERS.values())
    magic = struct.unpack("<I", struct.pack("<I", int(call[1], 16)))[0]
    assert (
        magic == 0x02000000
    )  # version 2 (linux/capability.h); its lowest bit would be `e`, with which nothing starts where they are lacking


def test_the_first_process_reaps_and_the_user_is_not_root() -> None:
    entry = json.loads(re.findall(r"^ENTRYPOINT (.*)$", TEXT, re.MULTILINE)[-1])
    assert entry == ["/usr/bin/tini", "--", "rtstone"]
    (user,) = re.findall(r"^USER (\d+):\d+$", TEXT, re.MULTILINE)
    assert int(user) >= 1000
    last = TEXT.rpartition("\nFROM ")[2]
    assert (
        re.findall(r"^\s*RUN apt-get .*install .*$", last, re.MULTILINE)[0]
        .split("recommends ")[1]
        .startswith("python3 tini stress-ng")
    )


def test_both_stages_are_of_the_one_base_that_can_be_set() -> None:
    assert re.findall(r"^ARG BASE=(.*)$", TEXT, re.MULTILINE) == ["docker.io/library/debian:bookworm-slim"]
    assert re.findall(r"^FROM (\S+)", TEXT, re.MULTILINE) == ["${BASE}", "${BASE}"]


def test_the_image_has_the_versions_that_are_tested() -> None:
    def versions(name: str) -> dict[str, str]:
        lines = (ROOT / "requirements" / f"{name}.txt").read_text(encoding="utf-8")
        return dict(re.findall(r"^([a-z0-9.-]+==[^ ;]+)(.*)$", lines, re.MULTILINE))

    tested = versions("run") | versions("test")
    assert {one for one in versions("image") if one not in tested} == set()
