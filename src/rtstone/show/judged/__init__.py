# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Verdicts as text: comparisons, fits and check files for terminals, annotations and JUnit."""
