# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Prints each table as soon as all its measurements are answered, while the rest are still being made."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Literal

from rtstone.targets import Around

if TYPE_CHECKING:
    from rtstone.model import Run, Session
    from rtstone.plan import Item, Plan
    from rtstone.runner import Progress
    from rtstone.studies import Study, Table
    from rtstone.tables import TableView
    from rtstone.targets import Target

Kind = Literal["paper", "distribution"]


class Listening(Around):
    """A target that keeps a copy of what it says; all else is the target's own."""

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self.heard: list[bytes] = []

    def start(self, plan: Plan) -> Generator[bytes, None, None]:
        """Runs one session of the plan."""
        with closing(super().start(plan)) as lines:
            for line in lines:
                self.heard.append(line)
                yield line


class EarlyTables:
    """For one target and one repetition: told of progress, it prints the tables that have become complete, in order."""

    def __init__(
        self,
        studies: Sequence[Study],
        plan: Plan,
        heard: Sequence[bytes],
        run_of: Callable[[tuple[Session, ...]], Run],
        show: Callable[[TableView], None],
        stopped: Callable[[], bool],
    ) -> None:
        self._plan = plan
        self._heard = heard
        self._run_of = run_of
        self._show = show
        self._stopped = stopped
        self._waiting = [
            (study, table, kind, feeds(table, kind, plan.items))
            for study in studies
            for table in study.tables
            for kind in KINDS
            if kind == "paper" or table.distribution
        ]
        self.printed: list[TableView] = []

    def __call__(self, progress: Progress) -> None:
        """Print what has become complete. A plan is answered in its order, so the count done says which."""
        if not self._waiting or self._stopped():
            return
        if any(item >= progress.items_done for item in self._waiting[0][3]):
            return
        from rtstone.stream import collect
        from rtstone.tables import distribution_table, paper_table

        run = self._run_of(collect(self._heard, self._plan))
        answered = {r.item for r in run.results() if r.reason != "unanswered"}
        while self._waiting and self._waiting[0][3] <= answered:
            study, table, kind, _ = self._waiting.pop(0)
            view = (paper_table if kind == "paper" else distribution_table)([run], study, table)
            if view.lines:
                self.printed.append(view)
                self._show(view)


KINDS: tuple[Kind, ...] = ("paper", "distribution")


def feeds(table: Table, kind: Kind, items: Sequence[Item]) -> frozenset[int]:
    """The numbers of the plan's items that a table shows, as the paper has it or as a distribution."""
    from rtstone.studies import need

    wanted = set()
    for variant in table.variants:
        for row in table.rows:
            if row.measured:
                one = need(table, row, variant)
                wanted.add((one.measurement, one.pass_ if kind == "paper" else "single"))
    return frozenset(item.item for item in items if (item.measurement, item.pass_) in wanted)
