# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The screens show the database's records: the content of both, and Phoebus's file, are compared with the records."""

from __future__ import annotations

import itertools
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from rtstone.ioc.display import content
from rtstone.ioc.display.bob import MACROS, bob

# ---- the database ----------------------------------------------------------------------------------------------------


def names_of_parameters(root: Path) -> list[str]:
    """The names of the parameters in the start-up script."""
    script = (root / "ioc" / "program" / "st.cmd").read_text(encoding="utf-8")
    return re.findall(r"parameter\.db.*NAME=(\w+)", script)


@pytest.fixture(scope="module")
def records(root: Path) -> set[str]:
    """Every record that the start-up script makes, without the prefix."""
    database = root / "ioc" / "database"
    found: set[str] = set()
    for file, names in (("port.db", [""]), ("parameter.db", names_of_parameters(root))):
        text = (database / file).read_text(encoding="utf-8")
        for record in re.findall(r'^record\(\w+, "\$\(P\)\$\(R=\)([^"]+)"\)', text, re.MULTILINE):
            found |= {record.replace("$(NAME)", name) for name in names}
    assert len(found) > 80
    return found


def test_every_record_on_the_screen_is_in_the_database(records: set[str]) -> None:
    shown = list(content.records())
    assert len(shown) == len(set(shown)) > 70
    assert {record.split(".")[0] for record in shown} <= records


def test_all_parameters_are_on_the_screen_in_the_order_of_the_path(root: Path) -> None:
    assert [parameter.record for parameter in content.PARAMETERS] == names_of_parameters(root)


def test_what_an_operator_may_want_is_on_the_screen(records: set[str]) -> None:
    """Records left out are internal, or counts that are on the screen as a share."""
    shown = {record.split(".")[0] for record in content.records()}
    left_out = {re.sub(r"^\w+:", ":", record) for record in records - shown}
    assert left_out == {
        *("limits", "results", "recounted", ":results", ":recounted", ":burstCount", ":burstOver", "columns", ":column")
    }


# ---- the file for Phoebus --------------------------------------------------------------------------------------------

# What Phoebus's display builder knows (package org.csstudio.display.builder.model.widgets of its sources): of each widget the version that
# it writes, and of its properties those that are used here. A name that it does not know it would pass over in silence.
COMMON = {"name", "x", "y", "width", "height"}
WIDGETS: dict[str, tuple[str, set[str]]] = {
    "label": ("2.0.0", {"text", "font"}),
    "rectangle": ("2.0.0", {"background_color", "line_width"}),
    "textupdate": ("2.0.0", {"pv_name", "show_units", "border_alarm_sensitive", "format"}),
    "textentry": ("2.0.0", {"pv_name", "show_units"}),
    "combo": ("2.0.0", {"pv_name", "items_from_pv"}),
    "action_button": ("3.0.0", {"actions", "pv_name", "text"}),
    "xyplot": ("3.0.0", {"show_toolbar", "show_legend", "x_axis", "y_axes", "traces"}),
}
AXIS = {"title", "autoscale", "log_scale", "show_grid"}
WITHIN: dict[str, set[str]] = {
    "actions": {"action"},
    "action": {"pv_name", "value", "description"},
    "x_axis": AXIS,
    "y_axes": {"y_axis"},
    "y_axis": AXIS,
    "traces": {"trace"},
    "trace": {"name", "x_pv", "y_pv", "axis", "trace_type", "color", "line_width", "point_type"},
    "background_color": {"color"},
    "font": {"font"},
}
BOOLEANS = {"show_units", "border_alarm_sensitive", "items_from_pv", "show_toolbar", "show_legend", *AXIS - {"title"}}
NUMBERS = {"x", "y", "width", "height", "line_width", "axis", "trace_type", "point_type", "format"}
TRACE_TYPES = {"1": "line", "2": "step"}
ATTRIBUTES = {"color": {"red", "green", "blue"}, "font": {"family", "style", "size"}}


@pytest.fixture(scope="module")
def display(root: Path) -> ElementTree.Element:
    """The file, read."""
    return ElementTree.parse(root / "ioc" / "display" / "rtstone.bob").getroot()  # noqa: S314 - our own file


