# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The RAM disk: a cpio archive in the form that Linux unpacks. Equal content gives equal bytes."""

from __future__ import annotations

import stat
from collections.abc import Mapping

_MAGIC = b"070701"
_TRAILER = "TRAILER!!!"


def archive(
    files: Mapping[str, bytes],
    *,
    executable: frozenset[str] = frozenset(),
    folders: tuple[str, ...] = (),
    symlinks: Mapping[str, str] | None = None,
) -> bytes:
    """Return an archive of `folders`, then `files` by path, in the "newc" form (Linux, driver-api/early-userspace/buffer-format).

    `symlinks`: symbolic links and their targets, which follow the folders.

    All entries belong to root and have the same time, so that the archive does not depend on the building machine.
    """
    out = bytearray()
    entries: list[tuple[str, int, bytes]] = [(name, stat.S_IFDIR | 0o755, b"") for name in folders]
    entries += [(name, stat.S_IFLNK | 0o777, target.encode()) for name, target in sorted((symlinks or {}).items())]
    entries += [(name, stat.S_IFREG | (0o755 if name in executable else 0o644), files[name]) for name in sorted(files)]
    for number, (name, mode, content) in enumerate([*entries, (_TRAILER, 0, b"")], start=1):
        path = name.encode() + b"\0"
        links = 2 if stat.S_ISDIR(mode) else 1
        fields = (number, mode, 0, 0, links, 0, len(content), 0, 0, 0, 0, len(path), 0)
        out += _MAGIC + b"".join(b"%08x" % field for field in fields) + path
        out += bytes(-len(out) % 4)
        out += content
        out += bytes(-len(out) % 4)
    return bytes(out)
