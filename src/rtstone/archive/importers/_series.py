# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Turns a tool's bins and summary into a result. Contradictory figures are refused, missing ones are noted."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping

from rtstone.model import Clock, Degraded, Figure, Geometry, Histogram, Note, Result, Variant
from rtstone.model import units as form

SD = "standard-deviation"
"""The service in a note that the sum of squares is only a lower bound."""

SUB_BITS = 11

MICROSECONDS = Clock(id=0, name="as printed", hz=1_000_000, source="the tool's output", resolution_ticks=1)
NANOSECONDS = Clock(id=0, name="as printed", hz=1_000_000_000, source="the tool's output", resolution_ticks=1)

NO_ORDER = Degraded(
    "import-order",
    "the order and the times of the samples are not told: no view over time, no extremes but the largest",
)


class Disagreement(ValueError):  # noqa: N818 - what it is
    """The figures of a file contradict each other."""


def distribution(
    quantity: str,
    measurement: str,
    counts: Mapping[int, int],
    *,
    item: int = 0,
    beyond: int = 0,
    limit: int = 0,
    count: int | None = None,
    minimum: int | None = None,
    maximum: int | None = None,
    mean: float | None = None,
    sd: float | None = None,
    step: int = 1,
    variant: Variant | None = None,
    cpu: int = -1,
    priority: int = 0,
    elapsed: int = 0,
    notes: tuple[Note, ...] = (),
) -> Result:
    """A result from binned samples. `counts` is by each bin's highest value (ticks); `beyond` counts samples at `limit`
    or above.

    `step` is the width of the bins (ticks). Raises Disagreement when count, minimum, maximum and bins contradict each
    other.
    """
    held = sum(counts.values())
    total_count = held + beyond if count is None else count
    if held + beyond != total_count:
        raise Disagreement(
            f"the bins hold {form.counted(held + beyond, 'sample')}, the tool counts {form.count(total_count)}"
        )
    if any(n < 0 for n in counts.values()) or beyond < 0:
        raise Disagreement("a bin counts less than nothing")
    filled = [value for value, n in counts.items() if n]
    if not total_count:
        return _empty(quantity, measurement, item, variant or Variant(), notes)
    if minimum is None:
        minimum = min(filled) - step + 1 if filled else limit
    if maximum is None:
        if beyond:
            raise Disagreement("samples lie beyond the bins, and the largest is not told")
        maximum = max(filled)
    if minimum > maximum:
        raise Disagreement(f"the minimum {minimum} is larger than the maximum {maximum}")
    if filled and not (minimum <= min(filled) and (beyond or max(filled) - step < maximum <= max(filled) + step)):
        raise Disagreement(
            f"there are samples from {min(filled)} to {max(filled)}, with minimum {minimum} and maximum {maximum}"
        )
    if beyond and maximum < limit:
        raise Disagreement(f"at {limit} or above: {form.counted(beyond, 'sample')}, the maximum is {maximum}")
    total, squares, exact = _moments(counts, beyond, limit, maximum, mean, sd, total_count, step)
    if not exact:
        notes += (Note("approximated", SD, "the sum of squares is a lower bound: the tool does not tell it"),)
    if beyond:
        notes += (
            Note("approximated", "overflow", f"samples beyond the tool's bins, at {limit} ticks or above: {beyond}"),
        )
    return Result(
        item=item,
        measurement=measurement,
        quantity=quantity,
        variant=variant or Variant(),
        status="ok",
        cpu=cpu,
        priority=priority,
        count=total_count,
        overflow=beyond,
        min=minimum,
        max=maximum,
        sum=total,
        sumsq=squares,
        elapsed=elapsed,
        histogram=histogram(counts, beyond, limit) if counts or beyond else None,
        notes=notes,
    )


