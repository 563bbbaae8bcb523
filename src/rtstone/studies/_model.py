# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""A study as structures: field by field what its TOML file holds (studies/README.md explains each)."""

from __future__ import annotations

from typing import Literal

import msgspec

Pass = Literal["batch", "single"]
Sched = Literal["rt", "ts"]


class _Strict(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A misspelt key is an error, not a silence."""


class Agreement(_Strict, frozen=True, kw_only=True):
    """What else must give the same value as a row's formula, and to within how much; where it does not, the cell says so."""

    formula: str
    within: float
    """In the row's unit, either way."""
    text: str
    """What is compared, for the note."""


class Row(_Strict, frozen=True, kw_only=True):
    """One quantity of a table."""

    label: str
    """As the paper prints it: the reference figures are joined by it."""
    measurement: str = ""
    quantity: str = ""
    """The series of the measurement; the measurement's own name where empty."""
    period_ns: int = 0
    """Of the measured interrupt; the table's where 0."""
    published: bool = True
    """False: a row of ours, which the paper does not have."""
    measured: bool = True
    """False: a row of the paper that this version does not measure."""
    note: str = ""
    facts: tuple[str, ...] = ()
    """Of a row that tells what was measured, not how fast: facts of the record, the first that it has. `window`: what transfers reach."""
    formula: str = ""
    """Of a derived quantity, which the cell calls `value`: arithmetic over times of the result and figures of the record."""
    unit: str = ""
    """Stands in each cell, behind the figure; for tables whose rows differ in unit."""
    agrees: Agreement | None = None


class Variant(_Strict, frozen=True, kw_only=True):
    """One of the ways in which a target fills a table: the class that it runs in, a stand-in for the measurement."""

    title: str = ""
    sched: Sched | None = None
    """None: the real-time class, unless the user asks for the other."""
    measurement: str = ""
    """In place of every row's own: of one row, or of rows that are all derived from that measurement's figures."""
    measurements: dict[str, str] = {}
    """By row label: a measurement for each row that this way has; the table's other rows have no cell of it."""
    quantities: dict[str, str] = {}
    """By row label, or the residual's title: the series of that measurement which stands in for its own; the same where one is missing."""
    requires: str = ""
    """What must be given for it to be measured at all (`peer`: another host's address; `live`: a machine of silicon); empty: nothing."""
    timer: str = ""
    """Source of the measured interrupt, by its name in a plan; empty: the command's."""


class PublishedCondition(_Strict, frozen=True, kw_only=True):
    """A condition that the paper prints figures for, and the load of ours that stands beside it."""

    published: str
    """Empty: one of ours, which the paper does not have."""
    title: str
    load: str
    """A load's name, or `loaded` for any but `none`; empty: none of ours stands beside it."""
    network: str = ""
    """Of runs that say that their load came through such a network (`rtstone run --network`): what they measured under load stands here."""


class TableColumn(_Strict, frozen=True, kw_only=True):
    """A column of its own for some of a cell's statistics, where the paper prints them so."""

    title: str
    cell: str


class Residual(_Strict, frozen=True, kw_only=True):
    """A column of ours: what of the total lies in no stage, of each interrupt where it is measured."""

    title: str
    quantity: str
    """The series of the row's measurement that has it, sample by sample."""
    stages: tuple[str, ...]
    """Numbers of the tables of the stages: of the published figures it is the median of the table's row less their medians."""


class Figure(_Strict, frozen=True, kw_only=True):
    """A figure of merit made of a table's rows; printed only under them."""

    title: str
    formula: Literal["sum-of-rates", "rate-of-mean"]
    explanation: str
    source: str
    weights: dict[str, float] = {}
    """By row label; 1 where a label is missing."""


class Table(_Strict, frozen=True, kw_only=True):
    """One table of the paper."""

    number: str
    title: str
    unit: str
    cell: str
    """Layout of a cell: statistics' names in braces, as the reference data call them."""
    statistics: str
    """In words: of what the statistics are."""
    pass_: Pass = msgspec.field(name="pass")
    published_clock: str
    period_ns: int = 0
    most: int = 0
    """Of operations: no item of this table asks for more, whatever the profile has; 0: no such limit."""
    lines: Literal["quantities", "platforms"] = "quantities"
    """What the lines of the table are; its columns are the other."""
    group: Literal["condition", "platform"] = "condition"
    """With platforms as lines: what holds lines together."""
    normalised: bool = False
    """Whether its figures stand under it once more, each divided by the first run's, or by `unity`."""
    unity: str = ""
    """The label of a row: with `normalised`, each figure is divided by that row's in the same column."""
    gain_over: str = ""
    """The label of a row: what each other row's speed gains over it stands under the table, with its interval."""
    distribution: str = ""
    """Title of a second table with the distribution of single operations; empty: none."""
    rows: tuple[Row, ...] = msgspec.field(name="row")
    conditions: tuple[PublishedCondition, ...] = msgspec.field(name="condition", default=())
    variants: tuple[Variant, ...] = msgspec.field(name="variant", default=(Variant(),))
    figures: tuple[Figure, ...] = msgspec.field(name="figure", default=())
    columns: tuple[TableColumn, ...] = msgspec.field(name="column", default=())
    """With platforms as lines: in place of `cell` in one column a row."""
    residual: Residual | None = None

    @property
    def measured(self) -> bool:
        """Whether this version measures any row."""
        return any(row.measured for row in self.rows)


class Condition(_Strict, frozen=True, kw_only=True):
    """A condition of the paper in our words, where the paper states it, and the check that looks for it in the record."""

    check: str
    paper: str
    section: str = ""
    """Where the paper states it."""
    quote: str = ""
    """The paper's own words, a few of them; empty where its text is not at hand."""
    table: str = ""
    """Only results of this table; of all where empty."""
    tables: tuple[str, ...] = ()
    measurements: tuple[str, ...] = ()
    """Only results of these; of all where empty."""
    loads: tuple[str, ...] = ()
    scheds: tuple[Sched, ...] = ()
    least: int = 0
    period_ns: int = 0
    block_bytes: int = 0
    window_bytes: int = 0
    sources: tuple[str, ...] = ()
    """Sources of interrupts that are the paper's kind."""
    windows: tuple[str, ...] = ()
    """Beginnings of the names of windows that are the paper's kind: all of them are wanted."""
    widths: tuple[int, ...] = ()
    """Bits of an access, all of which are wanted."""
    way: Literal["", "mapped", "kernel"] = ""
    """How the paper reached the window: mapped by a user task, or from kernel space."""
    programs: int = 0
    """How many programs the paper's load has; 0: the paper does not say."""
    remarks: bool = False
    """Whether a remark at the cell tells of a difference from the paper."""

    @property
    def stated(self) -> str:
        """The condition with the place where the paper states it."""
        return f"{self.paper} ({self.section})" if self.section else self.paper


class Counts(_Strict, frozen=True, kw_only=True):
    """What profile `paper` asks for. `stated`: the numbers are the paper's; else they are ours."""

    stated: bool
    sets: int = 100
    operations: int = 1000
    samples: int = 100_000
    interrupts: int = 200_000


class Study(_Strict, frozen=True, kw_only=True):
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
    """The paper's: of the loads asked for only these are measured, unless none of them was asked for; empty: all."""
    board_loads: tuple[str, ...] = ()
    """Of a virtual board, where the command names no load; empty: the usual ones."""
    ioc_loads: tuple[str, ...] = ()
    """In their place, of a board whose guest can be an EPICS IOC; empty: the same."""
    live_loads: tuple[str, ...] = ()
    """Of a machine of silicon, where the command names no load; empty: the usual ones."""
    peer_loads: tuple[str, ...] = ()
    """In their place, where the command names another host (`--peer`); empty: the same."""
    tables: tuple[Table, ...] = msgspec.field(name="table")
    conditions: tuple[Condition, ...] = msgspec.field(name="condition")

    def table(self, number: str) -> Table:
        """The table of that number; KeyError when the study has none."""
        for table in self.tables:
            if table.number == number:
                return table
        raise KeyError(number)


class Need(msgspec.Struct, frozen=True, kw_only=True, order=True):
    """What one cell asks of an engine, load apart."""

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
    """Of a plan; a cell takes any."""


def need(table: Table, row: Row, variant: Variant, pass_: Pass | None = None) -> Need:
    """What the cell of a row and a variant asks for; `pass_` other than the table's for its distribution."""
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
    """All that the study measures, in the order in which its tables are printed, each once."""
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
