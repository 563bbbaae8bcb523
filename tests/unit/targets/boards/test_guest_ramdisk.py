# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The RAM disk, read back by a reader of our own that follows the format's description."""

from __future__ import annotations

import stat
from typing import NamedTuple

from hypothesis import given
from hypothesis import strategies as st

from rtstone.targets.boards.guest._ramdisk import archive

HEADER = 110
FIELDS = 13


class _Entry(NamedTuple):
    number: int
    mode: int
    owner: tuple[int, int]
    links: int
    mtime: int
    content: bytes


def _read(data: bytes) -> dict[str, _Entry]:
    """Everything up to the trailer, which must be the end (Linux, driver-api/early-userspace/buffer-format)."""
    found: dict[str, _Entry] = {}
    at = 0
    while True:
        assert data[at : at + 6] == b"070701"
        field = [int(data[at + 6 + 8 * n : at + 14 + 8 * n], 16) for n in range(FIELDS)]
        number, mode, uid, gid, links, mtime, size = field[:7]
        length, check = field[11], field[12]
        assert check == 0
        name = data[at + HEADER : at + HEADER + length]
        assert name.endswith(b"\0")
        start = -(-(at + HEADER + length) // 4) * 4
        entry = _Entry(number, mode, (uid, gid), links, mtime, data[start : start + size])
        assert len(entry.content) == size
        at = -(-(start + size) // 4) * 4
        path = name[:-1].decode()
        if path == "TRAILER!!!":
            assert at == len(data)
            return found
        assert path not in found
        found[path] = entry


def test_holds_files_and_folders() -> None:
    """Folders come before what is in them; the kernel makes none by itself."""
    data = archive(
        {"modules/a.ko": b"module", "init": b"#!"}, executable=frozenset({"init"}), folders=("modules", "dev")
    )
    entries = _read(data)
    assert list(entries) == ["modules", "dev", "init", "modules/a.ko"]
    assert stat.S_ISDIR(entries["dev"].mode)
    assert stat.S_IMODE(entries["init"].mode) == 0o755
    assert stat.S_IMODE(entries["modules/a.ko"].mode) == 0o644
    assert entries["modules/a.ko"].content == b"module"
    assert len({entry.number for entry in entries.values()}) == len(entries)


def test_holds_symbolic_links() -> None:
    """A link comes before the files that are reached through it."""
    entries = _read(archive({"usr/bin/sh": b"#!"}, folders=("usr", "usr/bin"), symlinks={"bin": "usr/bin"}))
    assert list(entries) == ["usr", "usr/bin", "bin", "usr/bin/sh"]
    assert (entries["bin"].mode, entries["bin"].content) == (stat.S_IFLNK | 0o777, b"usr/bin")


def test_two_archives_stand_one_after_the_other() -> None:
    """The plan comes in one of its own: each is whole words long, so that the next begins where the kernel looks for it."""
    first, second = archive({"a": b"1"}), archive({"plan": b"12345"})
    assert len(first) % 4 == 0
    assert (first + second)[len(first) :] == second


NAMES = st.text(alphabet="abc/._-", min_size=1, max_size=12)


@given(st.dictionaries(NAMES, st.binary(max_size=40)))
def test_gives_back_what_went_in(files: dict[str, bytes]) -> None:
    """The archive has no facts of this machine: all files are root's and of one time.

    The order of the files does not matter.
    """
    data = archive(files)
    entries = _read(data)
    assert {name: entry.content for name, entry in entries.items()} == files
    assert all(entry.owner == (0, 0) and entry.mtime == 0 for entry in entries.values())
    assert archive(dict(reversed(files.items()))) == data
