# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The schema of the plan describes what the vectors have, and names the keys and defaults that the host's model has."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import msgspec
import pytest

from rtstone.stream import framing
from rtstone.stream.plan import Item
from support.streams import joined

ROOT = Path(__file__).resolve().parents[4]
SCHEMA: dict[str, Any] = json.loads((ROOT / "spec/schema/plan.schema.json").read_text(encoding="utf-8"))
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
PLANS = ROOT / "spec/vectors/plans"

# What is wrong with these lies in the framing or between the lines, where no schema of one payload reaches.
BETWEEN_THE_LINES = {
    "wrong-crc", "too-long", "lost-line", "repeated-line", "not-from-0", "fewer-items", "more-items", "repeated-number",
    "no-go", "no-plan-line", "plan-twice", "only-noise", "part-missing", "part-of-another",
}  # fmt: skip
# A JSON reader cannot distinguish these, or only by arithmetic.
BEFORE_THE_SCHEMA = {"t-not-first", "exponent", "escape", "key-twice", "seed-too-large"}


def _fits(path: Path) -> bool:
    upto, go, _ = path.read_bytes().partition(b'{"t":"go"} ')  # what comes after go is not read
    lines = upto.split(b"\n")[: -1 if go else None]
    try:
        for line in lines:
            if line.startswith(b"~"):
                json.loads(framing.decode(framing.strip(line))[1])
    except ValueError:
        return False
    return all(VALIDATOR.is_valid(record) for record in joined(lines))


def test_the_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


def test_it_has_the_models_keys_and_defaults() -> None:
    described = SCHEMA["$defs"]["item"]["properties"]
    fields = {field.encode_name: field.default for field in msgspec.structs.fields(Item)}
    assert {"t", *fields} == set(described)
    for key, default in fields.items():
        assert described[key].get("default", msgspec.NODEFAULT) == default


@pytest.mark.parametrize("path", sorted((PLANS / "accepted").glob("*.plan")), ids=lambda path: path.stem)
def test_accepted(path: Path) -> None:
    assert _fits(path)


@pytest.mark.parametrize("path", sorted((PLANS / "refused").glob("*.plan")), ids=lambda path: path.stem)
def test_refused(path: Path) -> None:
    if path.stem not in BETWEEN_THE_LINES | BEFORE_THE_SCHEMA:
        assert not _fits(path)


def test_the_vectors_are_what_the_tool_writes() -> None:
    tool = [sys.executable, "-B", str(ROOT / "tools/make-vectors"), "--check"]
    done = subprocess.run(tool, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
