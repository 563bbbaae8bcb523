# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The JSON Schema of a history; `python -m rtstone.judge.history._schema` prints it as spec/schema/history.schema.json holds it."""

from __future__ import annotations

import sys

from rtstone.judge.history._model import History
from rtstone.model import schemas


def json_schema() -> bytes:
    """The schema of what `rtstone history --json` prints."""
    return schemas.json_schema(
        History,
        title="rtstone history, version 1.0",
        description="What `rtstone history --json` prints: the figures of a quantity run by run, and where their level changed. Made by"
        " `python -m rtstone.judge.history._schema`.",
    )


if __name__ == "__main__":
    sys.stdout.buffer.write(json_schema())
