# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Builds one session from its records, in the order in which they may come."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import msgspec

from rtstone.model import Calibration, Check, Clock, Degraded, Event, Figure, LoadFigure, Note, sense
from rtstone.stream import _records as records
from rtstone.stream import framing
from rtstone.stream._item import ItemBuilder, extreme
from rtstone.stream._parse import Malformed
from rtstone.stream.plan import Item


class SessionContent:
    """Gathers the content of a session's records. Raises Malformed for a record that is not allowed at its place."""

    def __init__(self, on_item: Callable[[], None]) -> None:
        self.hello: records.HelloRecord | None = None
        self.head: records.HeadRecord | None = None
        self.bye: records.ByeRecord | None = None
        self.refusal = ""
        self.env: dict[str, str] = {}
        self.asked: dict[int, Item] = {}
        self.clocks: list[Clock] = []
        self.calibrations: list[Calibration] = []
        self.degraded: list[Degraded] = []
        self.items: dict[int, ItemBuilder] = {}
        self.open: ItemBuilder | None = None
        self._on_item = on_item

    def take(self, kind: bytes, record: Any) -> None:
        """Uses one record of a known type."""
        if self.bye is not None:
            raise Malformed("a record after bye")
        _HANDLERS[kind](self, record)

    def lose(self) -> None:
        """Marks a loss of records: the item under way is then not reliable."""
        if self.open is not None:
            self.open.lost = True

    def item(self, number: int) -> ItemBuilder:
        """The builder of an item, made by the first record that names the item."""
        found = self.items.get(number)
        if found is None:
            found = self.items[number] = ItemBuilder(number)
        return found

    # --- one method a record type ----------------------------------------------------------------------------------

    def _hello(self, record: records.HelloRecord) -> None:
        self.hello = record

    def _env(self, record: records.EnvRecord) -> None:
        self.env[framing.clean(record.key)] = framing.clean(record.value)

    def _plan(self, record: records.HeadRecord) -> None:
        if self.head is not None:
            raise Malformed("the plan is echoed a second time")
        self.head = record

    def _item(self, record: Item) -> None:
        if record.item in self.asked:
            raise Malformed(f"item {record.item} of the plan is echoed a second time")
        self.asked[record.item] = record

    def _degraded(self, record: records.DegradedRecord) -> None:
        self.degraded.append(Degraded(*map(framing.clean, (record.reason, record.text, record.remedy))))

    def _clock(self, record: records.ClockRecord) -> None:
        hz = int(record.hz)
        low, high = sense.RANGES["Clock", "hz"]
        if not low <= hz <= high:
            raise Malformed("a clock has no frequency" if hz < low else "a clock has a frequency that none can have")
        if any(clock.id == record.id for clock in self.clocks):
            raise Malformed(f"clock {record.id} is told a second time")
        self.clocks.append(
            Clock(
                id=record.id,
                name=framing.clean(record.name),
                hz=hz,
                source=framing.clean(record.source),
                uncertainty_ppb=record.uncertainty_ppb,
                resolution_ticks=record.resolution_ticks,
            )
        )

    def _calibration(self, record: records.CalibrationRecord) -> None:
        self.calibrations.append(
            Calibration(
                name=framing.clean(record.name),
                clock=record.clock,
                count=record.count,
                total=int(record.total),
                min=record.min,
                median=record.median,
                max=record.max,
            )
        )

    def _begin(self, record: records.BeginRecord) -> None:
        if not any(clock.id == record.clock for clock in self.clocks):
            raise Malformed(f"item {record.item} is read on clock {record.clock}, which the stream has not told")
        item = self.item(record.item)
        item.open(msgspec.structs.replace(record, entered=framing.clean(record.entered)))
        self.open = item
        self._on_item()

    def _skip(self, record: records.SkipRecord) -> None:
        item = self.item(record.item)
        item.close_unmeasured(msgspec.structs.replace(record, text=framing.clean(record.text)))
        self._close(item)

    def _end(self, record: records.EndRecord) -> None:
        item = self._under_way(record.item)
        item.of(record.series).end = record
        if item.answered:
            self._close(item)

    def _close(self, item: ItemBuilder) -> None:
        if self.open is item:
            self.open = None
        self._on_item()

    def _under_way(self, number: int) -> ItemBuilder:
        if self.open is None or self.open.number != number:
            raise Malformed(f"item {number} is not under way")
        return self.open

    def _series(self, record: records.SeriesRecord) -> None:
        self._under_way(record.item).name(msgspec.structs.replace(record, name=framing.clean(record.name)))

    def _samples(self, record: records.SamplesRecord) -> None:
        self._under_way(record.item).of(record.series).add_values(record.first, record.v)

    def _batch(self, record: records.BatchRecord) -> None:
        item = self._under_way(record.item)
        if item.begin is None or item.begin.pass_ != "batch":
            raise Malformed("sets of a batch in a single pass")
        item.of(0).add_values(record.first, record.v)

    def _hist(self, record: records.HistRecord) -> None:
        item = self._under_way(record.item)
        item.of(record.series).add_buckets(record.side, record.b, item.limits[record.side])

    def _extreme(self, record: records.ExtremeRecord) -> None:
        self._under_way(record.item).of(record.series).extremes.append(extreme(record))

    def _window(self, record: records.WindowRecord) -> None:
        self._under_way(record.item).of(record.series).add_windows(record.first, int(record.width), record.v)

    # These five may come before begin or after end, since a load runs longer than the measurement under it.

    def _note(self, record: records.NoteRecord) -> None:
        self.item(record.item).notes.append(Note(*map(framing.clean, (record.kind, record.service, record.text))))

    def _check(self, record: records.CheckRecord) -> None:
        check = Check(framing.clean(record.name), int(record.value), int(record.low), int(record.high))
        self.item(record.item).checks.append(check)

    def _figure(self, record: records.FigureRecord) -> None:
        figure = Figure(framing.clean(record.name), framing.clean(record.unit), int(record.value))
        self.item(record.item).figures.append(figure)

    def _load(self, record: records.LoadRecord) -> None:
        figure = LoadFigure(framing.clean(record.name), framing.clean(record.key), int(record.value))
        self.item(record.item).load.append(figure)

    def _event(self, record: records.EventRecord) -> None:
        event = Event(
            kind=framing.clean(record.kind),
            at=int(record.at),
            value=int(record.value),
            ticks=int(record.ticks),
            task=framing.clean(record.task),
            pid=record.pid,
            priority=record.priority,
        )
        self.item(record.item).events.append(event)

    def _refused(self, record: records.RefusedRecord) -> None:
        self.refusal = framing.clean(record.text) or "it does not say why"

    def _bye(self, record: records.ByeRecord) -> None:
        self.bye = record


_HANDLERS: Final[dict[bytes, Callable[[SessionContent, Any], None]]] = {
    kind: getattr(SessionContent, f"_{kind.decode()}") for kind in (*records.TYPES, b"item")
}
