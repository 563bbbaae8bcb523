# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The JSON Schema of `rtstone tune --json`; `python -m rtstone.judge.tune._schema` prints it."""

from __future__ import annotations

import sys

from rtstone.judge.tune._model import Report
from rtstone.model import schemas


def json_schema() -> bytes:
    """The schema, as spec/schema/tune.schema.json holds it."""
    return schemas.json_schema(
        Report,
        title="rtstone tune --json, version 1.0",
        description="What each setting of an experiment does. Unknown keys are to be passed over; a newer major is to be refused. "
        "Made by `python -m rtstone.judge.tune._schema`.",
    )


if __name__ == "__main__":
    sys.stdout.buffer.write(json_schema())
