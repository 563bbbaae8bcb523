# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""What a check says."""

from __future__ import annotations

from typing import Literal

import msgspec

Level = Literal["ok", "note", "warning", "problem"]
"""ok; worth knowing; makes figures worse or noisier; makes a run degraded or impossible."""


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that was looked at."""

    check: str
    """Its id, as in --json."""
    level: Level
    found: str
    meaning: str = ""
    """What it does to a measurement; empty where all is well."""
    remedy: str = ""
    """The command that mends it; empty where nothing needs to be, or nothing can be done from here."""
