# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""PyDM's label and line edit, with nanoseconds shown and typed as microseconds."""

from __future__ import annotations

import math
from typing import Any

from pydm.widgets import PyDMLabel, PyDMLineEdit
from qtpy.QtWidgets import QWidget

NS_PER_US = 1000
NOTHING = "–"


def figure_text(value: float, unit: str, precision: int) -> str:
    """A number with its unit: nanoseconds as µs with three digits, whole numbers with separators."""
    if unit == "ns":
        us = value / NS_PER_US
        return f"{us:.{3 if abs(us) < 10 else 2 if abs(us) < 100 else 1}f} µs" if abs(us) < 10_000 else f"{us:,.0f} µs"
    if isinstance(value, int):
        return f"{value:,}" if unit in ("samples", "sets", "starts", "") else f"{value:,} {unit}"
    return f"{value:.{precision}f} {unit}".rstrip()


class Figure(PyDMLabel):  # type: ignore[misc]
    """A record's value, its ground the colour of its alarm."""

    def __init__(self, channel: str, parent: QWidget | None = None) -> None:
        super().__init__(parent, channel)
        self.setProperty("role", "value")
        self.disconnectedText = NOTHING
        self.alarmSensitiveBorder = False
        self.setToolTip(channel)

    def value_changed(self, new_value: Any) -> None:
        """Show it; numbers in the screen's units."""
        super().value_changed(new_value)
        if self.enum_strings is None and isinstance(new_value, int | float):
            none = self._alarm_state == self.ALARM_INVALID or math.isnan(new_value)
            self.setText(NOTHING if none else figure_text(new_value, self._unit, self._prec or 0))

    def alarm_severity_changed(self, new_alarm_severity: int) -> None:
        """A number that is invalid is not shown, whatever it is."""
        super().alarm_severity_changed(new_alarm_severity)
        if self.value is not None:
            self.value_changed(self.value)


class Entry(PyDMLineEdit):  # type: ignore[misc]
    """A record that takes a whole number; one in nanoseconds is shown and typed as microseconds."""

    def __init__(self, channel: str, parent: QWidget | None = None) -> None:
        super().__init__(parent, channel)
        self.alarmSensitiveBorder = False
        self.setToolTip(channel)

    def set_display(self) -> None:
        """Show what the record has, unless somebody is typing."""
        if isinstance(self.value, int) and not self.hasFocus():
            self._has_displayed_value_yet = True
            factor = NS_PER_US if self._unit == "ns" else 1
            self._display = f"{self.value / factor:.12g}" + (" µs" if factor != 1 else "")
            self.setText(self._display)

    def send_value(self) -> None:
        """Write what was typed; what is no number is put back, and the record stays as it was."""
        factor = NS_PER_US if self._unit == "ns" else 1
        text = self.text().strip().removesuffix("µs").removesuffix("us").replace(",", "").strip()
        try:
            number = round(float(text) * factor)
        except (ValueError, OverflowError):
            number = None
        self.clearFocus()
        if number is not None and abs(number) < 2**31:
            self.send_value_signal[int].emit(number)
        self.set_display()
