# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""A line of the bench: a named figure with its unit and its limit, and whether it is within it."""

from __future__ import annotations

import json
import math
import sys
from typing import Literal

import msgspec

Limit = float | tuple[float, float] | None
"""The most that the value may be, or an interval that must contain the whole interval.

None: no limit.
"""

Verdict = Literal["pass", "short", "shown", "absent", "failed"]


class Line(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One figure. Without a ``value``, ``failed`` or ``absent`` has the reason."""

    name: str
    value: float | None
    unit: str
    limit: Limit
    interval: tuple[float, float] | None = None
    """95 %, of the value."""
    failed: str = ""
    absent: str = ""
    """The feature that this machine's kernel lacks: the figure exists on other machines only."""
    detail: dict[str, object] = {}
    """Further facts that the reader needs to judge the figure."""

    @property
    def verdict(self) -> Verdict:
        """Whether the figure is within its limit; ``failed`` if there is no figure. A figure that has a limit is never ``absent``."""
        if self.absent and self.value is None and self.limit is None and not self.failed:
            return "absent"
        if self.failed or self.value is None or not math.isfinite(self.value):
            return "failed"
        if self.limit is None:
            return "shown"
        if isinstance(self.limit, tuple):
            if self.interval is None:
                return "short"  # nothing is known of how far the value may be off
            low, high = self.interval
            return "pass" if self.limit[0] <= low and high <= self.limit[1] else "short"
        return "pass" if self.value <= self.limit else "short"


def failure(name: str, why: str) -> Line:
    """A line that could not be measured."""
    return Line(name=name, value=None, unit="-", limit=None, failed=why)


def absent(name: str, what: str) -> Line:
    """A line without a limit that cannot be measured on this machine: its kernel lacks this."""
    return Line(name=name, value=None, unit="-", limit=None, absent=what)


_FIELDS = {"name", "value", "unit", "limit", "interval", "failed", "absent", "detail"}


def read(text: str) -> Line:
    """A line from the JSON object that a part printed; unknown keys go to ``detail``.

    Raises ValueError for any other text.
    """
    found = json.loads(text)
    if not isinstance(found, dict):
        raise ValueError("not a JSON object")
    own = {key: value for key, value in found.items() if key not in _FIELDS}
    known = {key: value for key, value in found.items() if key in _FIELDS}
    known["detail"] = {**known.get("detail", {}), **own}
    return msgspec.convert(known, Line)


def tell(line: Line) -> None:
    """Print it as JSON, at once."""
    sys.stdout.buffer.write(msgspec.json.encode(line) + b"\n")
    sys.stdout.buffer.flush()


def number(value: float) -> str:
    """Four significant figures."""
    return f"{value:.0f}" if abs(value) >= 1000 or value == int(value) else f"{value:.4g}"


def text(line: Line) -> str:
    """``name value unit limit verdict``, then in brackets what belongs to it."""
    value = "-" if line.value is None else number(line.value)
    match line.limit:
        case None:
            limit = "-"
        case (low, high):
            limit = f"{number(low)}..{number(high)}"
        case most:
            limit = f"<={number(most)}"
    more = [f"95 % interval {number(line.interval[0])}..{number(line.interval[1])}"] if line.interval else []
    more += [f"{key} {_plain(value)}" for key, value in line.detail.items()]
    more += [why for why in (line.failed, line.absent) if why]
    head = f"{line.name:<34} {value:>9} {line.unit:<8} {limit:<9} {line.verdict:<6}"
    return f"{head} ({'; '.join(more)})" if more else head.rstrip()


def _plain(value: object) -> str:
    if isinstance(value, float):
        return number(value)
    if isinstance(value, list):
        return ", ".join(_plain(one) for one in value)
    return str(value)
