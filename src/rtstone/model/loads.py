# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""A load as named in plans and results:
one or several joined by `+`, each optionally with its own intensity after a colon."""

from __future__ import annotations

import re

_ONE = re.compile(r"([^:+]+)(?::([0-9]+))?")


def load_parts(load: str, intensity: int = 1) -> dict[str, int]:
    """Names and intensities of the loads; `intensity` where a name has none.
    ValueError for an invalid name or one that is given twice.

    ``cpu:2+disk`` at 3 is 2 of ``cpu`` and 3 of ``disk``; ``none`` has no parts.
    """
    parts: dict[str, int] = {}
    for text in load.split("+") if load != "none" else ():
        match = _ONE.fullmatch(text)
        if match is None or match[1] in parts:
            raise ValueError(f"'{text}' in '{load}'")
        parts[match[1]] = int(match[2]) if match[2] else intensity
    return parts


def load_kind(load: str) -> str:
    """A load without its intensities: ``cpu+disk`` of ``cpu:2+disk``."""
    return re.sub(r":[0-9]+", "", load)
