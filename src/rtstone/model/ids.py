# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Names of runs: sorted by time as they stand, told apart by 80 random bits, and called by the first of these."""

from __future__ import annotations

import re
import secrets
from datetime import UTC, datetime

SHORT = 8
"""Digits of the short form."""

_ID = re.compile(r"[0-9]{8}T[0-9]{6}-([0-9a-f]{20}|[0-9a-f]{4})", re.ASCII)


def new_id(when: datetime) -> str:
    """A run's id, such as ``20261121T203000-7f3a9c21d4e86b05a1c7`` (UTC)."""
    return f"{when.astimezone(UTC):%Y%m%dT%H%M%S}-{secrets.token_hex(10)}"


def random_part(run_id: str) -> str:
    """What of an id is drawn: 20 hex digits, 4 in those of older releases; empty in an id that somebody else made."""
    match = _ID.fullmatch(run_id)
    return match[1] if match else ""


def short_id(run_id: str) -> str:
    """What a run is called where there is little room: eight digits of its random part. An id without so many is given whole."""
    part = random_part(run_id)
    return part[:SHORT] if len(part) > SHORT else run_id
