# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The schemas in spec/schema are schemas, and those that are made of structures are made of today's."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import jsonschema


def test_they_are_what_the_structures_make(root: Path) -> None:
    done = subprocess.run(
        [sys.executable, "tools/make-schemas", "--check"], cwd=root, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"run tools/make-schemas: {done.stderr}"


def test_each_is_a_schema(root: Path) -> None:
    files = sorted((root / "spec" / "schema").glob("*.json"))
    assert files
    for file in files:
        jsonschema.Draft202012Validator.check_schema(json.loads(file.read_bytes()))
