# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Addresses of pages: a word for the page, and a query that names its subject, so it can contain any id."""

from __future__ import annotations

from urllib.parse import urlencode

from rtstone.studies import studies


def address(page: str, *, form: str = "", **query: str | None) -> str:
    """`/run?id=…`. `form`: json or openmetrics instead of the page. Omits query keys with the value None."""
    ending = f".{form}" if form else ""
    asked = urlencode({name: value for name, value in query.items() if value is not None})
    return f"/{page}{ending}" + (f"?{asked}" if asked else "")


def links() -> list[tuple[str, str]]:
    """Title and address of the entries that come first in the contents of every page."""
    return [
        ("All machines", "/"),
        ("Queue", address("queue")),
        *((f"Study {one.id}", address("study", id=one.id)) for one in studies()),
    ]
