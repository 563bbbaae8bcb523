# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""rtla osnoise hist: how long a busy thread was kept from running, a sample for each interruption."""

from __future__ import annotations

from rtstone.archive.importers import _rtla

IMPORTER = _rtla.importer("osnoise", "noise of a CPU: rtla osnoise hist", {"CPU": "noise"})