def test_the_file_is_made_of_the_content(root: Path) -> None:
    found = (root / "ioc" / "display" / "rtstone.bob").read_text(encoding="utf-8")
    assert found == bob(), "make it anew: python -m rtstone.ioc.display.bob > ioc/display/rtstone.bob"


def test_every_widget_and_property_is_one_that_phoebus_has(display: ElementTree.Element) -> None:
    assert (display.tag, display.attrib) == ("display", {"version": "2.0.0"})
    assert {child.tag for child in display} == {"name", "macros", "width", "height", "background_color", "widget"}
    widgets = display.findall("widget")
    assert {widget.get("type") for widget in widgets} == set(WIDGETS)
    for widget in widgets:
        version, properties = WIDGETS[str(widget.get("type"))]
        assert widget.get("version") == version
        tags = [child.tag for child in widget]
        assert len(tags) == len(set(tags)), tags
        assert COMMON <= set(tags) <= COMMON | properties, widget.get("type")
        for part in widget.iter():
            check_property(part)
    assert {trace.findtext("trace_type") for trace in display.iter("trace")} == set(TRACE_TYPES)


def check_property(part: ElementTree.Element) -> None:
    """A property has the parts, the kind of value and the attributes that Phoebus reads."""
    children = {child.tag for child in part}
    text = part.text or ""
    if part.tag in BOOLEANS:
        assert text in ("true", "false"), part.tag
    elif part.tag in NUMBERS:
        assert int(text) >= 0, part.tag
    elif part.tag in WITHIN:
        if part.attrib and part.tag in ATTRIBUTES:
            assert set(part.attrib) == ATTRIBUTES[part.tag]
        elif part.tag == "action":
            assert part.attrib == {"type": "write_pv"}
            assert children == WITHIN["action"]
        else:
            assert children <= WITHIN[part.tag], part.tag
            assert children, part.tag
    elif part.tag == "color" and part.attrib:
        assert all(0 <= int(value) <= 255 for value in part.attrib.values())


def test_it_shows_the_records_of_the_content_and_no_others(display: ElementTree.Element) -> None:
    begin = "$(P)$(R)"
    shown = [part.text for tag in ("pv_name", "x_pv", "y_pv") for part in display.iter(tag) if part.text]
    assert all(name.startswith(begin) for name in shown)
    assert {name.removeprefix(begin) for name in shown} == set(content.records())
    macros = display.find("macros")
    assert macros is not None
    assert {macro.tag: macro.text or "" for macro in macros} == MACROS == {"P": "rtstone:", "R": ""}


def test_buttons_write_and_plots_plot(display: ElementTree.Element) -> None:
    buttons = [widget for widget in display.findall("widget") if widget.get("type") == "action_button"]
    assert [button.findtext("actions/action/pv_name") for button in buttons] == [
        f"$(P)$(R){item.record}" for item in content.BUTTONS
    ]
    plots = [widget for widget in display.findall("widget") if widget.get("type") == "xyplot"]
    assert len(plots) == 2 * len(content.PARAMETERS)
    for plot in plots:
        histogram = str(plot.findtext("name")).endswith(":histogram")
        assert plot.findtext("x_axis/log_scale") == plot.findtext("y_axes/y_axis/log_scale") == str(histogram).lower()
        assert bool(plot.findtext("traces/trace/x_pv")) is histogram


def test_nothing_lies_on_another_or_outside(display: ElementTree.Element) -> None:
    right, bottom = int(str(display.findtext("width"))), int(str(display.findtext("height")))
    places = []
    for widget in display.findall("widget"):
        x, y, width, height = (int(str(widget.findtext(tag))) for tag in ("x", "y", "width", "height"))
        assert x >= 0
        assert x + width <= right, widget.findtext("name")
        assert y + height <= bottom, widget.findtext("name")
        if widget.get("type") != "rectangle":  # the ground that others lie on
            places.append((str(widget.findtext("name")), (x, y, x + width, y + height)))
    for (one, a), (other, b) in itertools.combinations(places, 2):
        assert a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1], (one, other)
