# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The folder of a kernel in the cache, whatever it came from: its image, and what modules are built against.

``image``, ``config`` and ``modules/``; then ``debs/``, headers as Debian packs them, or ``tree/``, those of a kernel built here.
"""

from __future__ import annotations

from pathlib import Path

import msgspec

from rtstone.errors import InfrastructureError

FACTS = "facts.json"


class Packaged(msgspec.Struct, frozen=True, kw_only=True):
    """What the folder of a kernel holds; stored in it."""

    package: str
    version: str
    release: str
    """As ``uname -r`` will say."""
    architecture: str
    built: str = ""
    """Of a kernel built here: its configuration and compiler."""


def write(folder: Path, facts: Packaged) -> None:
    """Say what a folder holds."""
    (folder / FACTS).write_bytes(msgspec.json.encode(facts))


def read(folder: Path) -> Packaged:
    """Return what a folder holds. InfrastructureError when it does not say."""
    try:
        return msgspec.json.decode((folder / FACTS).read_bytes(), type=Packaged)
    except (OSError, msgspec.MsgspecError) as error:
        raise InfrastructureError(f"{folder} is damaged ({error}): delete it, and it is fetched again") from error
