# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Other tools' outputs: files in, runs out, each marked with what its tool does not tell."""

from __future__ import annotations

from rtstone.importers._model import Importer, Options, Reading, Source
from rtstone.importers._read import read, read_together
from rtstone.importers._registry import importers, named

__all__ = ["Importer", "Options", "Reading", "Source", "importers", "named", "read", "read_together"]
