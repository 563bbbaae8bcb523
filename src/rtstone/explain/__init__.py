# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Why a sample was late: from a second run of a board's session, or from the event trail that a live run recorded."""

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
