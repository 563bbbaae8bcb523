# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Sphinx: the pages that tools/docs has laid out → the site. Links between files of the repository become links between pages."""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath
from typing import Any

from rtstone import __version__

project = "rtstone"
author = "rtstone contributors"
copyright = "2026 rtstone contributors"  # noqa: A001
version = release = __version__

extensions = ["myst_parser"]
root_doc = "index"
include_patterns = ["*.md", "cli/*.md", "docs/**/*.md", "spec/*.md", "**/README.md"]
myst_heading_anchors = 4
myst_enable_extensions = ["strikethrough"]
highlight_language = "none"
smartquotes = False  # options begin with two hyphens
nitpicky = True
suppress_warnings = ["myst.strikethrough"]  # only HTML is made

html_theme = "furo"
html_title = f"rtstone {__version__}"
html_copy_source = False
html_show_sphinx = False
html_theme_options = {"source_view_link": "", "top_of_page_buttons": []}

_ROOT = Path(__file__).resolve().parents[2]

# A Markdown link whose destination is a path of the repository. Images and addresses are none.
_LINK = re.compile(r"(?<![!\\])\[((?:[^\[\]`]|`[^`]*`)+)\]\(([^()\s:]+)\)")
_FENCE = re.compile(r"^(```|~~~)", re.MULTILINE)


def _to_page(docname: str, found: re.Match[str]) -> str:
    """A link to a folder leads to its README; one to a file that is no page becomes the path as text; others stay."""
    text, destination = found[1], found[2]
    path, _, _ = destination.partition("#")
    if not path:
        return found[0]
    place = PurePosixPath(docname).parent / path
    parts: list[str] = []
    for part in place.parts:
        if part == ".." and parts:
            parts.pop()
        elif part != ".":
            parts.append(part)
    inside = "/".join(parts)
    target = _ROOT / inside
    if target.is_dir() and (target / "README.md").is_file():
        return f"[{text}]({path.rstrip('/')}/README.md)"
    if target.is_file() and target.suffix == ".md":
        return found[0]
    if target.exists():
        return (
            text if inside in text or text.strip("`").endswith(PurePosixPath(inside).name) else f"{text} (`{inside}`)"
        )
    return found[0]  # leads nowhere: Sphinx says so


def _links(app: Any, docname: str, source: list[str]) -> None:
    kept: list[str] = []
    fenced = False
    for line in source[0].splitlines(keepends=True):
        if _FENCE.match(line.lstrip()):
            fenced = not fenced
        plain = fenced or line.startswith("    ")
        kept.append(line if plain else _LINK.sub(lambda found: _to_page(docname, found), line))
    source[0] = "".join(kept)


def setup(app: Any) -> None:
    """Called by Sphinx."""
    app.connect("source-read", _links)
