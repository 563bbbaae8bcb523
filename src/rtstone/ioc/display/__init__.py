# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The IOC's screen: its content, in PyDM and as a file for Phoebus. Qt is imported by the modules that draw, never here."""

from __future__ import annotations
