# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Traits of platforms: what the papers say of theirs, and what this machine shows when it is looked at. No opinions."""

from __future__ import annotations

from rtstone.machine.traits._published import Platform, Trait, published
from rtstone.machine.traits.probes import Seen, probe

__all__ = ["Platform", "Seen", "Trait", "probe", "published"]
