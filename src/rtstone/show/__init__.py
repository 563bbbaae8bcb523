# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""All output: the first screen, tables, the report, the live view, other programs' formats and texts of verdicts."""
