# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The JSON document of runs: what is printed fits the schema in spec/, and the schema is the one that the code makes."""

from __future__ import annotations

import json

import jsonschema
import msgspec

from rtstone.cli._document import Document, json_schema
from rtstone.model import Result
from rtstone.resources import data_dir
from rtstone.show.tables import views
from support.measured import noted, run_for, skipped


def _document() -> Document:
    def change(result: Result) -> Result:
        if result.measurement == "queue-fill":
            return skipped(result)
        return noted(result, "x", "a note")

    runs = [run_for("sscl", "rhealstone", "spring8", "slac", change=change)]
    return Document(runs=tuple(runs), studies=views(runs))


def test_the_schema_in_spec_is_the_one_that_the_code_makes() -> None:
    stored = (data_dir("schema") / "run.schema.json").read_bytes()
    assert stored == json_schema(), "write it anew: python -m rtstone.cli._document > spec/schema/run.schema.json"


def test_what_is_printed_fits_the_schema_and_comes_back_the_same() -> None:
    document = _document()
    data = msgspec.json.encode(document)
    schema = json.loads(json_schema())
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(json.loads(data), schema)
    assert msgspec.json.decode(data, type=Document) == document


def test_the_schema_refuses_what_is_no_such_document() -> None:
    schema = json.loads(json_schema())
    for broken in ({}, {"schema": "other", "version": "1.0", "runs": [], "studies": []}):
        assert list(jsonschema.Draft202012Validator(schema).iter_errors(broken))
