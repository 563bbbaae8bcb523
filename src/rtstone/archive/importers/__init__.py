# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Other tools' outputs: files in, runs out, each marked with what its tool does not tell."""

from __future__ import annotations

from rtstone.archive.importers._model import Importer, Options, Reading, Source, importers, named
from rtstone.archive.importers._read import read, read_together

__all__ = ["Importer", "Options", "Reading", "Source", "importers", "named", "read", "read_together"]
