# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The JSON document of runs: a printed one fits the schema in spec/, and the code makes that same schema."""

from __future__ import annotations

import json

import jsonschema
import msgspec

from rtstone.cli._document import Document
from rtstone.model import Result
from rtstone.show.tables import views
from support.measured import noted, run_for, skipped
from support.schemas import schema


def _document() -> Document:
    def change(result: Result) -> Result:
        if result.measurement == "queue-fill":
            return skipped(result)
        return noted(result, "x", "a note")

    runs = [run_for("sscl", "rhealstone", "spring8", "slac", change=change)]
    return Document(runs=tuple(runs), studies=views(runs))


def test_what_is_printed_fits_the_schema_and_comes_back_the_same() -> None:
    document = _document()
    data = msgspec.json.encode(document)
    jsonschema.validate(json.loads(data), schema("run"))
    assert msgspec.json.decode(data, type=Document) == document


def test_the_schema_refuses_what_is_no_such_document() -> None:
    for broken in ({}, {"schema": "other", "version": "1.0", "runs": [], "studies": []}):
        assert list(jsonschema.Draft202012Validator(schema("run")).iter_errors(broken))
