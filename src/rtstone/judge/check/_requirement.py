# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Reads one requirement: `p99.99 < 80us`, `exceedance(100us) < 1e-6`, `loss = 0`."""

from __future__ import annotations

import math
import re
from typing import Literal

import msgspec

from rtstone.errors import UsageError
from rtstone.model.units import SHARES, TIMES_NS
from rtstone.stats import Statistic, statistic

Operator = Literal["<", "<=", ">", ">=", "="]

_LINE = re.compile(
    r"\s*(?P<subject>[a-z][a-z0-9.]*)\s*(?:\(\s*(?P<argument>[^()]*?)\s*\))?\s*(?P<operator><=|>=|<|>|=)\s*(?P<value>\S.*?)\s*",
    re.ASCII,
)
_VALUE = re.compile(r"(?P<number>[+-]?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)\s*(?P<unit>\S*)")
_TIMES = "ns, us, µs, ms, s"


class Requirement(msgspec.Struct, frozen=True, kw_only=True):
    """A figure that must lie on one side of a limit."""

    text: str
    subject: Literal["statistic", "exceedance", "loss"]
    operator: Operator
    limit: float
    """ns for a statistic, a share for an exceedance, a number of samples for a loss."""
    statistic: Statistic | None = None
    above_ns: float = 0.0
    """For an exceedance: the time (ns) above which samples are counted."""

    @property
    def upper(self) -> bool:
        """Whether the figure must stay below the limit."""
        return self.operator in ("<", "<=", "=")

    def keeps(self, value: float) -> bool:
        """Whether this value, in the unit of the limit, meets the requirement."""
        return {
            "<": value < self.limit,
            "<=": value <= self.limit,
            ">": value > self.limit,
            ">=": value >= self.limit,
            "=": value == self.limit,
        }[self.operator]


def requirement(text: str) -> Requirement:
    """Parse a requirement. Raises UsageError if the text is not one, or if it could never hold or never fail."""
    match = _LINE.fullmatch(text)
    if match is None:
        raise UsageError(
            f"'{text}' is no requirement; one is written like p99.9 < 80us, exceedance(100us) < 1e-6, loss = 0"
        )
    subject, argument, operator, value = match["subject"], match["argument"], match["operator"], match["value"]
    if subject == "exceedance":
        return _exceedance(text, argument, operator, value)
    if argument is not None:
        raise UsageError(f"'{text}': only exceedance takes an argument")
    if subject == "loss":
        return _loss(text, operator, value)
    try:
        wanted = statistic(subject)
    except ValueError as error:
        raise UsageError(f"'{text}': {error}, exceedance(TIME), loss") from None
    if operator == "=":
        raise UsageError(f"'{text}': no measured time equals another; write < or >")
    limit = time_ns(value, text)
    if wanted.kind == "sd" and operator in (">", ">="):
        raise UsageError(f"'{text}': a spread that must be large is no requirement")
    return Requirement(text=text, subject="statistic", operator=operator, limit=limit, statistic=wanted)  # type: ignore[arg-type]


def _exceedance(text: str, argument: str | None, operator: str, value: str) -> Requirement:
    if not argument:
        raise UsageError(f"'{text}': exceedance needs a limit. Write exceedance(100us) < 1e-6")
    if operator not in ("<", "<="):
        raise UsageError(f"'{text}': a share of samples beyond a limit is bounded from above, by <")
    above = time_ns(argument, text)
    number, unit = _number(value, text)
    if unit not in SHARES:
        raise UsageError(f"'{text}': a share of samples is a plain number, % or ppm, not '{unit}'")
    share = number * SHARES[unit]
    if not 0 < share < 1:
        raise UsageError(f"'{text}': a share lies between 0 and 1; for none at all write max <= {argument}")
    return Requirement(text=text, subject="exceedance", operator=operator, limit=share, above_ns=above)  # type: ignore[arg-type]


def _loss(text: str, operator: str, value: str) -> Requirement:
    number, unit = _number(value, text)
    if unit or number < 0 or number != int(number):
        raise UsageError(f"'{text}': a loss is a whole number of samples, not '{value}'")
    if operator in (">", ">=") or (operator == "<" and number == 0):
        raise UsageError(f"'{text}': no loss can be like that; write loss = 0 or loss <= 3")
    return Requirement(text=text, subject="loss", operator=operator, limit=number)  # type: ignore[arg-type]


def time_ns(value: str, text: str) -> float:
    """A time with its unit, in nanoseconds. Raises UsageError for another unit, none, or a time that is not above 0."""
    number, unit = _number(value, text)
    if not unit:
        raise UsageError(f"'{text}': {value} has no unit of time: {_TIMES}")
    if unit not in TIMES_NS:
        raise UsageError(f"'{text}': a time is expected, and '{unit}' is no unit of time; there are: {_TIMES}")
    if number <= 0:
        raise UsageError(f"'{text}': a bound of {value} says nothing; it must be above 0")
    return number * TIMES_NS[unit]


def _number(value: str, text: str) -> tuple[float, str]:
    match = _VALUE.fullmatch(value)
    if match is None or not math.isfinite(float(match["number"])):
        raise UsageError(f"'{text}': '{value}' is no number with a unit")
    return float(match["number"]), match["unit"]


def percent(value: str, key: str) -> float:
    """A relative change (`2%` is 0.02). Raises UsageError for another unit, or a change below 0."""
    number, unit = _number(value, f"{key} = {value}")
    if unit != "%" or number < 0:
        raise UsageError(f"{key} = '{value}': a change is a number of percent, like 2%")
    return number / 100


def contradiction(requirements: tuple[Requirement, ...]) -> tuple[Requirement, Requirement] | None:
    """Two requirements that no data can meet together: a lower bound above an upper bound; None if all can hold."""
    placed = [(one, at) for one in requirements if (at := _position(one)) is not None]
    for low, under in placed:
        for high, over in placed:
            if not low.upper and high.upper and _no_room(low, high) and _never_below(low, high, under, over):
                return low, high
    return None


def _no_room(low: Requirement, high: Requirement) -> bool:
    """Whether no time meets both limits. `>= 5us` and `<= 5us` leave one: on a deterministic board, figures have it."""
    if low.limit == high.limit:
        return (low.operator, high.operator) != (">=", "<=")
    return low.limit > high.limit


def _position(one: Requirement) -> float | None:
    """The figure's position among the ordered samples (in percent; nan for a mean); None if it has no position."""
    if one.statistic is None:
        return None
    return {"min": 0.0, "max": 100.0, "percentile": one.statistic.percent, "mean": math.nan}.get(one.statistic.kind)


def _never_below(low: Requirement, high: Requirement, under: float, over: float) -> bool:
    """Whether the figure with the upper bound is never smaller than the one with the lower bound."""
    if math.isnan(under) or math.isnan(over):
        kinds = (low.statistic and low.statistic.kind, high.statistic and high.statistic.kind)
        return kinds in {("mean", "mean"), ("min", "mean"), ("mean", "max")}
    return under <= over
