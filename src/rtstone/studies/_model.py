# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""A study as structures: the fields of its TOML file (studies/README.md explains each)."""

from __future__ import annotations

from typing import Literal

import msgspec

Pass = Literal["batch", "single"]
Sched = Literal["rt", "ts"]


class _StudyFileTable(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A misspelt key is an error; it is not ignored."""


class Agreement(_StudyFileTable, frozen=True, kw_only=True):
    """Formula that must give the same value as a row's, and the tolerance;
    where the values differ, the cell reports it."""

    formula: str
    within: float
    """Largest difference in the row's unit, upwards or downwards."""
    text: str
    """Names the compared quantity, for the note."""


class TableRow(_StudyFileTable, frozen=True, kw_only=True):
    """One quantity of a table."""

    label: str
    """As the paper prints it. The reference figures are matched by it."""
    measurement: str = ""
    quantity: str = ""
    """The series of the measurement; the measurement's own name where empty."""
    period_ns: int = 0
    """Period of the measured interrupt; 0: the table's."""
    published: bool = True
    """False: a row of ours, which the paper does not have."""
    measured: bool = True
    """False: a row of the paper that this version does not measure."""
    note: str = ""
    facts: tuple[str, ...] = ()
    """For a row that describes the measurement, not a speed: facts of the record, of which the first present one is
    shown. `window`: the window that transfers access."""
    formula: str = ""
    """Formula of a derived quantity (`value` in the cell): arithmetic with times of the result and figures of the
    record."""
    unit: str = ""
    """Printed after the figure in each cell; for tables whose rows differ in unit."""
    agrees: Agreement | None = None


class TableVariant(_StudyFileTable, frozen=True, kw_only=True):
    """One way in which a target fills a table: the scheduling class of the measurement, or a substitute measurement."""

    title: str = ""
    sched: Sched | None = None
    """None: the real-time class, unless the user chooses the other one."""
    measurement: str = ""
    """Replaces every row's own measurement:
    for one row, or for rows that all derive from this measurement's figures."""
    measurements: dict[str, str] = {}
    """By row label: the measurement of each row that this variant has. The table's other rows have no cell of it."""
    quantities: dict[str, str] = {}
    """By row label, or the residual's title: the series of that measurement that replaces its own;
    a missing label keeps its series."""
    requires: str = ""
    """Requirement of the measurement (`peer`: another host's address; `live`: a machine of silicon); empty: none."""
    timer: str = ""
    """Source of the measured interrupt, by its name in a plan; empty: the source that the command names."""


class PublishedCondition(_StudyFileTable, frozen=True, kw_only=True):
    """A condition for which the paper prints figures, and our load that is shown next to it."""

    published: str
    """Empty: one of ours, which the paper does not have."""
    title: str
    load: str
    """A load's name, or `loaded` for any but `none`; empty: no load of ours is shown next to it."""
    network: str = ""
    """A kind of network (`rtstone run --network`).
    The condition shows the results under load of runs that record this kind."""


class TableColumn(_StudyFileTable, frozen=True, kw_only=True):
    """A separate column for some of a cell's statistics, where the paper prints them so."""

    title: str
    cell: str


class Residual(_StudyFileTable, frozen=True, kw_only=True):
    """A column of ours: the part of the total that lies in no stage, measured for each interrupt."""

    title: str
    quantity: str
    """The series of the row's measurement that contains it, sample by sample."""
    stages: tuple[str, ...]
    """Numbers of the tables of the stages.
    For published figures the residual is the median of the table's row minus their medians."""


class FigureOfMerit(_StudyFileTable, frozen=True, kw_only=True):
    """A figure of merit computed from a table's rows; printed only under them."""

    title: str
    formula: Literal["sum-of-rates", "rate-of-mean"]
    explanation: str
    source: str
    weights: dict[str, float] = {}
    """By row label; 1 where a label is missing."""


class Table(_StudyFileTable, frozen=True, kw_only=True):
    """One table of the paper."""

    number: str
    title: str
    unit: str
    cell: str
    """Layout of a cell: statistics' names in braces, as the reference data call them."""
    statistics: str
    """In words: the values that the statistics describe."""
    pass_: Pass = msgspec.field(name="pass")
    published_clock: str
    period_ns: int = 0
    most: int = 0
    """Most operations that an item of this table requests, whatever the profile has; 0: no limit."""
    lines: Literal["quantities", "platforms"] = "quantities"
    """The kind of the table's lines; its columns are the other kind."""
    group: Literal["condition", "platform"] = "condition"
    """With platforms as lines: lines with the same condition, or the same platform, form a group."""
    normalised: bool = False
    """Whether its figures are printed again under it, each divided by the first run's, or by `unity`."""
    unity: str = ""
    """The label of a row: with `normalised`, each figure is divided by that row's in the same column."""
    gain_over: str = ""
    """The label of a row. The speed that each other row gains over it is printed under the table, with its interval."""
    distribution: str = ""
    """Title of a second table with the distribution of single operations; empty: none."""
    rows: tuple[TableRow, ...] = msgspec.field(name="row")
    conditions: tuple[PublishedCondition, ...] = msgspec.field(name="condition", default=())
    variants: tuple[TableVariant, ...] = msgspec.field(name="variant", default=(TableVariant(),))
    figures: tuple[FigureOfMerit, ...] = msgspec.field(name="figure", default=())
    columns: tuple[TableColumn, ...] = msgspec.field(name="column", default=())
    """With platforms as lines: used instead of `cell`, one column a row."""
    residual: Residual | None = None

    @property
    def measured(self) -> bool:
        """Whether this version measures any row."""
        return any(row.measured for row in self.rows)


class Condition(_StudyFileTable, frozen=True, kw_only=True):
    """A condition of the paper in our words, the place where the paper states it,
    and the check that looks for it in the record."""

    check: str
    paper: str
    section: str = ""
    """Where the paper states it."""
    quote: str = ""
    """The paper's own words, a few of them; empty where its text is not at hand."""
    table: str = ""
    """Only results of this table; empty: all results."""
    tables: tuple[str, ...] = ()
    measurements: tuple[str, ...] = ()
    """Only results of these measurements; empty: all results."""
    loads: tuple[str, ...] = ()
    scheds: tuple[Sched, ...] = ()
    least: int = 0
    period_ns: int = 0
    block_bytes: int = 0
    window_bytes: int = 0
    sources: tuple[str, ...] = ()
    """Sources of interrupts of the paper's kind."""
    windows: tuple[str, ...] = ()
    """Prefixes of the names of windows of the paper's kind. A run must have all of them."""
    widths: tuple[int, ...] = ()
    """Widths of an access in bits. A run must have all of them."""
    way: Literal["", "mapped", "kernel"] = ""
    """How the paper reached the window: mapped by a user task, or from kernel space."""
    programs: int = 0
    """Number of programs in the paper's load; 0: the paper does not state it."""
    remarks: bool = False
    """Whether a remark at the cell reports a difference from the paper."""

    @property
    def stated(self) -> str:
        """The condition with the place where the paper states it."""
        return f"{self.paper} ({self.section})" if self.section else self.paper


class Counts(_StudyFileTable, frozen=True, kw_only=True):
    """Counts of the profile `paper`. `stated`: the paper states the numbers; else they are ours."""

    stated: bool
    sets: int = 100
    operations: int = 1000
    samples: int = 100_000
    interrupts: int = 200_000


class Study(_StudyFileTable, frozen=True, kw_only=True):
    """A paper's protocol."""

    schema: Literal["rtstone.study"]
    version: str
    id: str
    title: str
    authors: str
    report: str
    year: int
    abstract: str
    counts: Counts
    loads: tuple[str, ...] = ()
    """The paper's loads. Of the requested loads only these are measured, unless none of them was requested;
    empty: all."""
    board_loads: tuple[str, ...] = ()
    """Loads of a virtual board, where the command names no load; empty: the usual ones."""
    ioc_loads: tuple[str, ...] = ()
    """Used instead for a board whose guest can be an EPICS IOC; empty: `board_loads`."""
    live_loads: tuple[str, ...] = ()
    """Loads of a machine of silicon, where the command names no load; empty: the usual ones."""
    peer_loads: tuple[str, ...] = ()
    """Used instead where the command names another host (`--peer`); empty: `live_loads`."""
    tables: tuple[Table, ...] = msgspec.field(name="table")
    conditions: tuple[Condition, ...] = msgspec.field(name="condition")

    def table(self, number: str) -> Table:
        """The table with that number; KeyError when the study does not have it."""
        for table in self.tables:
            if table.number == number:
                return table
        raise KeyError(number)


class Need(msgspec.Struct, frozen=True, kw_only=True, order=True):
    """Requirements of one cell for an engine, except the load."""

    measurement: str
    quantity: str
    pass_: Pass
    sched: Sched | None
    period_ns: int
    most: int = 0
    requires: str = ""
    timer: str = ""
    """Empty: any."""
    window: str = "default"
    """A window of a plan; a cell accepts any."""


def need(table: Table, row: TableRow, variant: TableVariant, pass_: Pass | None = None) -> Need:
    """The requirements of the cell of a row and a variant.
    `pass_`: another pass than the table's, for its distribution."""
    measurement = variant.measurement or row.measurement
    if variant.measurements:
        measurement = variant.measurements.get(row.label, "")  # no result has that name
    return Need(
        measurement=measurement,
        quantity=variant.quantities.get(row.label) or (not variant.measurements and row.quantity) or measurement,
        pass_=pass_ or table.pass_,
        sched=variant.sched,
        period_ns=row.period_ns or table.period_ns,
        most=table.most,
        requires=variant.requires,
        timer=variant.timer,
    )


def needs(study: Study) -> tuple[Need, ...]:
    """All measurements of the study, each once, in the order in which its tables are printed."""
    found: dict[Need, None] = {}
    for table in study.tables:
        passes: tuple[Pass, ...] = (table.pass_,)
        if table.distribution and table.pass_ == "batch":
            passes = ("batch", "single")
        for pass_ in passes:
            for variant in table.variants:
                for row in table.rows:
                    wanted = need(table, row, variant, pass_)
                    if row.measured and wanted.measurement:
                        found[wanted] = None
    return tuple(found)
