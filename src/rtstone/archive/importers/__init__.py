# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Turns other tools' output files into runs. Each run is marked with the facts that its tool does not record."""

from __future__ import annotations

from rtstone.archive.importers._model import Importer, Options, Reading, SourceFile, importers, named
from rtstone.archive.importers._read import read, read_together

__all__ = ["Importer", "Options", "Reading", "SourceFile", "importers", "named", "read", "read_together"]
