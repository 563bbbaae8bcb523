# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The folder of a kernel in the cache, the same for every source of kernels: the image, and the files to build modules
against.

It has ``image``, ``config`` and ``modules/``, and either ``debs/``, Debian's packages of headers, or ``tree/``, the
headers of a kernel built here.
"""

from __future__ import annotations

from pathlib import Path

import msgspec

from rtstone.errors import InfrastructureError

FACTS = "facts.json"


class Packaged(msgspec.Struct, frozen=True, kw_only=True):
    """Facts about the kernel in a folder, stored there."""

    package: str
    version: str
    release: str
    """The release that ``uname -r`` prints."""
    architecture: str
    built: str = ""
    """Configuration and compiler of a kernel built here; empty for any other."""


def write(folder: Path, facts: Packaged) -> None:
    """Store the facts in a kernel's folder."""
    (folder / FACTS).write_bytes(msgspec.json.encode(facts))


def read(folder: Path) -> Packaged:
    """Return the facts of a kernel's folder. InfrastructureError when they cannot be read."""
    try:
        return msgspec.json.decode((folder / FACTS).read_bytes(), type=Packaged)
    except (OSError, msgspec.MsgspecError) as error:
        raise InfrastructureError(f"{folder} is damaged ({error}): delete it, and it is fetched again") from error
