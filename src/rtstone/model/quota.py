# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""How much a CPU quota of its control group, or of one above, stopped a run (cgroups(7): cpu.max, cpu.cfs_quota_us)."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from rtstone.model.run import Session
from rtstone.model.units import duration


class Throttling(msgspec.Struct, frozen=True, kw_only=True):
    """The quota's periods in which the control group was stopped, over all measured items."""

    periods: int
    stopped: int
    stopped_ns: int
    quota_millicpus: int
    """The least quota of the group and those above it, in thousandths of a CPU; 0: not recorded."""

    @property
    def text(self) -> str:
        """One sentence."""
        quota = f" of {self.quota_millicpus / 1000:g} CPU" if self.quota_millicpus else ""
        return (
            f"the CPU quota{quota} stopped the control group in {self.stopped} of {self.periods} periods, "
            f"for {duration(self.stopped_ns)} in all"
        )


def throttling(sessions: Iterable[Session]) -> Throttling | None:
    """Sums the counts in the records of the items; None where the group was never stopped in an item."""
    periods = stopped = stopped_ns = 0
    quotas = set()
    for session in sessions:
        # All quantities of an item have the item's figures.
        for result in {result.item: result for result in session.results}.values():
            own = {figure.name: figure.value for figure in result.figures}
            periods += own.get("system-quota-periods", 0)
            stopped += own.get("system-throttled-periods", 0)
            stopped_ns += own.get("system-throttled", 0)
            if "system-quota" in own:
                quotas.add(own["system-quota"])
    if not stopped:
        return None
    return Throttling(
        periods=periods, stopped=stopped, stopped_ns=stopped_ns, quota_millicpus=min(quotas) if quotas else 0
    )
