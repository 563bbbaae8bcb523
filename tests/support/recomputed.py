# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Compares the IOC's statistics with those that a client computes from every waveform that it received."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from support.ioc import Client

EXACT = ("count", "min", "max", "over", "histogram")
MEDIAN_TOLERANCE = 1e-3
"""The relative error of the median that the IOC promises."""


def begin(client: Client, parameters: Sequence[str]) -> None:
    """Forget all samples, and follow the waveforms from now on. No set may be under way."""
    client.put("clear", 1)
    client.ask(do="follow", names=list(parameters))


def differences(client: Client, parameters: Sequence[str], most_merged: float = 0.0) -> list[str]:
    """The IOC's statistics that differ from those of its own waveforms. No set may be under way.

    Channel Access merges updates for a client that is behind, here up to the share `most_merged` of the sets. The
    client then lacks the samples of these sets, and the IOC's statistics may differ only by as many samples as these
    sets can have.
    """
    edges, limit, sets = client.get("edges"), client.get("limit"), client.get("sets")
    found: dict[str, dict[str, Any]] = client.ask(do="followed", edges=edges, limit=limit)
    wrong = []
    for name in parameters:
        anew = found[name]
        served = {one: client.get(f"{name}:{one}") for one in (*EXACT, "median", "percent")}
        merged = sets - anew["updates"]
        if not 0 <= merged <= most_merged * sets:
            wrong.append(f"{name}: {anew['updates']} updates came of {sets} sets")
        if merged > 0:
            wrong += _beyond(name, served, anew, merged * client.get("samples"))
            continue
        for statistic in EXACT:
            if served[statistic] != anew[statistic]:
                wrong.append(f"{name}:{statistic} is {served[statistic]}, from the waveforms {anew[statistic]}")
        if abs(served["median"] - anew["median"]) > max(1, MEDIAN_TOLERANCE * abs(anew["median"])):
            wrong.append(f"{name}:median is {served['median']}, from the waveforms {anew['median']}")
        if abs(served["percent"] - 100 * anew["over"] / anew["count"]) > 1e-9:
            wrong.append(f"{name}:percent is {served['percent']}, from the waveforms {anew['over']} of {anew['count']}")
    return wrong


def _beyond(name: str, served: dict[str, Any], anew: dict[str, Any], most: int) -> list[str]:
    """The IOC's statistics that cannot be right if the client lacks some sets, of at most `most` samples together."""
    more = served["count"] - anew["count"]
    bins = [ours - theirs for ours, theirs in zip(served["histogram"], anew["histogram"], strict=True)]
    over = served["over"] - anew["over"]
    claims = {
        "count": 0 <= more <= most,
        "histogram": min(bins) >= 0 and sum(bins) == more,
        "over": 0 <= over <= more,
        "min": served["min"] <= anew["min"],
        "max": served["max"] >= anew["max"],
        "percent": abs(served["percent"] - 100 * served["over"] / served["count"]) <= 1e-9,
        "median": served["min"] <= served["median"] <= served["max"],
    }
    return [
        f"{name}:{statistic} is {served[statistic]}, from the waveforms {anew[statistic]}: more than what did not come"
        for statistic, holds in claims.items()
        if not holds
    ]
