# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The IOC's screen as a program that is clicked on from outside: one JSON request a line in, one JSON answer a line out.

A process of its own, drawn without a screen; opened as PyDM opens any file, so that this way is tried too.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any

from epicscorelibs.path import get_lib

os.environ["PYEPICS_LIBCA"] = get_lib("ca")

from pydm import PyDMApplication
from pydm.display import load_file
from pydm.utilities import establish_widget_connections
from qtpy.QtCore import QPoint, QSocketNotifier, Qt
from qtpy.QtTest import QTest
from qtpy.QtWidgets import QWidget

from rtstone.ioc.display import screen as module
from rtstone.ioc.display.plots import RecordPlot
from rtstone.ioc.display.repeater import stand_in


class Hands:
    """The actions and views of a user in front of the screen. A widget's name is the record's name."""

    def __init__(self, screen: Any) -> None:
        self._screen = screen

    def _widget(self, name: str) -> Any:
        found = self._screen.findChild(QWidget, name)
        assert found is not None, f"nothing on the screen is called {name}"
        return found

    def click(self, name: str) -> None:
        """The left button of the mouse."""
        QTest.mouseClick(self._widget(name), Qt.LeftButton)

    def type(self, name: str, text: str) -> None:
        """Click into a field, replace what it has, and press Return."""
        field = self._widget(name)
        QTest.mouseClick(field, Qt.LeftButton)
        field.selectAll()
        QTest.keyClick(field, Qt.Key_Delete)
        QTest.keyClicks(field, text)
        QTest.keyClick(field, Qt.Key_Return)

    def choose(self, name: str, text: str) -> None:
        """An entry of a menu, by its text."""
        menu = self._widget(name)
        QTest.keyClick(menu, Qt.Key_Home)
        for _ in range(menu.findText(text) - menu.currentIndex()):
            QTest.keyClick(menu, Qt.Key_Down)

    def look(self, name: str) -> dict[str, Any]:
        """The visible state of a widget: text, colours and place of a field; the values of a plot and its note."""
        widget = self._widget(name)
        corner = widget.mapTo(self._screen, QPoint(0, 0))
        seen: dict[str, Any] = {"place": [corner.x(), corner.y(), widget.width(), widget.height()]}
        if isinstance(widget, RecordPlot):
            return seen | {"values": widget.shown().tolist(), "note": widget.note()}
        text = widget.currentText() if hasattr(widget, "currentText") else widget.text()
        return seen | {"text": text, "enabled": widget.isEnabled(), "severity": widget.property("alarmSeverity")}

    def texts(self) -> list[dict[str, Any]]:
        """Each text on the screen with its place, and the place that it would like to have."""
        found = []
        for widget in self._screen.findChildren(QWidget):
            if hasattr(widget, "text") and widget.isVisible() and not isinstance(widget, RecordPlot):
                corner = widget.mapTo(self._screen, QPoint(0, 0))
                wanted = widget.sizeHint().width() if type(widget).__name__ in ("QLabel", "Figure") else 0
                place = [corner.x(), corner.y(), widget.width(), widget.height()]
                found.append({"text": widget.text(), "place": place, "wants": wanted})
        return found

    def picture(self, path: str) -> None:
        """Save an image of the screen as PNG."""
        assert self._screen.grab().save(path, "PNG")


def main() -> int:
    """Serve requests until nobody asks any more."""
    stand_in()
    application = PyDMApplication(use_main_window=False)
    path = module.__file__
    assert path is not None
    screen = load_file(path, macros={"P": sys.argv[1]}, target=None)
    establish_widget_connections(screen)
    screen.show()
    hands = Hands(screen)

    def answer() -> None:
        line = sys.stdin.readline()
        if not line:
            application.quit()
            return
        request = json.loads(line)
        try:
            found = getattr(hands, request.pop("do"))(**request)
        except Exception as error:  # noqa: BLE001 - every error is reported
            found = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(found), flush=True)

    notifier = QSocketNotifier(sys.stdin.fileno(), QSocketNotifier.Read)
    notifier.activated.connect(answer)
    return int(application.exec_())


if __name__ == "__main__":
    code = main()
    sys.stdout.flush()
    os._exit(code)
