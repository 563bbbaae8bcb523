# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The script that draws charts in a browser (Vega, Vega-Lite, vega-embed): made once by vl-convert, then kept in the cache."""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
from importlib.metadata import version
from pathlib import Path

from rtstone.config import base_folder, invoking_user

VEGA_LITE = "6.1"
"""Version of Vega-Lite that the charts are written for."""

_SNIPPET = "window.vegaEmbed = vegaEmbed;"


def script() -> str:
    """The bundle's text, safe to stand in a script element. Making it takes some two seconds; the cache makes it milliseconds."""
    import vl_convert

    versions = f"{version('vl-convert-python')}-{vl_convert.get_vega_version()}-{vl_convert.get_vega_embed_version()}"
    path = base_folder("XDG_CACHE_HOME", ".cache") / "rtstone" / f"charts-{VEGA_LITE}-{versions}.js"
    kept = _kept(path)
    if kept is not None:
        return kept
    made: str = vl_convert.javascript_bundle(_SNIPPET, VEGA_LITE)
    # Within JavaScript a slash may always be escaped; within HTML these two would end or alter the element.
    made = made.replace("</script", "<\\/script").replace("<!--", "<\\!--")
    _keep(path, made)
    return made


def _kept(path: Path) -> str | None:
    """What the cache has, if it is whole: its first line is the checksum of the rest."""
    try:
        first, _, rest = path.read_text(encoding="utf-8").partition("\n")
    except (OSError, UnicodeDecodeError):
        return None
    return rest if first == _checksum(rest) else None


def _keep(path: Path, text: str) -> None:
    """A cache that cannot be written costs time, nothing else."""
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
