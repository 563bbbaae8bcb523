# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The schema of the record stream says what the reader reads: same types, same keys; the vectors' records keep to it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import msgspec
import pytest

from rtstone.stream import _records as records
from rtstone.stream.plan import Item
from support.streams import good_stream, joined

ROOT = Path(__file__).resolve().parents[3]
SCHEMA: dict[str, Any] = json.loads((ROOT / "spec/schema/record-stream.schema.json").read_text(encoding="utf-8"))
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
TYPES: dict[str, type[msgspec.Struct]] = {kind.decode(): known for kind, known in records.TYPES.items()} | {
    "item": Item
}
VECTORS = sorted((ROOT / "spec/vectors/streams").glob("*.stream"))


def test_the_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


def test_it_has_every_type() -> None:
    named = {case["if"]["properties"]["t"]["const"] for case in SCHEMA["allOf"]}
    assert named == set(TYPES)


@pytest.mark.parametrize("kind", TYPES)
def test_it_has_the_readers_keys(kind: str) -> None:
    described = SCHEMA["$defs"][kind]
    fields = msgspec.structs.fields(TYPES[kind])
    assert {field.encode_name for field in fields} <= set(described["properties"])
    assert {field.encode_name for field in fields if field.required} <= set(described["required"])


@pytest.mark.parametrize("path", VECTORS, ids=lambda path: path.stem)
def test_the_vectors_keep_to_it(path: Path) -> None:
    found = joined(path.read_bytes().split(b"\n"))
    for record in found:
        VALIDATOR.validate(record)
    assert found or path.stem == "shapes"


def test_it_refuses_what_the_reader_refuses() -> None:
    for record in joined(good_stream()):
        VALIDATOR.validate(record)
        for key in SCHEMA["$defs"][record["t"]]["required"]:
            without = {name: value for name, value in record.items() if name != key}
            assert not VALIDATOR.is_valid(without), f"{record['t']} without {key}"
