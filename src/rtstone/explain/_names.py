# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The names that this room gives to others."""

from __future__ import annotations

from rtstone.explain._bound import explain_term, scheduling_bound
from rtstone.explain._explain import explain
from rtstone.explain.document import Blame, Bound, Call, ExplainedSample, Explanation, Stage, Stream

__all__ = [
    "Blame",
    "Bound",
    "Call",
    "ExplainedSample",
    "Explanation",
    "Stage",
    "Stream",
    "explain",
    "explain_term",
    "scheduling_bound",
]
