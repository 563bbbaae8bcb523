# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Appends a device tree to a 32-bit Arm kernel's image, where the kernel finds it: the tree of the kernel's own build,
and the nodes that the board adds."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path

from rtstone.errors import InfrastructureError
from rtstone.targets.boards._model import DeviceTree
from rtstone.targets.boards.firmware import sources_root
from rtstone.targets.boards.guest._tools import run


def appended(image: bytes, wanted: DeviceTree | None, find: Callable[[str], Iterable[Path]]) -> bytes:
    """Return the image with the device tree that the board needs and the board's nodes in it; the image alone if the
    board needs none. `find` returns the files of a name.

    InfrastructureError when there is no such file, or the nodes do not fit.
    """
    if wanted is None:
        return image
    found = sorted(find(wanted.file))
    if not found:
        raise InfrastructureError(
            f"the device tree {wanted.file} is neither in the kernel's build nor beside its image"
        )
    with tempfile.TemporaryDirectory() as draft:
        nodes, tree = Path(draft) / "nodes.dtbo", Path(draft) / "tree.dtb"
        run(["dtc", "-q", "-O", "dtb", "-o", str(nodes), str(_source(wanted))], f"{wanted.nodes} cannot be compiled")
        run(
            ["fdtoverlay", "-i", str(found[0]), "-o", str(tree), str(nodes)],
            f"{wanted.nodes} cannot be added to {wanted.file}",
        )
        return image + tree.read_bytes()


def key(wanted: DeviceTree) -> str:
    """The file's name and 16 hex digits of the added nodes: a part of the name of the kernel's folder in the cache."""
    return f"{Path(wanted.file).stem}-{hashlib.sha256(_source(wanted).read_bytes()).hexdigest()[:16]}"


def _source(wanted: DeviceTree) -> Path:
    return sources_root() / "boards" / "guest" / wanted.nodes
