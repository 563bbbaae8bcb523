# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The JSON Schema of a comparison; `python -m rtstone.judge.compare._schema` prints it as spec/schema/comparison.schema.json holds it."""

from __future__ import annotations

import sys

from rtstone.judge.compare._model import Comparison
from rtstone.model import schemas


def json_schema() -> bytes:
    """The schema of what `rtstone compare --json` prints."""
    return schemas.json_schema(
        Comparison,
        title="rtstone comparison, version 1.1",
        description="What `rtstone compare --json` prints: runs held against the first of them, row by row, with what makes them"
        " unlike, what is missing and what changed between their environments. Made by `python -m rtstone.judge.compare._schema`.",
    )


if __name__ == "__main__":
    sys.stdout.buffer.write(json_schema())
