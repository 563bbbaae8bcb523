# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The script that draws charts in a browser (Vega, Vega-Lite, vega-embed).

A wheel contains it: cmake/wheel.cmake runs this file when the wheel is built. In a checkout vl-convert makes it once,
and it is saved in the cache.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import sys
import tempfile
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from types import ModuleType

VEGA_LITE = "6.1"
"""Version of Vega-Lite that the charts are written for."""

_SNIPPET = "window.vegaEmbed = vegaEmbed;"
_NOTICE = """/*! Vega, Vega-Lite, vega-embed: Copyright University of Washington Interactive Data Lab and contributors, BSD-3-Clause.
D3: Copyright Mike Bostock, ISC. Their texts: https://github.com/vega, https://github.com/d3 */
"""


def library() -> ModuleType:
    """The library that draws charts without a browser. Raises InfrastructureError if it is not installed."""
    try:
        import vl_convert
    except ModuleNotFoundError:
        from rtstone.errors import InfrastructureError

        raise InfrastructureError("images of charts need vl-convert: pip install 'rtstone[images]'") from None
    return vl_convert


def script() -> str:
    """The bundle's text, safe within a script element. Raises InfrastructureError if it cannot be made."""
    carried = files("rtstone") / "_data" / "charts.js"
    if carried.is_file():
        return carried.read_text(encoding="utf-8")
    from rtstone.config import base_folder

    maker = library()
    versions = f"{version('vl-convert-python')}-{maker.get_vega_version()}-{maker.get_vega_embed_version()}"
    path = base_folder("XDG_CACHE_HOME", ".cache") / "rtstone" / f"charts-{VEGA_LITE}-{versions}.js"
    kept = _kept(path)
    if kept is not None:
        return kept
    made = _make()
    _keep(path, made)
    return made


def _make() -> str:
    """Makes the bundle's text. This takes about two seconds."""
    made: str = library().javascript_bundle(_SNIPPET, VEGA_LITE)
    # In JavaScript a slash may always be escaped. In HTML these two strings would end or alter the element.
    return _NOTICE + made.replace("</script", "<\\/script").replace("<!--", "<\\!--")


def _kept(path: Path) -> str | None:
    """The cached text; None if it is missing or not complete. The file's first line is the checksum of the rest."""
    try:
        first, _, rest = path.read_text(encoding="utf-8").partition("\n")
    except (OSError, UnicodeDecodeError):
        return None
    return rest if first == _checksum(rest) else None


def _keep(path: Path, text: str) -> None:
    """Writes the cache. A cache that cannot be written costs only time, so errors are ignored."""
    from rtstone.config import invoking_user

    if invoking_user() is not None:
        return  # under sudo: root must not write files into the user's cache
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(dir=path.parent)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(f"{_checksum(text)}\n{text}")
        Path(name).replace(path)


def _checksum(text: str) -> str:
    return "// " + hashlib.sha256(text.encode()).hexdigest()


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(_make(), encoding="utf-8")
