# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Control groups of both versions, as a container or a service sees them."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import pytest

from rtstone.machine.groups import ControlGroup, groups
from rtstone.machine.system import System

V2 = "30 22 0:26 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n"
V1 = (
    "31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw\n"
    "32 31 0:29 {root} /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n"
    "35 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n"
)


def machine(root: Path, files: dict[str, str]) -> System:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return System(root)


def test_version_2_lists_the_group_and_all_above_it(tmp_path: Path) -> None:
    system = machine(tmp_path, {"proc/self/cgroup": "0::/kubepods/pod7/box\n", "proc/self/mountinfo": V2})
    folders = [group.folder.removeprefix("/sys/fs/cgroup") for group in groups(system, "cpu")]
    assert folders == ["/kubepods/pod7/box", "/kubepods/pod7", "/kubepods", ""]


@pytest.mark.parametrize(
    ("root", "path", "folders"),
    [
        ("/", "/machine/box", ["/machine/box", "/machine", ""]),
        ("/machine/box", "/machine/box", [""]),  # what a container engine mounts
        ("/machine", "/machine/box", ["/box", ""]),
        ("/", "/../elsewhere", [""]),
        ("/mach", "/machine/box", [""]),
    ],
)
def test_version_1_is_found_whatever_part_of_it_is_mounted(
    tmp_path: Path, root: str, path: str, folders: list[str]
) -> None:
    files = {"proc/self/cgroup": f"4:cpuacct,cpu:{path}\n0::/\n", "proc/self/mountinfo": V1.format(root=root)}
    found = groups(machine(tmp_path, files), "cpu")
    assert [group.folder.removeprefix("/sys/fs/cgroup/cpu") for group in found] == folders
    assert {group.version for group in found} == {1}


@pytest.mark.parametrize(
    ("files", "version"),
    [
        ({"g/cpu.max": "50000 100000", "g/cpu.stat": "nr_periods 236\nnr_throttled 135\nthrottled_usec 6700000"}, 2),
        (
            {
                "g/cpu.cfs_quota_us": "50000",
                "g/cpu.cfs_period_us": "100000",
                "g/cpu.stat": "nr_periods 236\nnr_throttled 135\nthrottled_time 6700000000",
            },
            1,
        ),
    ],
)
def test_a_quota_and_its_stops_are_read_alike(tmp_path: Path, files: dict[str, str], version: int) -> None:
    system = machine(tmp_path, files)
    group = ControlGroup("/g", 2 if version == 2 else 1)
    assert group.quota(system) == 0.5
    assert group.stops(system) == (236, 135, 6.7)


@pytest.mark.parametrize("text", ["max 100000", "", "nonsense", "1 0", "-1 100000"])
def test_what_is_no_quota_limits_nothing(tmp_path: Path, text: str) -> None:
    assert ControlGroup("/g", 2).quota(machine(tmp_path, {"g/cpu.max": text})) is None


def test_a_machine_without_control_groups_has_none(tmp_path: Path) -> None:
    assert groups(System(tmp_path), "cpu") == ()


@pytest.mark.parametrize(
    ("files", "version", "limit"),
    [
        ({"g/memory.max": "62914560", "g/memory.events": "low 0\noom 2\noom_kill 3\noom_group_kill 0"}, 2, 60 << 20),
        ({"g/memory.max": "max", "g/memory.events": "oom_kill 3"}, 2, None),
        (
            {"g/memory.limit_in_bytes": "62914560", "g/memory.oom_control": "oom_kill_disable 0\noom_kill 3"},
            1,
            60 << 20,
        ),
        ({"g/memory.limit_in_bytes": "9223372036854771712", "g/memory.oom_control": "oom_kill 3"}, 1, None),
    ],
)
def test_a_memory_limit_and_its_kills_are_read(
    tmp_path: Path, files: dict[str, str], version: Literal[1, 2], limit: int | None
) -> None:
    group = ControlGroup("/g", version)
    system = machine(tmp_path, files)
    assert (group.memory(system), group.kills(system)) == (limit, 3)


def test_a_group_that_tells_nothing_has_no_memory_limit(tmp_path: Path) -> None:
    group = ControlGroup("/g", 2)
    assert (group.memory(System(tmp_path)), group.kills(System(tmp_path))) == (None, 0)
