# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The Python API: reads archives and files, gives labelled numbers with units,
and charts (docs/reference/python-api.md)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from rtstone import model
from rtstone.archive import ResultRow, RunSummary, open_archive, read_file
from rtstone.errors import InfrastructureError, UsageError, unknown
from rtstone.model.units import counted
from rtstone.model.variant import FACETS

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from rtstone.stats import Pool, PooledClock


_NAMES = tuple(ResultRow.__struct_fields__)
_NUMBERS = frozenset(field.name for field in msgspec.structs.fields(ResultRow) if field.type is int)


class Results(Sequence[ResultRow]):
    """Records, the last saved first. Times are nanoseconds for one operation;
    where nothing was measured, None (in columns: NaN)."""

    columns: tuple[str, ...] = tuple(name.rstrip("_") for name in _NAMES)
    """Names of the columns."""
    units: dict[str, str]
    """Unit of each column that has one."""

    def __init__(self, rows: Sequence[ResultRow]) -> None:
        self._rows = tuple(rows)
        self.units = {name: "ns" for name in self.columns if name.endswith("_ns")} | {"count": "samples"}

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[ResultRow]:
        return iter(self._rows)

    def __getitem__(self, index: Any) -> Any:
        return Results(self._rows[index]) if isinstance(index, slice) else self._rows[index]

    def column(self, name: str) -> npt.NDArray[Any]:
        """One column as a numpy array: floats, whole numbers, or text. Raises KeyError for a name that is not in `columns`."""
        import numpy as np

        field = self._field(name)
        values = [getattr(row, field) for row in self._rows]
        if name.endswith("_ns"):
            return np.array([np.nan if value is None else value for value in values], dtype=np.float64)
        return np.array(values, dtype=np.int64 if field in _NUMBERS else np.str_)

    def to_numpy(self) -> np.ndarray[Any, Any]:
        """All columns as one structured array, its fields named as `columns`."""
        import numpy as np

        found = [self.column(name) for name in self.columns]
        made = np.empty(len(self), dtype=[(n, c.dtype) for n, c in zip(self.columns, found, strict=True)])
        for name, values in zip(self.columns, found, strict=True):
            made[name] = values
        return made

    def to_dict(self) -> dict[str, list[Any]]:
        """Lists by column, as other libraries take them: `pandas.DataFrame(results.to_dict())`."""
        return {name: [getattr(row, self._field(name)) for row in self._rows] for name in self.columns}

    def _field(self, name: str) -> str:
        if name not in self.columns:
            raise KeyError(f"no column '{name}'; there are {', '.join(self.columns)}")
        return "pass_" if name == "pass" else name

    def __repr__(self) -> str:
        return f"<rtstone.Results: {len(self)} of {len({row.run for row in self._rows})} runs>"


class Quantity:
    """All data of a run for one quantity under one variant: repetitions pooled, times in nanoseconds for one operation.

    `note` tells how they were pooled, if they were read on unlike clocks.
    """

    def __init__(
        self,
        name: str,
        variant: model.Variant,
        pool: Pool,
        clock: PooledClock,
        note: str = "",
        *,
        extremes: Sequence[model.Extreme] = (),
    ) -> None:
        from rtstone.stats import summary

        self.name = name
        self.variant = variant
        self.clock = clock
        self.note = note
        self._pool = pool
        self._summary = partial(summary, pool, clock, extremes=extremes)
        self._figures = self._summary()

    @property
    def repetitions(self) -> int:
        """Number of results that were pooled."""
        return self._pool.repetitions

    @property
    def count(self) -> int:
        """Samples; in the batch pass sets of operations."""
        return self._pool.count

    @property
    def min_ns(self) -> float | None:
        """Smallest sample observed."""
        return self._figures.min

    @property
    def max_ns(self) -> float | None:
        """Largest sample observed: no bound."""
        return self._figures.max

    @property
    def mean_ns(self) -> float | None:
        """Mean."""
        return self._figures.mean

    def percentile_ns(self, percent: float) -> float | None:
        """Percentile by nearest rank, never too low (the bucket's highest value);
        in the batch pass of the sets' averages.

        None without a histogram. Raises ValueError outside 0 … 100.
        """
        return self._summary((percent,)).percentiles[percent]

    def buckets(self) -> npt.NDArray[np.void]:
        """The histogram: fields low_ns, high_ns (both inclusive) and count. Samples beyond it are in `overflow`."""
        import numpy as np

        histogram = self._pool.histogram
        found = (
            []
            if histogram is None
            else [(self.clock.ns(b.low), self.clock.ns(b.high), b.count) for b in histogram.buckets()]
        )
        return np.array(found, dtype=[("low_ns", np.float64), ("high_ns", np.float64), ("count", np.int64)])

    @property
    def overflow(self) -> int:
        """Samples that lie beyond the histogram's buckets."""
        return self._pool.overflow

    def __repr__(self) -> str:
        return f"<rtstone.Quantity {self.name}, load {self.variant.load}: {counted(self.count, 'sample')}>"


