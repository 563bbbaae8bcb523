# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The IOC's screen in PyDM. `pydm screen.py -m P=rtstone:` opens it as well."""

from __future__ import annotations

from collections.abc import Sequence

from pydm import Display
from pydm.widgets import PyDMEnumComboBox, PyDMPushButton
from qtpy.QtCore import Qt
from qtpy.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from rtstone.ioc.display import content, style
from rtstone.ioc.display.content import ScreenItem
from rtstone.ioc.display.plots import HistogramPlot, RawPlot
from rtstone.ioc.display.widgets import ValueEntry, ValueLabel

SIZE = (1320, 1000)
_FIGURES_PX = 330


def _label(text: str, role: str) -> QLabel:
    made = QLabel(text)
    made.setProperty("role", role)
    return made


class Screen(Display):  # type: ignore[misc]
    """All of `content`, for the records whose names begin with the macros P and R."""

    def __init__(
        self, parent: QWidget | None = None, args: list[str] | None = None, macros: dict[str, str] | None = None
    ) -> None:
        super().__init__(parent=parent, args=args, macros=macros)
        given = macros or {}
        self.prefix = given.get("P", "rtstone:") + given.get("R", "")
        self.setObjectName("screen")
        self.setAttribute(Qt.WA_StyledBackground)
        self.setWindowTitle(f"{self.prefix} – rtstone ioc")
        self.setStyleSheet(style.SHEET)
        self.resize(*SIZE)
        rows = QVBoxLayout(self)
        rows.setContentsMargins(10, 8, 10, 8)
        rows.setSpacing(6)
        rows.addLayout(self._heading())
        rows.addWidget(self._controls())
        rows.addWidget(self._standing())
        for parameter in content.PARAMETERS:
            rows.addWidget(self._parameter(parameter), stretch=1)
        rows.addLayout(self._legend())

    def ui_filename(self) -> None:
        """Returns no file name: the screen is made of `content`."""
        return

    def channel(self, record: str) -> str:
        """The address under which PyDM finds a record."""
        return f"ca://{self.prefix}{record}"

    def _named(self, widget: QWidget, record: str) -> QWidget:
        widget.setObjectName(record)  # for tests, and for inspection by hand
        return widget

    def _figure(self, record: str) -> QWidget:
        return self._named(ValueLabel(self.channel(record)), record)

    def _heading(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.addWidget(_label(content.HEADING, "heading"))
        row.addStretch(1)
        row.addWidget(_label(self.prefix, "title"))
        return row

    def _controls(self) -> QFrame:
        frame, row = self._panel()
        for item in content.BUTTONS:
            button = PyDMPushButton(label=item.label, pressValue=1, init_channel=self.channel(item.record))
            button.alarmSensitiveBorder = False
            row.addWidget(self._named(button, item.record))
        row.addSpacing(16)
        row.addWidget(_label(content.PERIOD.label, "label"))
        period = PyDMEnumComboBox(init_channel=self.channel(content.PERIOD.record))
        period.alarmSensitiveBorder = False
        period.setMinimumWidth(120)
        row.addWidget(self._named(period, content.PERIOD.record))
        for item in content.ENTRIES:
            row.addSpacing(16)
            row.addWidget(_label(item.label, "label"))
            entry = ValueEntry(self.channel(item.record))
            entry.setFixedWidth(110)
            entry.setAlignment(Qt.AlignRight)
            row.addWidget(self._named(entry, item.record))
        row.addStretch(1)
        row.addWidget(self._figure(content.MESSAGE.record))
        return frame

    def _standing(self) -> QFrame:
        frame, row = self._panel()
        grid = QGridLayout()
        grid.setHorizontalSpacing(24)
        grid.setVerticalSpacing(1)
        for column, item in enumerate((*content.RESULTS, *content.STANDING)):
            grid.addWidget(_label(item.label, "label"), 0, column)
            figure = self._figure(item.record)
            figure.setMinimumWidth(70)
            grid.addWidget(figure, 1, column, Qt.AlignLeft)
        row.addLayout(grid)
        row.addStretch(1)
        return frame

    def _parameter(self, parameter: ScreenItem) -> QFrame:
        frame, row = self._panel()
        name = parameter.record
        left = QVBoxLayout()
        left.addWidget(_label(parameter.label, "title"))
        left.addLayout(self._figures(name, content.FIGURES))
        left.addStretch(1)
        side = QWidget()
        side.setLayout(left)
        left.setContentsMargins(0, 0, 0, 0)
        side.setFixedWidth(_FIGURES_PX)
        row.addWidget(side)
        limit, total = self.channel("limit"), self.channel("count")
        raw = RawPlot(self.channel(name + content.RAW.record), limit, total)
        row.addWidget(self._named(raw, name), stretch=3)
        counts, edges = self.channel(name + content.HISTOGRAM.record), self.channel(content.EDGES.record)
        histogram = HistogramPlot(counts, edges, limit, total)
        row.addWidget(self._named(histogram, name + content.HISTOGRAM.record), stretch=2)
        return frame

    def _figures(self, name: str, items: Sequence[ScreenItem]) -> QGridLayout:
        grid = QGridLayout()
        grid.setHorizontalSpacing(8)
        grid.setVerticalSpacing(0)
        for index, item in enumerate(items):
            row, column = divmod(index, content.FIGURE_COLUMNS)
            grid.addWidget(_label(item.label, "label"), 2 * row, column)
            grid.addWidget(self._figure(name + item.record), 2 * row + 1, column)
            grid.setColumnStretch(column, 1)
        return grid

    def _legend(self) -> QHBoxLayout:
        row = QHBoxLayout()
        for severity, text in content.ALARMS:
            swatch = QLabel(text)
            swatch.setProperty("swatch", severity)
            row.addWidget(swatch)
        row.addWidget(_label("red line: the limit", "note"))
        row.addStretch(1)
        return row

    @staticmethod
    def _panel() -> tuple[QFrame, QHBoxLayout]:
        frame = QFrame()
        frame.setProperty("panel", True)
        row = QHBoxLayout(frame)
        row.setContentsMargins(10, 5, 10, 5)
        return frame, row
