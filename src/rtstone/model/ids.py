# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Names of runs. They sort by time, 80 random bits make them unique, and the first of these bits make a short name."""

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
    """The random part of an id: 20 hex digits, 4 in ids of older releases; empty in an id from another program."""
    match = _ID.fullmatch(run_id)
    return match[1] if match else ""


def short_id(run_id: str) -> str:
    """A run's short name: eight digits of its random part. An id with fewer is returned whole."""
    part = random_part(run_id)
    return part[:SHORT] if len(part) > SHORT else run_id
