# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Values of options that depend on no target: words, numbers, times, shares, addresses. Wrong ones are refused."""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence

from rtstone.errors import UsageError, quoted, unknown
from rtstone.model.nodes import is_node
from rtstone.model.units import duration_ns, share_of_one

LARGEST = (1 << 32) - 1
"""Largest whole number of a plan, and longest period in ns (spec/plan.md)."""
_WAIT_MAX_NS = 30 * 86400e9


def words(given: Sequence[str] | None) -> tuple[str, ...]:
    """The names of a repeatable option that also takes comma lists, each once; empty if it was not given.

    Raises UsageError for one that was given without any name: that would mean all there are.
    """
    found = tuple(dict.fromkeys(part.strip() for item in given or () for part in item.split(",") if part.strip()))
    if any(not item.strip(" ,") for item in given or ()):
        raise UsageError("an empty word instead of a name; without the option its default applies")
    return found


def one_of(option: str, value: str | None, known: Sequence[str]) -> str | None:
    """A word of a closed list, if given. Raises UsageError."""
    if value is not None and value not in known:
        raise unknown(option.lstrip("-"), value, known)
    return value


def positive(option: str, value: int | None) -> int | None:
    """A count, if given. Raises UsageError for one that is not above 0."""
    if value is not None and not 1 <= value <= LARGEST:
        raise UsageError(f"{option} takes a whole number from 1 to {LARGEST}, not {value}")
    return value


def intensity(value: int | None) -> int:
    """Intensity of each load; 0 if not given. Raises UsageError."""
    return positive("--intensity", value) or 0


def time_ns(option: str, text: str) -> float:
    """A time in nanoseconds from `100us`. Raises UsageError."""
    value = duration_ns(text) or 0.0
    if not 1 <= value <= 1e15:
        raise UsageError(f"{option} takes a time with its unit (100us, 1ms), not '{quoted(text)}'")
    return value


def period_ns(text: str | None, option: str = "--period") -> int | None:
    """A period in nanoseconds from `250us`, `1ms`, `0.5 s`. Raises UsageError, also for a number without a unit."""
    if text is None:
        return None
    value = round(min(duration_ns(text) or 0.0, 1e18))
    if not 1 <= value <= LARGEST:
        raise UsageError(
            f"{option} takes a time with its unit, above 0 and up to 4.29 s (250us, 1ms), not '{quoted(text)}'"
        )
    return value


def trace_over(text: str | None) -> int:
    """A limit (ns) above which a sample's trail is kept, from `100us`; 0 if not given. Raises UsageError."""
    return period_ns(text, "--trace-over") or 0


def seconds(option: str, text: str, *, plain: str = "", zero: bool = False) -> float:
    """A time to wait, in seconds, from `30s`, `10min`, `2h`. Raises UsageError.

    `plain` is the unit of a number without one; `zero`: a time of 0 is allowed too.
    """
    value = duration_ns(text, plain=plain)
    if value is None or value > _WAIT_MAX_NS or not (value > 0 or zero):
        raise UsageError(f"{option} takes a time above 0 and up to 720h (30s, 10min, 2h), not '{quoted(text)}'")
    return value / 1e9


def share(option: str, text: str) -> float:
    """A share between 0 and 1 from `1e-6`, `95%`, `10ppm`. Raises UsageError."""
    value = share_of_one(text) or 0.0
    if not 0 < value < 1:
        raise UsageError(f"{option} takes a share between 0 and 1 (1e-6, 95%, 10ppm), not '{quoted(text)}'")
    return value


def percent(option: str, text: str, *, share_below: float = 0.0) -> float:
    """A share from `95%`. Raises UsageError.

    A number without a unit is a percentage; below `share_below` it is a share, as 0.95 is elsewhere.
    """
    alone = share_of_one(text)
    value = share_of_one(text, plain="%")
    if value is None or alone is None:
        raise UsageError(f"{option} takes a share with its unit (95%), not '{quoted(text)}'")
    return alone if alone < share_below else value


def rarity(option: str, text: str) -> float:
    """A rarity, once in this many samples: `1e6`, `1000`. Raises UsageError."""
    value = (share_of_one(text) or 0.0) if "%" not in text and "ppm" not in text else 0.0
    if not 1 < value < 1e15:
        raise UsageError(f"{option} takes a number of samples above 1 (1e6), not '{quoted(text)}'")
    return value


def node(option: str, text: str) -> str:
    """The name of a node, as `local@NODE` has it. Raises UsageError."""
    if not is_node(text):
        raise UsageError(f"{option}: '{text}' is no name of a node: letters, digits, '.', '_' and '-'")
    return text


def peer(text: str | None) -> str | None:
    """The other host of network measurements: an IPv4 address, with a port if it is not the usual one.
    Raises UsageError."""
    return text if text is None else address("--peer takes", text)


def address(what: str, text: str) -> str:
    """An IPv4 address, with or without a port. Raises UsageError."""
    host, colon, port = text.partition(":")
    try:
        ipaddress.IPv4Address(host)
        good = not colon or (port.isascii() and port.isdigit() and 0 < int(port) < 65536)
    except ValueError:
        good = False
    if not good:
        raise UsageError(f"{what} an IPv4 address, with or without a port (192.0.2.1:5741), not '{quoted(text)}'")
    return text
