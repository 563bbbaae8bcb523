# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Why a sample was late: a board's session is run again under a plugin of the emulator, and what ran in the sample is told."""

from __future__ import annotations

from rtstone.explain._bound import scheduling_bound
from rtstone.explain._explain import explain
from rtstone.explain.document import Blame, Bound, Call, ExplainedSample, Explanation, Stage, Stream

__all__ = ["Blame", "Bound", "Call", "ExplainedSample", "Explanation", "Stage", "Stream", "explain", "scheduling_bound"]
