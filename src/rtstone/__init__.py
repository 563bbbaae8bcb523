# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""rtstone measures how fast and how reliably a kernel responds. In Python: `rtstone.open()` gives an archive to query and plot.

Importing this package is fast; an archive's libraries are imported with the first call (docs/reference/python-api.md).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rtstone.version import __version__

if TYPE_CHECKING:
    from rtstone.api import Archive, Plot, Quantity, Results, Run, open, read  # noqa: A004 - rtstone.open

__all__ = ["Archive", "Plot", "Quantity", "Results", "Run", "__version__", "open", "read"]


def __getattr__(name: str) -> object:
    """Imports a name of the API at its first use."""
    if name in __all__:
        from rtstone import api

        return getattr(api, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """For completion in a notebook."""
    return sorted(__all__)
