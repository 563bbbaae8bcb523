# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""One run, and one quantity of it with its repetitions pooled."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from rtstone import model
from rtstone.errors import UsageError
from rtstone.model.variant import FACETS

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from rtstone.api._plot import Plot
    from rtstone.stats import Pool, PooledClock


class Quantity:
    """All that a run has of one quantity under one variant: repetitions pooled, times in nanoseconds for one operation.

    `note` says how, where they were read on unlike clocks.
    """

    def __init__(self, name: str, variant: model.Variant, pool: Pool, clock: PooledClock, note: str = "") -> None:
        self.name = name
        self.variant = variant
        self.clock = clock
        self.note = note
        self._pool = pool

    @property
    def repetitions(self) -> int:
        """How many results were pooled."""
        return self._pool.repetitions

    @property
    def count(self) -> int:
        """Samples; in the batch pass sets of operations."""
        return self._pool.count

    @property
    def min_ns(self) -> float | None:
        """Smallest sample observed."""
        return self._ns(min(self._pool.averages) if self._pool.averages else self._pool.min)

    @property
    def max_ns(self) -> float | None:
        """Largest sample observed: no bound."""
        return self._ns(max(self._pool.averages) if self._pool.averages else self._pool.max)

    @property
    def mean_ns(self) -> float | None:
        """Mean."""
        averages = self._pool.averages
        return self._ns(math.fsum(averages) / len(averages) if averages else self._pool.mean)

    def percentile_ns(self, percent: float) -> float | None:
        """By nearest rank, never too low (the bucket's highest value); None without a histogram. Raises ValueError outside 0 … 100."""
        return self._ns(self._pool.percentile(percent))

    def buckets(self) -> npt.NDArray[np.void]:
        """The histogram: fields low_ns, high_ns (both inclusive) and count. Samples beyond it are in `overflow`."""
        import numpy as np

        histogram = self._pool.histogram
        found = [] if histogram is None else [(self._ns(b.low), self._ns(b.high), b.count) for b in histogram.buckets()]
        return np.array(found, dtype=[("low_ns", np.float64), ("high_ns", np.float64), ("count", np.int64)])

    @property
    def overflow(self) -> int:
        """Samples that lie beyond the histogram's buckets."""
        return self._pool.overflow

    def _ns(self, ticks: float | None) -> float | None:
        return None if ticks is None else self.clock.ns(ticks)

    def __repr__(self) -> str:
        return f"<rtstone.Quantity {self.name}, load {self.variant.load}: {self.count} samples>"


class Run:
    """One run. `data` has everything (rtstone.model.Run)."""

    def __init__(self, data: model.Run) -> None:
        self.data = data

    @property
    def id(self) -> str:
        """Its name in the archive."""
        return self.data.id

    @property
    def kernel(self) -> str:
        """The kernel that was measured."""
        return self.data.kernel()

    def quantities(self) -> tuple[str, ...]:
        """What was measured, in its order."""
        return tuple(dict.fromkeys(r.quantity for r in self.data.results() if r.status == "ok" and r.count))

    def quantity(self, name: str, **variant: object) -> Quantity:
        """One quantity; keywords say under which variant (`load="cpu"`, `pass_="batch"`), where there are several.

        Only results that may be believed are in it. Raises UsageError where there is none, or more than one variant.
        """
        from rtstone.stats import pool, together

        unknown = set(variant) - set(model.Variant.__struct_fields__)
        if unknown:
            raise UsageError(f"a variant has no '{min(unknown)}'; it has {', '.join(model.Variant.__struct_fields__)}")
        found: dict[tuple[str, model.Variant], list[tuple[model.Result, model.Clock]]] = {}
        for session in self.data.sessions:
            for result in session.results:
                fits = all(getattr(result.variant, key) == value for key, value in variant.items())
                if result.quantity == name and result.status == "ok" and result.count and fits:
                    found.setdefault((result.measurement, result.variant), []).append(
                        (result, session.clock(result.clock))
                    )
        if not found:
            raise UsageError(f"run {self.id} has no '{name}' like that; it has {', '.join(self.quantities())}")
        if len(found) > 1:
            raise UsageError(
                f"run {self.id} has '{name}' under {len(found)} variants: say which ({_told(tuple(found))})"
            )
        (((_, which), results),) = found.items()
        common = together(results)
        return Quantity(name, which, pool(common.results), common.clock, common.note)

    def plot(self, quantity: str, chart: str = "histogram") -> Plot:
        """A chart of the report: histogram, exceedance, windows (maximum over time) or averages. Raises UsageError."""
        from rtstone.api._plot import plot

        return plot([self.data], quantity, chart)

    def __repr__(self) -> str:
        return f"<rtstone.Run {self.id}: {self.data.target}, {self.kernel}, {self.data.status}>"


def _told(keys: tuple[tuple[str, model.Variant], ...]) -> str:
    """In what the variants differ."""
    differing = [f for f in FACETS if len({f.value(variant) for _, variant in keys}) > 1]
    said = [f"{f.name}={', '.join(sorted({repr(f.value(variant)) for _, variant in keys}))}" for f in differing]
    return "; ".join(said) or f"measurements {', '.join(measurement for measurement, _ in keys)}"
