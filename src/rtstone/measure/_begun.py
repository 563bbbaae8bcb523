# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Remembers the runs that this user's last command began, for `run --resume last`,
even if nothing of them could be saved."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from rtstone.config import base_folder


def note(where: str | None, runs: Sequence[str]) -> None:
    """Remember the ids of the runs that begin now, to be saved in this archive; None: nowhere.
    Does nothing if the file is unwritable."""
    with suppress(OSError):
        place = _place(where)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text("\n".join(runs), encoding="utf-8")


def last(where: str | None) -> tuple[str, ...]:
    """The ids of the runs of this archive that began last; empty where none are remembered."""
    with suppress(OSError, UnicodeDecodeError):
        return tuple(_place(where).read_text(encoding="utf-8").split())
    return ()


def unsaved_since(where: str | None) -> str:
    """The id of a run that was not to be saved, if it began after the last one of this archive; empty: no such run."""
    with suppress(OSError, UnicodeDecodeError):
        place, began = _place(None), _place(where)
        if not began.exists() or place.stat().st_mtime_ns >= began.stat().st_mtime_ns:
            return (place.read_text(encoding="utf-8").split() or [""])[-1]
    return ""


def _place(where: str | None) -> Path:
    from rtstone.archive import open_archive

    of = "unsaved" if where is None else hashlib.sha256(str(open_archive(where).location).encode()).hexdigest()[:16]
    return base_folder("XDG_STATE_HOME", ".local/state") / "rtstone" / "begun" / of
