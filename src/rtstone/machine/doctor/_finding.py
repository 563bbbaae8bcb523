# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Defines the result of one check of a machine."""

from __future__ import annotations

from typing import Literal

import msgspec

Level = Literal["ok", "note", "warning", "problem"]
"""In order: no fault; worth knowing; makes figures worse or noisier; makes a run degraded or impossible."""


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """The result of one check of a machine, with its effect on a measurement and the command that fixes it."""

    check: str
    """The check's id, as in --json."""
    level: Level
    found: str
    meaning: str = ""
    """The effect on a measurement; empty if there is no fault."""
    remedy: str = ""
    """The command that fixes the fault; empty if there is no fault, or it cannot be fixed from here."""
