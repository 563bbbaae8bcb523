# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The release number; pyproject.toml reads it too."""

__version__ = "0.3.0"
