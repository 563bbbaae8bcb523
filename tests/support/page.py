# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""A page taken apart as a browser does it: elements and attributes, text, scripts and styles."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from typing import Any


class Page(HTMLParser):
    """The elements and texts that a parser finds in a page."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []
        self.raw: dict[str, list[str]] = {"script": [], "style": []}
        self._in = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Called by the parser."""
        self.elements.append((tag, dict(attrs)))
        if tag in self.raw:
            self._in = tag
            self.raw[tag].append("")

    def handle_endtag(self, tag: str) -> None:
        """Called by the parser."""
        if tag == self._in:
            self._in = ""

    def handle_data(self, data: str) -> None:
        """Called by the parser."""
        if self._in:
            self.raw[self._in][-1] += data
        else:
            self.text.append(data)

    @property
    def words(self) -> str:
        """All text outside scripts and styles, its blanks made single."""
        return " ".join(" ".join(self.text).split())

    @property
    def charts(self) -> Any:
        """The block of JSON that a report's charts are drawn from."""
        return json.loads(self.raw["script"][0])

    def count(self, tag: str) -> int:
        """How many elements of this name there are."""
        return sum(name == tag for name, _ in self.elements)

    def with_attribute(self, name: str, value: str) -> int:
        """How many elements have this attribute with this value."""
        return sum(attributes.get(name) == value for _, attributes in self.elements)

    def handlers(self) -> list[str]:
        """Attributes that would run script."""
        return [name for _, attributes in self.elements for name in attributes if name.startswith("on")]
