# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The vectors that tools/make-vectors writes, a module a kind."""
