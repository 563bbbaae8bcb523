# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The JSON Schema of `rtstone priorities --json`; `python -m rtstone.machine._schema` prints it."""

from __future__ import annotations

import sys

from rtstone.machine.priorities import Priorities
from rtstone.model import schemas


def json_schema() -> bytes:
    """The schema, as spec/schema/priorities.schema.json holds it."""
    return schemas.json_schema(
        Priorities,
        title="rtstone priorities --json, version 1.0",
        description="Real-time threads and interrupts' threads of a machine, the one that outranks the others first. Unknown keys "
        "are to be passed over; a newer major is to be refused. Made by `python -m rtstone.machine._schema`.",
    )


if __name__ == "__main__":
    sys.stdout.buffer.write(json_schema())
