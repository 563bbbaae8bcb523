# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Gathers a stream's records of one item of the plan, and turns them into results."""

from __future__ import annotations

import sys
from array import array

import msgspec

from rtstone.model import (
    Check,
    Event,
    Extreme,
    Figure,
    Geometry,
    Histogram,
    LoadFigure,
    Note,
    Result,
    Status,
    Variant,
    Windows,
    sense,
)
from rtstone.model.units import counted
from rtstone.stream import _records as records
from rtstone.stream._parse import Malformed
from rtstone.stream.plan import Item


class SeriesBuilder:
    """Gathers the records of one series, as they come."""

    def __init__(self, index: int, name: str) -> None:
        self.index = index
        self.name = name
        self.end: records.EndRecord | None = None
        self.values = array("q")
        """Raw samples (single pass) or the sets' totals (batch pass)."""
        self.holes = 0
        """Number of values that are missing, as their numbers show."""
        self.buckets: dict[str, list[tuple[int, int]]] = {"+": [], "-": []}
        self.extremes: list[Extreme] = []
        self.window_width = 0
        self.maxima: list[int | None] = []

    def add_values(self, first: int, values: list[int]) -> None:
        """Adds raw samples or sets' totals; ``first`` is the number of the first value."""
        missing = first - len(self.values) - self.holes
        if missing < 0:
            raise Malformed(f"value {first} comes a second time")
        try:
            self.values += array("q", values)
        except OverflowError:
            raise Malformed("a value lies beyond 64 bits") from None
        self.holes += missing

    def add_buckets(self, side: str, flat: list[int], limit: int) -> None:
        """Adds buckets, as alternating index and count. ``limit`` is the first index beyond this side's buckets."""
        if len(flat) % 2:
            raise Malformed("a bucket has no count")
        pairs = list(zip(flat[::2], flat[1::2], strict=True))
        known = self.buckets[side]
        last = known[-1][0] if known else -1
        for index, count in pairs:
            if index <= last:
                raise Malformed(f"bucket {index} follows bucket {last}")
            if index >= limit:
                raise Malformed(f"the histogram has no bucket {index}")
            if count == 0:
                raise Malformed(f"bucket {index} is empty")
            last = index
        known.extend(pairs)

    def add_windows(self, first: int, width: int, values: list[int | None]) -> None:
        """Adds the maxima of windows, from window ``first`` on."""
        if width == 0 or (self.window_width and width != self.window_width):
            raise Malformed(f"windows of {width} ticks among windows of {self.window_width}")
        if first != len(self.maxima):
            raise Malformed(f"window {first} follows window {len(self.maxima) - 1}")
        self.window_width = width
        self.maxima.extend(values)

    def histogram(self, geometry: Geometry | None) -> Histogram | None:
        """The buckets as a histogram; None for a batch pass."""
        if geometry is None:
            return None
        return Histogram(
            geometry,
            tuple(self.buckets["+"]),
            tuple(self.buckets["-"]),
            int(self.end.overflow) if self.end else 0,
        )

    def windows(self) -> Windows | None:
        """The time plot, if the stream has one."""
        return Windows(self.window_width, tuple(self.maxima)) if self.maxima else None

    def little_endian(self) -> bytes:
        """The values as int64, little-endian."""
        values = self.values
        if sys.byteorder == "big":
            values = values[:]
            values.byteswap()
        return values.tobytes()