class Run:
    """One run. `data` has everything (rtstone.model.Run)."""

    def __init__(self, data: model.Run) -> None:
        self.data = data

    @property
    def id(self) -> str:
        """The run's name in the archive."""
        return self.data.id

    @property
    def kernel(self) -> str:
        """The kernel that was measured."""
        return self.data.kernel()

    def quantities(self) -> tuple[str, ...]:
        """The measured quantities, in the order of measurement."""
        return tuple(dict.fromkeys(r.quantity for r in self.data.results() if r.status == "ok" and r.count))

    def quantity(self, name: str, **variant: object) -> Quantity:
        """One quantity; keywords select the variant (`load="cpu"`, `pass_="batch"`), where there are several.

        Only reliable results are in it. Raises UsageError if no variant, or more than one, fits.
        """
        from rtstone.stats import pool, together

        fields = model.Variant.__struct_fields__
        if strange := set(variant) - set(fields):
            raise unknown("field of a variant", min(strange), fields)
        found: dict[tuple[str, model.Variant], list[tuple[model.Result, model.Clock]]] = {}
        for session in self.data.sessions:
            for result in session.results:
                fits = all(getattr(result.variant, key) == value for key, value in variant.items())
                if result.quantity == name and result.status == "ok" and result.count and fits:
                    found.setdefault((result.measurement, result.variant), []).append(
                        (result, session.clock(result.clock))
                    )
        if not found and name not in self.quantities():
            raise unknown(f"quantity of run {self.id}", name, self.quantities())
        if not found:
            raise UsageError(f"run {self.id} has no '{name}' like that: {_differing_fields(self._variants(name))}")
        if len(found) > 1:
            raise UsageError(
                f"run {self.id} has '{name}' under {len(found)} variants: say which ({_differing_fields(tuple(found))})"
            )
        (((_, which), results),) = found.items()
        common = together(results)
        extremes = common.results[0].extremes if len(results) == 1 else ()
        return Quantity(name, which, pool(common.results), common.clock, common.note, extremes=extremes)

    def _variants(self, name: str) -> tuple[tuple[str, model.Variant], ...]:
        """The measurements and variants that have figures of a quantity."""
        found = [r for r in self.data.results() if r.quantity == name and r.status == "ok" and r.count]
        return tuple(dict.fromkeys((r.measurement, r.variant) for r in found))

    def plot(self, quantity: str, chart: str = "histogram") -> Plot:
        """A chart of the report: histogram, exceedance, windows (maximum over time) or averages. Raises UsageError."""
        from rtstone.api import plot

        return plot([self.data], quantity, chart)

    def __repr__(self) -> str:
        return f"<rtstone.Run {self.id}: {self.data.target}, {self.kernel}, {self.data.status}>"


def _differing_fields(keys: tuple[tuple[str, model.Variant], ...]) -> str:
    """The fields in which the variants differ, with their values."""
    differing = [f for f in FACETS if len({f.value(variant) for _, variant in keys}) > 1]
    said = [f"{f.name}={', '.join(sorted({repr(f.value(variant)) for _, variant in keys}))}" for f in differing]
    return "; ".join(said) or f"measurements {', '.join(measurement for measurement, _ in keys)}"