def summary(
    quantity: str,
    measurement: str,
    *,
    count: int,
    minimum: int,
    maximum: int,
    mean: float,
    item: int = 0,
    variant: Variant | None = None,
    priority: int = 0,
    notes: tuple[Note, ...] = (),
) -> Result:
    """A result from only count, minimum, maximum and mean. Raises Disagreement when they contradict each other."""
    if not minimum <= mean + 1 or not mean <= maximum + 1 or minimum > maximum:
        raise Disagreement(f"minimum {minimum}, mean {mean:g} and maximum {maximum} cannot be")
    total = max(minimum * count, min(round(mean * count), maximum * count))
    return Result(
        item=item,
        measurement=measurement,
        quantity=quantity,
        variant=variant or Variant(),
        status="ok",
        priority=priority,
        count=count,
        min=minimum,
        max=maximum,
        sum=total,
        sumsq=-(-total * total // count),
        notes=(*notes, Note("approximated", SD, "the sum of squares is a lower bound: the tool does not tell it")),
    )


def average(
    quantity: str,
    measurement: str,
    total: int,
    ops: int,
    *,
    item: int = 0,
    notes: tuple[Note, ...] = (),
    figures: tuple[Figure, ...] = (),
    variant: Variant | None = None,
) -> Result:
    """A result of one set: `ops` operations took `total` ticks together. Raises Disagreement for impossible numbers."""
    if ops < 1 or total < 0:
        raise Disagreement(f"{ops} operations in {total} ticks cannot be")
    return Result(
        item=item,
        measurement=measurement,
        quantity=quantity,
        variant=variant or Variant(pass_="batch"),  # noqa: S106 - a pass, no password
        status="ok",
        ops=ops,
        count=1,
        min=total,
        max=total,
        sum=total,
        sumsq=total * total,
        elapsed=total,
        batches=(total,),
        notes=notes,
        figures=figures,
    )


def histogram(counts: Mapping[int, int], beyond: int, limit: int) -> Histogram:
    """The histogram of the counts. Each bin of one tick up to `limit` gets its own bucket. The geometry depends only on
    `limit`, so that repetitions can be merged."""
    if 0 < limit <= 1 << 20:
        geometry = Geometry(max(SUB_BITS, (limit - 1).bit_length()), max(1, limit.bit_length() - 1), 1)
    else:
        geometry = Geometry(SUB_BITS, limit.bit_length() - 1 if limit else 40, 1)
    positive: Counter[int] = Counter()
    for value, n in counts.items():
        if n:
            positive[geometry.index(value)] += n
    return Histogram(geometry, tuple(sorted(positive.items())), (), beyond)


def _empty(quantity: str, measurement: str, item: int, variant: Variant, notes: tuple[Note, ...]) -> Result:
    return Result(
        item=item,
        measurement=measurement,
        quantity=quantity,
        variant=variant,
        status="skipped",
        reason="no-samples",
        text="the tool took no sample of it",
        notes=notes,
    )


def _moments(
    counts: Mapping[int, int],
    beyond: int,
    limit: int,
    maximum: int,
    mean: float | None,
    sd: float | None,
    count: int,
    step: int,
) -> tuple[int, int, bool]:
    """Sum, sum of squares, and whether both are exact for the printed figures."""
    total = sum(value * n for value, n in counts.items())
    squares = sum(value * value * n for value, n in counts.items())
    if not beyond and step == 1 and counts:
        return total, squares, True
    if mean is not None:
        stated_sum = round(mean * count)
        if sd is not None and count > 1:
            return (
                stated_sum,
                max(
                    -(-stated_sum * stated_sum // count),
                    math.ceil(sd * sd * (count - 1) + stated_sum * stated_sum / count),
                ),
                True,
            )
        above = stated_sum - total if step == 1 else 0
    else:
        above = beyond * limit
    if step != 1:
        return (
            (stated_sum, -(-stated_sum * stated_sum // count), False) if mean is not None else (total, squares, False)
        )
    # The samples beyond the bins include the largest one, and none is below the limit.
    above = max((beyond - 1) * limit + maximum, min(above, beyond * maximum))
    rest = above - maximum
    squares += maximum * maximum + (-(-rest * rest // (beyond - 1)) if beyond > 1 else 0)
    return total + above, squares, beyond == 1
