# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The IOC's statistics beside those that a client makes anew from every waveform that it was sent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from support.ioc import Client

EXACT = ("count", "min", "max", "over", "histogram")
MEDIAN_TOLERANCE = 1e-3
"""What the IOC promises of its median."""


def begin(client: Client, parameters: Sequence[str]) -> None:
    """Forget all samples, and follow the waveforms from now on. No set may be under way."""
    client.put("clear", 1)
    client.ask(do="follow", names=list(parameters))


def differences(client: Client, parameters: Sequence[str]) -> list[str]:
    """What the IOC says otherwise than its own waveforms; empty when all is right. No set may be under way."""
    edges, limit, sets = client.get("edges"), client.get("limit"), client.get("sets")
    found: dict[str, dict[str, Any]] = client.ask(do="followed", edges=edges, limit=limit)
    wrong = []
    for name in parameters:
        anew = found[name]
        if anew["updates"] != sets:
            wrong.append(f"{name}: {anew['updates']} updates came of {sets} sets")
        for statistic in EXACT:
            served = client.get(f"{name}:{statistic}")
            if served != anew[statistic]:
                wrong.append(f"{name}:{statistic} is {served}, from the waveforms {anew[statistic]}")
        median = client.get(f"{name}:median")
        if abs(median - anew["median"]) > max(1, MEDIAN_TOLERANCE * abs(anew["median"])):
            wrong.append(f"{name}:median is {median}, from the waveforms {anew['median']}")
        percent = client.get(f"{name}:percent")
        if abs(percent - 100 * anew["over"] / anew["count"]) > 1e-9:
            wrong.append(f"{name}:percent is {percent}, from the waveforms {anew['over']} of {anew['count']}")
    return wrong
