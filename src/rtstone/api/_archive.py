# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Opens archives and files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rtstone.api._results import Results
from rtstone.api._run import Run
from rtstone.archive import Summary, open_archive, read_file

if TYPE_CHECKING:
    from rtstone.api._plot import Plot


class Archive:
    """Runs that were kept. Nothing here changes them."""

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
    ) -> tuple[Summary, ...]:
        """A line a run, the last saved first; each filter must match (kernel: part of its name; machine: name, or beginning of its id)."""
        return self._archive.list(
            limit, target=target, machine=machine, label=label, study=study, kernel=kernel, status=status
        )

    def run(self, reference: str = "last") -> Run:
        """A run by id, its beginning, last, or last~N. Raises UsageError where there is none."""
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
        """Every result of a quantity, the last saved first; target and kernel must match whole. Skipped ones are among them (`status`)."""
        # The limit is of what fits, so the archive must not cut before the load is looked at.
        rows = self._archive.results(
            quantity, target=target, kernel=kernel, machine=machine, limit=limit if load is None else None
        )
        return Results(
            [row for row in rows if load is None or row.load == load][: limit if limit is not None else len(rows)]
        )

    def plot(self, references: Sequence[str], quantity: str, chart: str = "histogram") -> Plot:
        """A chart of several runs, overlaid; see Run.plot."""
        from rtstone.api._plot import plot

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
