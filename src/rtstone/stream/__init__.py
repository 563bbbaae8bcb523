# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Turns lines of a record stream into checked sessions (spec/record-stream.md). No input raises an error."""

from __future__ import annotations

from rtstone.stream._collector import Collector, Progress, collect
from rtstone.stream.framing import LineSplitter

__all__ = ["Collector", "LineSplitter", "Progress", "collect"]
