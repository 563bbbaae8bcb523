# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Targets: the things that rtstone can measure. Turns a specification (``kind`` or ``kind:rest``) into a target."""

from __future__ import annotations

from rtstone.targets._specification import (
    capabilities,
    expand,
    forms,
    is_pattern,
    kinds,
    left_out,
    matching,
    not_installed,
    open_target,
)
from rtstone.targets.protocol import Around, Capabilities, LookedAt, Target

__all__ = [
    "Around",
    "Capabilities",
    "LookedAt",
    "Target",
    "capabilities",
    "expand",
    "forms",
    "is_pattern",
    "kinds",
    "left_out",
    "matching",
    "not_installed",
    "open_target",
]
