# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Why a sample was late: a board's session is run again under a plugin of the emulator, and what ran in the sample is told."""

from __future__ import annotations

from rtstone.explain._explain import explain
from rtstone.explain.document import Blame, Call, ExplainedSample, Explanation, Stage, Stream

__all__ = ["Blame", "Call", "ExplainedSample", "Explanation", "Stage", "Stream", "explain"]
