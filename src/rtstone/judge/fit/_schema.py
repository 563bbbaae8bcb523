# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The JSON Schemas of `rtstone fit --json` and `rtstone tails --json`; `python -m rtstone.judge.fit._schema fit` prints one."""

from __future__ import annotations

import sys

import msgspec

from rtstone.judge.fit._model import Report, Tails
from rtstone.model import schemas

_ABOUT: dict[str, tuple[type[msgspec.Struct], str]] = {
    "fit": (Report, "Which level of a platform meets a requirement."),
    "tails": (Tails, "Estimates of what is exceeded once in so many samples, or why there is none."),
}


def json_schema(name: str) -> bytes:
    """The schema, as spec/schema/<name>.schema.json holds it."""
    model, about = _ABOUT[name]
    version = next(field.default for field in msgspec.structs.fields(model) if field.name == "version")
    return schemas.json_schema(
        model,
        title=f"rtstone {name} --json, version {version}",
        description=f"{about} Unknown keys are to be passed over; a newer major is to be refused. "
        f"Made by `python -m rtstone.judge.fit._schema {name}`.",
    )


if __name__ == "__main__":
    sys.stdout.buffer.write(json_schema(sys.argv[1]))
