# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""A page with charts of bars as a browser's parser has it: the bars, their dots, and the text that a reader sees."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import NamedTuple


class Bar(NamedTuple):
    """A bar of a chart; places are percentages of the chart."""

    chart: str
    start: float
    width: float
    top: int
    title: str


class Page(HTMLParser):
    """The content of the page. `elements`: how many of each."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.bars: list[Bar] = []
        self.dots: list[tuple[float, float]] = []
        self.elements: dict[str, int] = {}
        self.text = ""
        self._chart = ""
        self._bar: dict[str, str | None] | None = None
        self._in = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements[tag] = self.elements.get(tag, 0) + 1
        found = dict(attrs)
        if tag == "div" and found.get("id"):
            self._chart = found["id"] or ""
        if tag == "svg" and found.get("class") == "bar":
            self._bar = found
        if tag == "circle":
            self.dots.append((float((found["cx"] or "").removesuffix("%")), float(found["cy"] or 0)))
        self._in = tag

    def handle_endtag(self, tag: str) -> None:
        self._in = ""

    def handle_data(self, data: str) -> None:
        if self._in in {"script", "style"}:
            return
        self.text += data
        if self._in == "title" and self._bar is not None:
            start, width = (float((self._bar[name] or "").removesuffix("%")) for name in ("x", "width"))
            self.bars.append(Bar(self._chart, start, width, int(self._bar["y"] or 0), data))
            self._bar = None
