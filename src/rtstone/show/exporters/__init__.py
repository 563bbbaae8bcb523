# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Runs for other programs: runs in, the bytes of a file out."""

from __future__ import annotations

from rtstone.show.exporters._model import Exporter, exporters, named

__all__ = ["Exporter", "exporters", "named"]
