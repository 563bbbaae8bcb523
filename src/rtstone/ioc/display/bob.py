# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The screen as a file for Phoebus: `python -m rtstone.ioc.display.bob > ioc/display/rtstone.bob`.

Times are nanoseconds there, as the records have them: Phoebus shows a record in the record's own unit. Widgets and properties are those of
its display builder's model, version 4 (display 2.0.0, xyplot 3.0.0).
"""

from __future__ import annotations

import sys
from xml.etree import ElementTree

from rtstone.ioc.display import content
from rtstone.ioc.display.content import ScreenItem

MACROS = {"P": "rtstone:", "R": ""}
"""Macros of the file, with their defaults: every record's name begins with $(P)$(R)."""

WIDTH, MARGIN, GAP = 1320, 10, 6
_LINE, _BUTTON = 20, 30
_PARAMETER_HEIGHT = 170
_FIGURES, _RAW = 350, 560
_STEP, _LINES = "2", "1"  # of a trace
_STRING = "6"  # of a text: bytes as a text
_BLUE, _GROUND, _PAPER = (31, 95, 168), (238, 241, 244), (255, 255, 255)

_TAG = "SPDX"  # by itself, or the notice of the file that is made would be taken for one of this file
_NOTICE = f" {_TAG}-FileCopyrightText: 2026 rtstone contributors\n     {_TAG}-License-Identifier: Apache-2.0\n     "
_ABOUT = "The screen of rtstone's IOC for Phoebus, made by `python -m rtstone.ioc.display.bob`."


def bob() -> str:
    """The file's text."""
    display = ElementTree.Element("display", version="2.0.0")
    _texts(display, name="rtstone ioc $(P)$(R)")
    macros = ElementTree.SubElement(display, "macros")
    _texts(macros, **MACROS)
    size = {name: ElementTree.SubElement(display, name) for name in ("width", "height")}
    _color(display, "background_color", _GROUND)
    y = _heading(display)
    y = _controls(display, y)
    y = _standing(display, y)
    for parameter in content.PARAMETERS:
        y = _parameter(display, parameter, y)
    size["width"].text, size["height"].text = str(WIDTH), str(y + MARGIN)
    ElementTree.indent(display)
    notice = f"<!--{_NOTICE}{_ABOUT} -->"
    text = ElementTree.tostring(display, encoding="unicode", short_empty_elements=False)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{notice}\n{text}\n'


def _record(record: str) -> str:
    return f"$(P)$(R){record}"


def _texts(parent: ElementTree.Element, **properties: object) -> None:
    for name, value in properties.items():
        ElementTree.SubElement(parent, name).text = str(value)


def _color(parent: ElementTree.Element, name: str, color: tuple[int, int, int]) -> None:
    holder = ElementTree.SubElement(parent, name)
    channels = zip(("red", "green", "blue"), color, strict=True)
    ElementTree.SubElement(holder, "color", {channel: str(value) for channel, value in channels})


def _font(parent: ElementTree.Element, size: float, *, bold: bool) -> None:
    holder = ElementTree.SubElement(parent, "font")
    style = "BOLD" if bold else "REGULAR"
    ElementTree.SubElement(holder, "font", family="Liberation Sans", style=style, size=str(size))


def _widget(
    parent: ElementTree.Element, kind: str, name: str, x: int, y: int, width: int, height: int, version: str = "2.0.0"
) -> ElementTree.Element:
    widget = ElementTree.SubElement(parent, "widget", type=kind, version=version)
    _texts(widget, name=name, x=x, y=y, width=width, height=height)
    return widget


def _label(
    parent: ElementTree.Element, text: str, x: int, y: int, width: int, *, size: float = 12, bold: bool = False
) -> None:
    height = round(size * 1.7)
    label = _widget(parent, "label", text, x, y, width, height)
    _texts(label, text=text)
    _font(label, size, bold=bold)


def _update(parent: ElementTree.Element, record: str, x: int, y: int, width: int) -> ElementTree.Element:
    """A value with its unit; its border shows its alarm."""
    update = _widget(parent, "textupdate", record, x, y, width, _LINE)
    _texts(update, pv_name=_record(record), show_units="true", border_alarm_sensitive="true")
    return update


def _heading(display: ElementTree.Element) -> int:
    _label(display, content.HEADING, MARGIN, MARGIN, 700, size=18, bold=True)
    _label(display, "$(P)$(R)", WIDTH - 300, MARGIN, 290, size=14, bold=True)
    return MARGIN + 36