class ItemBuilder:
    """One item, from its first record to the end of the session."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.begin: records.BeginRecord | None = None
        self.skip: records.SkipRecord | None = None
        self.geometry: Geometry | None = None
        self.limits = {"+": 0, "-": 0}
        self.series: dict[int, SeriesBuilder] = {}
        self.notes: list[Note] = []
        self.checks: list[Check] = []
        self.figures: list[Figure] = []
        self.load: list[LoadFigure] = []
        self.events: list[Event] = []
        self.lost = False
        """Records were lost while this item was under way."""

    @property
    def answered(self) -> bool:
        """Whether the stream has reported the end of each series of this item, or that the item was skipped."""
        if self.skip is not None:
            return True
        return self.begin is not None and bool(self.series) and all(s.end is not None for s in self.series.values())

    def open(self, begin: records.BeginRecord) -> None:
        """Begins the item's measurement."""
        if self.begin is not None or self.skip is not None:
            raise Malformed(f"item {self.number} begins a second time")
        self.begin = begin
        if begin.pass_ == "single":
            if begin.sub_bits < 1:
                raise Malformed("a single pass has a histogram, and this one no sub_bits")
            self.geometry = Geometry(begin.sub_bits, begin.max_bits, begin.negative_bits)
            for side, bits in (("+", begin.max_bits), ("-", begin.negative_bits)):
                self.limits[side] = self.geometry.index((1 << bits) - 1) + 1 if bits else 0

    def close_unmeasured(self, skip: records.SkipRecord) -> None:
        """Closes an item that is not measured, or no longer measured."""
        if self.answered:
            raise Malformed(f"item {self.number} is answered a second time")
        self.skip = skip

    def name(self, record: records.SeriesRecord) -> None:
        """Adds a series for a quantity that the stream announces."""
        if record.index in self.series:
            raise Malformed(f"series {record.index} is announced a second time")
        if any(series.name == record.name for series in self.series.values()):
            raise Malformed(f"series {record.index} bears the name of another")
        self.series[record.index] = SeriesBuilder(record.index, record.name)

    def of(self, index: int) -> SeriesBuilder:
        """The series of that index, which must not have ended. A series that was never announced gets the measurement's
        name."""
        if self.begin is None:
            raise Malformed(f"item {self.number} has not begun")
        found = self.series.get(index)
        if found is None:
            self.name(records.SeriesRecord(self.number, index, self.begin.measurement))
            found = self.series[index]
        if found.end is not None:
            raise Malformed(f"series {index} of item {self.number} has ended before")
        return found

    def results(self, asked: Item | None) -> list[Result]:
        """One result for each series; a single result if the item was not measured or never answered."""
        return [_sensible(result) for result in self._results(asked)]

    def _results(self, asked: Item | None) -> list[Result]:
        if self.skip is not None:
            skip = self.skip
            ended = [self._result(s, asked) for _, s in sorted(self.series.items()) if s.end is not None]
            status: Status = "incomplete" if skip.reason == "interrupted" else "skipped"
            return [*ended, self._bare(asked, skip.measurement, status, skip.reason, skip.text or skip.service)]
        if self.begin is None or not self.series:
            text = "the stream has no end of it" if self.begin else "the stream does not say what became of it"
            return [self._bare(asked, "", "incomplete", "unanswered", text)]
        return [self._result(series, asked) for _, series in sorted(self.series.items())]

    def _bare(self, asked: Item | None, measurement: str, status: Status, reason: str, text: str) -> Result:
        name = measurement or (self.begin.measurement if self.begin else asked.measurement if asked else "")
        return Result(
            item=self.number,
            measurement=name,
            quantity=name,
            variant=self._variant(asked),
            status=status,
            reason=reason,
            text=text,
            meaning=self.begin.meaning if self.begin else 0,
            notes=tuple(self.notes),
            checks=tuple(self.checks),
            figures=tuple(self.figures),
            load=tuple(self.load),
            events=tuple(self.events),
        )

    def _variant(self, asked: Item | None) -> Variant:
        if asked is None:
            begin = self.begin
            return Variant(pass_=begin.pass_, load=begin.load) if begin else Variant()
        return Variant(**{name: getattr(asked, name) for name in Variant.__struct_fields__})

    def _result(self, series: SeriesBuilder, asked: Item | None) -> Result:
        begin = self.begin
        assert begin is not None  # noqa: S101 - results() calls this only after begin
        end = series.end
        batch = begin.pass_ == "batch"
        made = Result(
            item=self.number,
            measurement=begin.measurement,
            quantity=series.name,
            variant=self._variant(asked),
            status="ok",
            stop=end.stop if end else "",
            clock=begin.clock,
            cpu=begin.cpu,
            priority=begin.priority,
            ops=begin.ops if batch else 1,
            meaning=begin.meaning,
            readings=begin.readings,
            entered=begin.entered,
            count=int(end.count) if end else 0,
            overflow=int(end.overflow) if end else 0,
            dropped=int(end.dropped) if end else 0,
            min=end.min if end else None,
            max=end.max if end else None,
            sum=int(end.sum) if end else 0,
            sumsq=int(end.sumsq) if end else 0,
            elapsed=int(end.elapsed) if end else 0,
            batches=tuple(series.values) if batch else (),
            histogram=series.histogram(self.geometry),
            extremes=tuple(series.extremes),
            windows=series.windows(),
            notes=tuple(self.notes),
            checks=tuple(self.checks),
            figures=tuple(self.figures),
            load=tuple(self.load),
            events=tuple(event for event in self.events if not event.task or series is self.series[min(self.series)]),
            samples=series.little_endian() if len(series.values) and not batch else None,
        )
        status, reason, text = self._verdict(series, made, asked)
        return msgspec.structs.replace(made, status=status, reason=reason, text=text)

    def _verdict(self, series: SeriesBuilder, made: Result, asked: Item | None) -> tuple[Status, str, str]:
        end = series.end
        if end is None:
            return "incomplete", "unanswered", "the stream has no end of it"
        if self.lost:
            return "incomplete", "records-lost", "records of it were lost on the way"
        if end.status == "failed":
            return "failed", "failed", self._why("the engine could not go on with it")
        if end.stop == "interrupted":
            return "incomplete", "interrupted", "it was interrupted"
        broken = [c for c in self.checks if not c.holds]
        if broken:
            first = broken[0]
            return "invalid", "check", f"{first.name} is {first.value} and must lie in {first.low} … {first.high}"
        if end.status == "invalid":
            return "invalid", "check", self._why("the engine found it invalid")
        # Check first that the figures are possible numbers, before calculating with them.
        if sense.result_fault(made) is None:
            fault = sense.disagreement(made, raw=bool(asked and asked.raw), holes=series.holes)
        else:
            fault = None  # `_sensible` reports it
        if fault is not None:
            return "invalid", fault[0], fault[1]
        if asked is None:
            # The variant is not known. With the default variant, the result would look like another measurement.
            return (
                "incomplete",
                "variant-unknown",
                "the stream has lost what was asked of it, so its circumstances are unknown",
            )
        if end.dropped != "0":
            return "ok", "", f"counted in, but missing among the raw ones: {counted(int(end.dropped), 'sample')}"
        return "ok", "", ""

    def _why(self, otherwise: str) -> str:
        texts = [note.text for note in self.notes if note.kind in ("failed", "invalid", "environment") and note.text]
        return texts[-1] if texts else otherwise


def _sensible(result: Result) -> Result:
    """The result. If its figures are impossible, an invalid result without figures, since a reader of the run would
    fail on them."""
    fault = sense.result_fault(result)
    if fault is None:
        return result
    bare = Result(
        item=result.item,
        measurement=result.measurement,
        quantity=result.quantity,
        variant=Variant(pass_=result.variant.pass_),
        status="invalid",
        reason="sense",
        text=f"its figures are left out, since they make no sense: {fault}",
    )
    varied = msgspec.structs.replace(bare, variant=result.variant)
    return bare if sense.result_fault(varied) else varied


def extreme(record: records.ExtremeRecord) -> Extreme:
    """The record in the model's form."""
    return Extreme(record.value, int(record.index), int(record.at))
