# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The two plots of a parameter: the raw values of the last set, and the histogram of all samples since Clear."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pyqtgraph
from numpy.typing import NDArray
from pydm.widgets.base import PyDMPrimitiveWidget
from pydm.widgets.channel import PyDMChannel
from qtpy.QtCore import QObject, QTimer, Slot
from qtpy.QtGui import QFont

from rtstone.ioc.display import style
from rtstone.ioc.display.figures import NS_PER_US

REDRAW_MS = 200
"""Redraw interval: values may come faster than anybody can see."""

_BASE = 0.5  # bars stand on half a sample, since a logarithmic axis has no zero
_LEFT_PX, _BOTTOM_PX = 58, 36
_TICKS_PT = 8


class LastValue(QObject):  # type: ignore[misc]
    """The last value of one record.

    An object of Qt's, made in the thread that draws:
    PyDM connects from a thread of its own, and a plain function would never receive values from there.
    """

    def __init__(self, parent: QObject, address: str) -> None:
        super().__init__(parent)
        self.channel = PyDMChannel(address=address, value_slot=self.keep)
        self.value: NDArray[np.float64] | None = None
        self.fresh = False

    @Slot(int)  # type: ignore[untyped-decorator]
    @Slot(float)  # type: ignore[untyped-decorator]
    @Slot(object)  # type: ignore[untyped-decorator]
    def keep(self, value: Any) -> None:
        """Stores a new value; a waveform of one value comes as a number."""
        self.value = np.atleast_1d(np.asarray(value, dtype=np.float64))
        self.fresh = True


class Decades(pyqtgraph.AxisItem):  # type: ignore[misc]
    """A logarithmic axis with labels as 1000 instead of 10³;
    an axis shorter than two decades also has 2 and 5 in between."""

    def logTickValues(  # noqa: N802 - pyqtgraph's name
        self, least: float, most: float, size: float, ticks: Any
    ) -> list[tuple[float | None, list[float]]]:
        """Positions of the ticks; all of these are logarithms."""
        between = (1, 2, 5) if most - least < 2 else (1,)
        decades = range(math.floor(least), math.ceil(most) + 1)
        found = [decade + math.log10(step) for decade in decades for step in between]
        return [(1.0, [value for value in found if least <= value <= most])]

    def logTickStrings(self, values: Any, scale: float, spacing: float) -> list[str]:  # noqa: N802 - pyqtgraph's name
        """Text of each tick; `values` are logarithms."""
        return [f"{10**value:,.0f}".replace(",", " ") if value >= 0 else f"{10**value:g}" for value in values]


class RecordPlot(pyqtgraph.PlotWidget, PyDMPrimitiveWidget):  # type: ignore[misc]
    """A plot of records: each value is kept as it comes, and drawn at the next tick of a timer."""

    limit_angle = 0
    axis = pyqtgraph.AxisItem

    def __init__(self, channels: dict[str, str], bottom: str, left: str) -> None:
        axes = {side: self.axis(side) for side in ("bottom", "left")}
        super().__init__(background=style.PAPER, axisItems=axes)
        self._kept = {what: LastValue(self, address) for what, address in channels.items()}
        font = QFont("DejaVu Sans", _TICKS_PT)
        for side, text in (("bottom", bottom), ("left", left)):
            axis = self.getAxis(side)
            axis.enableAutoSIPrefix(False)
            axis.setLabel(text, color=style.FAINT, **{"font-size": f"{_TICKS_PT}pt"})
            axis.setPen(style.RULE)
            axis.setTextPen(style.INK)
            axis.setTickFont(font)
        self.getAxis("left").setWidth(_LEFT_PX)
        self.getAxis("bottom").setHeight(_BOTTOM_PX)
        self.showGrid(x=True, y=True, alpha=0.12)
        self.hideButtons()
        self.setMenuEnabled(False)
        self._note = pyqtgraph.TextItem("", color=style.FAINT, anchor=(0.5, 0.5))
        self._note.setParentItem(self.getPlotItem().getViewBox())
        self.limit = pyqtgraph.InfiniteLine(angle=self.limit_angle, pen=pyqtgraph.mkPen(style.LIMIT, style=2, width=1))
        self.limit.hide()
        self.addItem(self.limit, ignoreBounds=True)
        self.say("no samples")
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._tick)
        self._timer.start(REDRAW_MS)

    def channels(self) -> list[Any]:
        """The channels that PyDM must connect."""
        return [kept.channel for kept in self._kept.values()]

    def shown(self) -> NDArray[np.float64]:
        """The drawn values, in the record's units."""
        values = self.latest("values")
        return np.empty(0) if values is None else values

    def latest(self, what: str) -> NDArray[np.float64] | None:
        """The last value of one of the records, or None."""
        return self._kept[what].value

    def number(self, what: str) -> float:
        """The last value of a record that is one number; 0 before the first value."""
        values = self.latest(what)
        return 0.0 if values is None or not len(values) else float(values[0])

    def draw(self) -> None:
        """Draw the latest values."""
        raise NotImplementedError

    def say(self, text: str) -> None:
        """A line in the middle of the plot, where there is nothing to plot; then it has no ticks either."""
        box = self.getPlotItem().getViewBox()
        self._note.setText(text)
        self._note.setPos(box.width() / 2, box.height() / 2)
        for side in ("bottom", "left"):
            self.getAxis(side).setStyle(showValues=not text)

    def note(self) -> str:
        """The line that `say` wrote."""
        return str(self._note.toPlainText())

    def nothing(self) -> str:
        """Why there is nothing to plot."""
        return "not measured: this sampler has no such stage" if self.number("total") > 0 else "no samples"

    def _tick(self) -> None:
        if any(kept.fresh for kept in self._kept.values()):
            for kept in self._kept.values():
                kept.fresh = False
            self.draw()

    def resizeEvent(self, event: Any) -> None:  # noqa: N802 - Qt's name
        """The note stays in the middle."""
        super().resizeEvent(event)
        if hasattr(self, "_note"):
            self.say(self.note())