def _controls(display: ElementTree.Element, y: int) -> int:
    x = MARGIN
    for item in content.BUTTONS:
        button = _widget(display, "action_button", item.record, x, y, 110, _BUTTON, "3.0.0")
        action = ElementTree.SubElement(ElementTree.SubElement(button, "actions"), "action", type="write_pv")
        _texts(action, pv_name=_record(item.record), value=1, description=item.label)
        _texts(button, pv_name=_record(item.record), text=item.label)
        x += 110 + GAP
    x += 20
    _label(display, content.PERIOD.label, x, y + 5, 95)
    period = _widget(display, "combo", content.PERIOD.record, x + 95, y, 130, _BUTTON)
    _texts(period, pv_name=_record(content.PERIOD.record), items_from_pv="true")
    x += 95 + 130 + 20
    for item in content.ENTRIES:
        _label(display, item.label, x, y + 5, 110)
        entry = _widget(display, "textentry", item.record, x + 110, y, 130, _BUTTON)
        _texts(entry, pv_name=_record(item.record), show_units="true")
        x += 110 + 130 + 20
    message = _update(display, content.MESSAGE.record, x, y + 5, WIDTH - MARGIN - x)
    _texts(message, format=_STRING)
    return y + _BUTTON + GAP


def _standing(display: ElementTree.Element, y: int) -> int:
    items = (*content.RESULTS, *content.STANDING)
    width = (WIDTH - 2 * MARGIN) // len(items)
    for column, item in enumerate(items):
        x = MARGIN + column * width
        _label(display, item.label, x, y, width - GAP)
        _update(display, item.record, x, y + _LINE, width - GAP)
    return y + 2 * _LINE + 2 * GAP


def _parameter(display: ElementTree.Element, parameter: ScreenItem, y: int) -> int:
    ground = _widget(
        display, "rectangle", f"{parameter.record} ground", MARGIN, y, WIDTH - 2 * MARGIN, _PARAMETER_HEIGHT
    )
    _color(ground, "background_color", _PAPER)
    _texts(ground, line_width=0)
    x = MARGIN + GAP
    _label(display, parameter.label, x, y + 2, _FIGURES, size=14, bold=True)
    width = _FIGURES // content.FIGURE_COLUMNS
    for index, item in enumerate(content.FIGURES):
        row, column = divmod(index, content.FIGURE_COLUMNS)
        left, top = x + column * width, y + 30 + row * 2 * (_LINE + 2)
        _label(display, item.label, left, top, width - GAP)
        _update(display, parameter.record + item.record, left, top + _LINE, width - GAP)
    x += _FIGURES
    height = _PARAMETER_HEIGHT - 2 * GAP
    raw = _plot(display, parameter.record, (x, y + GAP, _RAW, height), ("sample of the last set", "ns"), log=False)
    _trace(raw, "", parameter.record + content.RAW.record, _LINES)
    x += _RAW + GAP
    record = parameter.record + content.HISTOGRAM.record
    counts = _plot(display, record, (x, y + GAP, WIDTH - MARGIN - GAP - x, height), ("ns", "samples"), log=True)
    _trace(counts, content.EDGES.record, record, _STEP)
    return y + _PARAMETER_HEIGHT + GAP


def _plot(
    display: ElementTree.Element,
    record: str,
    place: tuple[int, int, int, int],
    titles: tuple[str, str],
    *,
    log: bool,
) -> ElementTree.Element:
    plot = _widget(display, "xyplot", record, *place, version="3.0.0")
    _texts(plot, show_toolbar="false", show_legend="false")
    common = {"autoscale": "true", "log_scale": "true" if log else "false", "show_grid": "true"}
    _texts(ElementTree.SubElement(plot, "x_axis"), title=titles[0], **common)
    axis = ElementTree.SubElement(ElementTree.SubElement(plot, "y_axes"), "y_axis")
    _texts(axis, title=titles[1], **common)
    return plot


def _trace(plot: ElementTree.Element, x_record: str, y_record: str, kind: str) -> None:
    trace = ElementTree.SubElement(ElementTree.SubElement(plot, "traces"), "trace")
    _texts(trace, name=y_record, x_pv=_record(x_record) if x_record else "", y_pv=_record(y_record), axis=0)
    _texts(trace, trace_type=kind)
    _color(trace, "color", _BLUE)
    _texts(trace, line_width=1, point_type=0)


if __name__ == "__main__":
    sys.stdout.write(bob())
