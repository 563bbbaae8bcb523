# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The JSON Schema of `rtstone check --json`; `python -m rtstone.judge.check._schema` prints it."""

from __future__ import annotations

import sys

from rtstone.judge.check._model import Report
from rtstone.model import schemas


def json_schema() -> bytes:
    """The schema, as spec/schema/check.schema.json holds it."""
    return schemas.json_schema(
        Report,
        title="rtstone check --json, version 1.0",
        description="The rows of a check file and what became of each. Unknown keys are to be passed over; a newer major is to be "
        "refused. Made by `python -m rtstone.judge.check._schema`.",
    )


if __name__ == "__main__":
    sys.stdout.buffer.write(json_schema())
