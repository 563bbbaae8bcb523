# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The JSON Schema of `rtstone explain --json`; `python -m rtstone.explain._schema` prints it."""

from __future__ import annotations

import sys

from rtstone.explain.document import Bound, Explanation
from rtstone.model import schemas


def bound_schema() -> bytes:
    """The schema, as spec/schema/bound.schema.json holds it."""
    return schemas.json_schema(
        Bound,
        title="rtstone bound --json, version 1.0",
        description="The bound of a kernel's scheduling latency. Unknown keys are to be passed over; a newer major is to be refused. "
        "Made by `python -m rtstone.explain._schema bound`.",
    )


def json_schema() -> bytes:
    """The schema, as spec/schema/explanation.schema.json holds it."""
    return schemas.json_schema(
        Explanation,
        title="rtstone explain --json, version 1.0",
        description="Why a sample of a run was late. Unknown keys are to be passed over; a newer major is to be refused. "
        "Made by `python -m rtstone.explain._schema`.",
    )


if __name__ == "__main__":
    sys.stdout.buffer.write(bound_schema() if "bound" in sys.argv[1:] else json_schema())
