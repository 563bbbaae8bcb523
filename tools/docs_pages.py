# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Makes pages from existing texts: from `rtstone-engine --help`, word for word, and from the schemas of all documents.

Usage: tools/docs_pages.py MAN_FOLDER MARKDOWN_FOLDER
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from rtstone import __version__
from rtstone.resources import engine_path

_SCHEMAS = Path(__file__).resolve().parent.parent / "spec/schema"


def engine(man: Path, markdown: Path) -> None:
    """The engine's manual, in both forms."""
    done = subprocess.run([engine_path(), "--help"], capture_output=True, text=True, check=True)
    summary = done.stdout.splitlines()[0].removeprefix("rtstone-engine ").rstrip(".")
    plain = done.stdout.replace("\\", "\\e").replace("-", "\\-")
    text = "\n".join(f"\\&{line}" for line in plain.rstrip().splitlines())
    (man / "rtstone-engine.1").write_text(
        f'.TH RTSTONE-ENGINE 1 "" "rtstone {__version__}" "rtstone"\n.SH NAME\nrtstone\\-engine \\- {summary}\n'
        f".SH DESCRIPTION\n.nf\n{text}\n.fi\n.SH SEE ALSO\nrtstone(1)\n",
        encoding="ascii",
    )
    (markdown / "rtstone-engine.md").write_text(f"# rtstone-engine\n\n```text\n{done.stdout}```\n", encoding="utf-8")


def schemas(markdown: Path) -> None:
    """A line for each kind of document, and its whole schema below."""
    found = [(path, json.loads(path.read_text(encoding="utf-8"))) for path in sorted(_SCHEMAS.glob("*.schema.json"))]
    parts = ["# Documents and their schemas", "| | |\n|-|-|"]
    parts[-1] += "".join(f"\n| [{_name(path)}](#{_name(path)}) | {schema['title']} |" for path, schema in found)
    for path, schema in found:
        parts.append(f"## {_name(path)}\n\n{schema.get('description', '')}")
        parts.append(f"```json\n{json.dumps(schema, indent=1, ensure_ascii=False)}\n```")
    (markdown / "documents.md").write_text("\n\n".join(parts) + "\n", encoding="utf-8")


def _name(path: Path) -> str:
    return path.name.removesuffix(".schema.json")


if __name__ == "__main__":
    engine(Path(sys.argv[1]), Path(sys.argv[2]))
    schemas(Path(sys.argv[2]))