class RawPlot(RecordPlot):
    """Each value of the last set, in µs, over its number in the set."""

    def __init__(self, values: str, limit: str, total: str) -> None:
        super().__init__({"values": values, "limit": limit, "total": total}, "sample of the last set", "µs")
        self._curve = self.plot(pen=pyqtgraph.mkPen(style.CURVE, width=1))
        self._curve.setDownsampling(auto=True, method="peak")

    def draw(self) -> None:
        """Values as a line, the limit across."""
        values = self.shown() / NS_PER_US
        self._curve.setData(np.arange(1, len(values) + 1), values, symbol="o" if len(values) == 1 else None)
        self.say("" if len(values) else self.nothing())
        self.limit.setValue(self.number("limit") / NS_PER_US)
        self.limit.setVisible(len(values) > 0)


class HistogramPlot(RecordPlot):
    """Counts over latency in µs, both axes logarithmic: the tail is what matters, and it is rare."""

    limit_angle = 90
    axis = Decades

    def __init__(self, counts: str, edges: str, limit: str, total: str) -> None:
        channels = {"values": counts, "edges": edges, "limit": limit, "total": total}
        super().__init__(channels, "µs", "samples")
        for side in ("bottom", "left"):
            self.getAxis(side).setLogMode(**{"x" if side == "bottom" else "y": True})
        pen = pyqtgraph.mkPen(style.CURVE, width=1)
        self._curve = pyqtgraph.PlotCurveItem(
            [0.0], [], stepMode="center", fillLevel=np.log10(_BASE), brush=style.BARS, pen=pen
        )
        self.addItem(self._curve)

    def draw(self) -> None:
        """Bars from the first bin that has a sample to the last one, the limit upright."""
        counts, edges, limit = self.shown(), self.latest("edges"), self.number("limit")
        full = np.flatnonzero(counts)
        if edges is None or len(edges) < len(counts) or not len(full):
            self._curve.setData([0.0], [], stepMode="center")
            self.limit.hide()
            self.say(self.nothing())
            return
        self.say("")
        first, last = full[0], full[-1]
        # The first bin holds what is below its upper edge; the last one ends nowhere: both are drawn one bin wide.
        inner = np.log10(np.maximum(edges[1:], 1) / NS_PER_US)
        width = inner[1] - inner[0]
        bounds = np.concatenate(([inner[0] - width], inner, [inner[-1] + width]))
        heights = np.log10(np.maximum(counts[first : last + 1], _BASE))
        self._curve.setData(bounds[first : last + 2], heights, stepMode="center")
        self.setYRange(np.log10(_BASE), max(heights.max(), 1) + 0.1, padding=0)
        if limit > 0:
            self.limit.setValue(np.log10(limit / NS_PER_US))
        self.limit.setVisible(limit > 0)
