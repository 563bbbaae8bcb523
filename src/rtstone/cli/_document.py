# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The JSON document that `run --json` and `show --json` print."""

from __future__ import annotations

from typing import Literal

import msgspec

from rtstone.model import Run
from rtstone.show.tables import StudyView


class Document(msgspec.Struct, frozen=True, kw_only=True):
    """Runs with their tables. The document, and each run in it, has a version of its own.
    Readers must ignore unknown keys."""

    schema: Literal["rtstone.runs"] = "rtstone.runs"
    version: str = "1.1"
    runs: tuple[Run, ...]
    studies: tuple[StudyView, ...]
