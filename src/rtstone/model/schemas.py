# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The JSON Schema of a document that a command prints: a msgspec model comes in, a file of spec/schema/ goes out."""

from __future__ import annotations

import msgspec

_DIALECT = "https://json-schema.org/draft/2020-12/schema"


def json_schema(model: type[msgspec.Struct], *, title: str, description: str) -> bytes:
    """The schema as a file of spec/schema/ holds it: indented JSON that ends in LF."""
    head = {"$schema": _DIALECT, "title": title, "description": description}
    return msgspec.json.format(msgspec.json.encode({**head, **msgspec.json.schema(model)}), indent=2) + b"\n"
