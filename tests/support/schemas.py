# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The schemas that documents are held to."""

from __future__ import annotations

import json
from typing import Any

from rtstone.resources import data_dir


def schema(name: str) -> dict[str, Any]:
    """spec/schema/NAME.schema.json."""
    found: dict[str, Any] = json.loads((data_dir("schema") / f"{name}.schema.json").read_bytes())
    return found
