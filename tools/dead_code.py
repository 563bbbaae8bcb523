# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Lists Python code that the product does not use, by vulture: a use in a test or a name in `__all__` does not count.

Usage: tools/dead_code.py [FOLDER...] (default: src bench tools; then entries of ALLOWED that nothing needs are listed too).
Exit codes: 0 nothing found; 1 something.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import vulture

ALLOWED = {
    "__dir__": "module protocol",
    "__getattr__": "module protocol",
    "EXPORTER": "entry point",
    "IMPORTER": "entry point",
    "open_*": "entry points: targets",
    "_check_*": "modules that register their checks when imported",
    "revision": "read by alembic",
    "down_revision": "read by alembic",
    "_repr_svg_": "read by notebooks",
    "min_ns": "Python API",
    "to_dict": "Python API",
    "to_numpy": "Python API",
    "percentile_ns": "Python API",
    "Cache": "type of a cast",
    "Lends": "type of a cast",
    "__signature__": "read by typer",
    "format_commands": "called by click",
    "format_options": "called by click",
    "SSL_HANDSHAKE_TIMEOUT": "read by uvicorn",
    "logTickStrings": "called by pyqtgraph",
    "logTickValues": "called by pyqtgraph",
    "spacing": "argument that pyqtgraph gives",
    "ui_filename": "called by PyDM",
    "send_value": "called by PyDM",
    "alarmSensitiveBorder": "read by PyDM",
    "disconnectedText": "read by PyDM",
    "_has_displayed_value_yet": "read by PyDM",
}
"""Name (or pattern) -> who uses it."""

ALLOWED_FILES = {"src/rtstone/stream/_session.py": "its methods are found by the names of records"}
"""File -> why its methods have no caller."""

REGISTERED = ["@check", "@together", "@target", "@pytest.fixture"]
"""Decorators that put a function into a registry."""

_ALL = re.compile(r"^__all__ = [\[(][^\])]*[\])]$", re.MULTILINE)
_FIELD = re.compile(r"\s+\w+: ")


def unused(folders: Sequence[Path], allowed: Sequence[str]) -> Iterator[tuple[Path, int, str, str]]:
    """Yield file, line, kind and name of each definition that nothing in these folders uses. JSON uses a struct's fields."""
    found = vulture.Vulture(ignore_names=list(allowed), ignore_decorators=REGISTERED)
    texts: dict[Path, str] = {}
    for folder in folders:
        for path in _sources(folder):
            texts[path] = path.read_text(encoding="utf-8")
            found.scan(_ALL.sub(lambda all_: "\n" * all_[0].count("\n"), texts[path]), path)
    for item in found.get_unused_code():
        path, line = Path(item.filename), int(item.first_lineno)
        if item.typ == "variable" and _FIELD.match(texts[path].splitlines()[line - 1]):
            continue
        if item.typ == "import" and path.name == "__init__.py":
            continue  # a package's face: its names are judged where they are defined
        yield path, line, item.typ, item.name


def _sources(folder: Path) -> Iterator[Path]:
    """Files of Python, those too that are commands without a suffix."""
    for path in sorted(folder.rglob("*")):
        if path.suffix == ".py" or (
            path.is_file() and not path.suffix and path.read_bytes().startswith(b"#!/usr/bin/env python3")
        ):
            yield path


def main(arguments: Sequence[str]) -> int:
    """Print what is unused, one a line."""
    folders = [Path(name) for name in arguments or ("src", "bench", "tools")]
    bad = 0
    for path, line, kind, name in unused(folders, tuple(ALLOWED)):
        if path.as_posix() not in ALLOWED_FILES:
            bad = 1
            sys.stdout.write(f"{path}:{line}: unused {kind} '{name}'\n")
    if not arguments:
        needed = {name for _, _, _, name in unused(folders, ())}
        for pattern in ALLOWED:
            if not any(re.fullmatch(pattern.replace("*", ".*"), name) for name in needed):
                bad = 1
                sys.stdout.write(f"tools/dead_code.py: ALLOWED names '{pattern}', which nothing needs\n")
    return bad


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
