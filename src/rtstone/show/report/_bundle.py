# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The script that draws charts in a browser (Vega, Vega-Lite, vega-embed).

A wheel carries it: cmake/wheel.cmake runs this file where the wheel is built. In a checkout vl-convert makes it once,
and the cache keeps it.
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
    """What draws charts without a browser. Raises InfrastructureError where it is not installed."""
    try:
        import vl_convert
    except ModuleNotFoundError:
        from rtstone.errors import InfrastructureError

        raise InfrastructureError("images of charts need vl-convert: pip install 'rtstone[images]'") from None
    return vl_convert


def script() -> str:
    """The bundle's text, safe to stand in a script element. Raises InfrastructureError where nothing can make it."""
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
    """Takes some two seconds."""
    made: str = library().javascript_bundle(_SNIPPET, VEGA_LITE)
    # Within JavaScript a slash may always be escaped; within HTML these two would end or alter the element.
    return _NOTICE + made.replace("</script", "<\\/script").replace("<!--", "<\\!--")


def _kept(path: Path) -> str | None:
    """What the cache has, if it is whole: its first line is the checksum of the rest."""
    try:
        first, _, rest = path.read_text(encoding="utf-8").partition("\n")
    except (OSError, UnicodeDecodeError):
        return None
    return rest if first == _checksum(rest) else None


def _keep(path: Path, text: str) -> None:
    """A cache that cannot be written costs time, nothing else."""
    from rtstone.config import invoking_user

    if invoking_user() is not None:
        return  # under sudo: the user's cache is not the place for root's files
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