class Plot:
    """A chart. A notebook shows it by itself; `spec` is its Vega-Lite, data included."""

    def __init__(self, spec: dict[str, Any], title: str) -> None:
        self.spec = spec
        self.title = title

    def save(self, path: str | Path) -> None:
        """Write it as .svg or .png. Raises UsageError for another suffix, InfrastructureError where it cannot be written."""
        kind = Path(path).suffix.removeprefix(".")
        if kind not in {"svg", "png"}:
            raise UsageError(f"a chart is saved as .svg or .png, not as '{path}'")
        try:
            Path(path).write_bytes(self._drawn(kind))
        except OSError as error:
            raise InfrastructureError(f"{path}: {error.strerror}") from error

    def _repr_svg_(self) -> str:
        return self._drawn("svg").decode()

    def _drawn(self, kind: str) -> bytes:
        from rtstone.show.report import draw

        return draw(self.spec, kind)

    def __repr__(self) -> str:
        return f"<rtstone.Plot {self.title}>"


def plot(runs: Sequence[model.Run], quantity: str, chart: str) -> Plot:
    """The chart of a quantity; several runs overlaid. Raises UsageError if no run has the quantity."""
    from rtstone.show.report import chart_specs

    known = ("histogram", "exceedance", "windows", "averages")
    if chart not in known:
        raise unknown("chart", chart, known)
    for title, spec in chart_specs(runs, quantity, chart):
        return Plot(spec, title)
    there = dict.fromkeys(r.quantity for run in runs for r in run.results() if r.status == "ok" and r.count)
    if quantity not in there:
        raise unknown("quantity of these runs", quantity, there)
    raise UsageError(f"there is nothing to draw as {chart} of '{quantity}' in {', '.join(run.id for run in runs)}")


class Archive:
    """The saved runs of an archive. Nothing here changes them."""

    def __init__(self, where: str | None) -> None:
        self._archive = open_archive(where)

    def runs(
        self,
        *,
        limit: int | None = None,
        target: str | None = None,
        machine: str | None = None,
        label: str | None = None,
        study: str | None = None,
        kernel: str | None = None,
        status: str | None = None,
    ) -> tuple[RunSummary, ...]:
        """One line for each run, the last saved first. Each filter must match (kernel: part of its name;
        machine: name, or beginning of its id)."""
        return self._archive.list(
            limit, target=target, machine=machine, label=label, study=study, kernel=kernel, status=status
        )

    def run(self, reference: str = "last") -> Run:
        """A run by id, its beginning, last, last~N, label, LABEL~N, or target (its last run).
        Raises UsageError if there is no such run."""
        return Run(self._archive.load(reference))

    def results(
        self,
        quantity: str,
        *,
        target: str | None = None,
        kernel: str | None = None,
        machine: str | None = None,
        load: str | None = None,
        limit: int | None = None,
    ) -> Results:
        """Every result of a quantity, the last saved first; target and kernel must match whole.
        Skipped results are included (`status`)."""
        # The limit counts matching rows, so the archive must not cut before the load is compared.
        rows = self._archive.results(
            quantity, target=target, kernel=kernel, machine=machine, limit=limit if load is None else None
        )
        return Results(
            [row for row in rows if load is None or row.load == load][: limit if limit is not None else len(rows)]
        )

    def plot(self, references: Sequence[str], quantity: str, chart: str = "histogram") -> Plot:
        """A chart of several runs, overlaid; see Run.plot."""
        from rtstone.api import plot

        return plot([self._archive.load(reference) for reference in references], quantity, chart)

    def __repr__(self) -> str:
        return f"<rtstone.Archive {self._archive.location}>"


def open(where: str | Path | None = None) -> Archive:  # noqa: A001 - rtstone.open
    """The archive at a path or database URL; None: the configured one, as the commands use it. Raises UsageError."""
    from rtstone.config import load

    return Archive(str(where) if where is not None else load({}).values.archive)


def read(file: str | Path) -> Run:
    """The run of a JSON file, as `rtstone export` writes it. Raises InfrastructureError."""
    return Run(read_file(Path(file)))
