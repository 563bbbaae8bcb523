# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""rtstone measures how fast and how surely a kernel responds. `__version__` is the only name here."""

from __future__ import annotations

__version__ = "0.1.0"
