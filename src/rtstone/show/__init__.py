# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""All that is shown: the first screen, tables, the report, the live view, other programs' formats and the texts of verdicts."""
