# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""PyDM's label and line edit, with nanoseconds shown and typed as microseconds."""

from __future__ import annotations

from typing import Any

import numpy as np
from pydm.widgets import PyDMLabel, PyDMLineEdit
from qtpy.QtWidgets import QWidget

from rtstone.ioc.display.figures import NOTHING, NS_PER_US, figure_text, typed


def _text(letters: Any) -> str:
    """A text of any length, as Channel Access brings it: its bytes, or one number where it is one byte."""
    return bytes(np.atleast_1d(letters).astype(np.uint8)).split(b"\0")[0].decode("utf-8", "replace")


class ValueLabel(PyDMLabel):  # type: ignore[misc]
    """A record's value; the background has the colour of its alarm."""

    def __init__(self, channel: str, parent: QWidget | None = None) -> None:
        super().__init__(parent, channel)
        self.setProperty("role", "value")
        self.disconnectedText = NOTHING
        self.alarmSensitiveBorder = False
        self.setToolTip(channel)

    def value_changed(self, new_value: Any) -> None:
        """Show the value; numbers in the screen's units."""
        if not isinstance(new_value, str) and self.channel is not None and str(self.channel).endswith("$"):
            new_value = _text(new_value)
        super().value_changed(new_value)
        if self.enum_strings is None and isinstance(new_value, int | float):
            invalid = self._alarm_state == self.ALARM_INVALID
            self.setText(NOTHING if invalid else figure_text(new_value, self._unit, self._prec or 0))

    def alarm_severity_changed(self, new_alarm_severity: int) -> None:
        """Hides an invalid number."""
        super().alarm_severity_changed(new_alarm_severity)
        if self.value is not None:
            self.value_changed(self.value)


class ValueEntry(PyDMLineEdit):  # type: ignore[misc]
    """A record that takes a whole number; one in nanoseconds is shown and typed as microseconds.

    Its background has the alarm's colour if the record has refused the typed value.
    """

    def __init__(self, channel: str, parent: QWidget | None = None) -> None:
        super().__init__(parent, channel)
        self.setProperty("role", "entry")
        self.alarmSensitiveBorder = False
        self.setToolTip(channel)

    def set_display(self) -> None:
        """Show the record's value, unless the user is typing."""
        if isinstance(self.value, int | float) and not self.hasFocus():
            self._has_displayed_value_yet = True
            factor = NS_PER_US if self._unit == "ns" else 1
            self._display = f"{self.value / factor:.12g}" + (" µs" if factor != 1 else "")
            self.setText(self._display)

    def send_value(self) -> None:
        """Write the typed value.
        If the record refuses it, or it is not a number, the old value returns and the alarm shows it."""
        number = typed(self.text(), self._unit)
        self.clearFocus()
        self.send_value_signal[float].emit(number)
        self.set_display()
