# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Lines of a record stream come in, checked sessions go out (spec/record-stream.md). No input makes it raise."""

from __future__ import annotations

from rtstone.stream._collector import Collector, collect
from rtstone.stream._progress import Progress
from rtstone.stream.framing import LineSplitter

__all__ = ["Collector", "LineSplitter", "Progress", "collect"]
