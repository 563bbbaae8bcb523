# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Random plans, any that spec/plan.md allows."""

from __future__ import annotations

from hypothesis import strategies as st

from rtstone.stream.plan import Item, Plan

U32 = (1 << 32) - 1
names = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9._/:+-]{0,30}", fullmatch=True)
items = st.builds(
    Item,
    item=st.integers(0, 65535),
    measurement=names,
    pass_=st.sampled_from(["batch", "single"]),
    count=st.integers(1, U32),
    sets=st.integers(1, U32),
    budget_ms=st.integers(0, U32),
    spare=st.integers(0, 1),
    warmup=st.integers(0, U32),
    load=names,
    intensity=st.integers(0, U32),
    sched=st.sampled_from(["rt", "ts"]),
    cache=st.sampled_from(["warm", "flushed"]),
    cpu=st.integers(-1, (1 << 31) - 1),
    period_ns=st.integers(1, U32),
    phase_ns=st.integers(0, U32),
    timer=names,
    raw=st.integers(0, 1),
)
plans = st.builds(
    Plan,
    seed=st.integers(0, (1 << 64) - 1),
    repetition=st.integers(0, U32),
    loads_required=st.booleans(),
    items=st.lists(items, min_size=1, max_size=5, unique_by=lambda item: item.item).map(tuple),
)
