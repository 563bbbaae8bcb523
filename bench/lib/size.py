# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""How much a part works on: all of it, or a hundredth under `bench/run --small`, which tries the bench and measures nothing."""

from __future__ import annotations

import os

VARIABLE = "RTSTONE_BENCH_SMALL"
SMALL = VARIABLE in os.environ


def size(full: int) -> int:
    """`full`, or a hundredth of it."""
    return full // 100 if SMALL else full
