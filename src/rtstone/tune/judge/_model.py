# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The structures of an experiment's result."""

from __future__ import annotations

from typing import Literal

import msgspec

Keep = Literal["low", "high", "a trade", "no effect shown"]


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """The effect of a setting or an interaction on one figure. A setting's effect is the change from its low to its high level."""

    figure: str
    """p50, p99.9 or max of a session."""
    change: float
    """As a share: -0.2 is a fifth less. Of the geometric means over sessions."""
    low: float
    high: float | None
    """95 % interval of this change by itself; None: there are too few sessions to limit it."""
    p: float
    """p of this change by itself."""
    p_adjusted: float
    """p, adjusted for all tests of the experiment (Holm). A change is shown if this is at most the `alpha`."""
    shown: bool


class Setting(msgspec.Struct, frozen=True, kw_only=True):
    """A setting of the experiment, its effect on each figure, and the level to keep."""

    name: str
    kind: Literal["setting", "words", "targets"]
    low: str
    high: str
    changes: tuple[Change, ...]
    keep: Keep
    """The level at which the figures with a shown change are smaller. `a trade`: some are smaller, others larger."""


class Interaction(msgspec.Struct, frozen=True, kw_only=True):
    """A shown interaction: the effect of one setting depends on the other. `pairs` lists several if the design cannot separate them."""

    pairs: tuple[tuple[str, str], ...]
    likely: tuple[tuple[str, str], ...]
    """The `pairs` in which both settings have a shown effect of their own. This is a guess and was not tested."""
    changes: tuple[Change, ...]
    """How much more the first setting changes a figure at the high level of the second than on average."""


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """The result of an experiment: the settings, the largest shown effect first, and the shown interactions."""

    schema: Literal["rtstone.tune"] = "rtstone.tune"
    version: str = "1.0"
    target: str
    kernel: str
    measurement: str
    quantity: str
    load: str
    rounds: int
    rounds_dropped: int
    """Rounds left out because a session is missing or doubtful."""
    rows: int
    alpha: float
    """Probability that any effect is shown wrongly. The share of false discoveries is not larger."""
    tests: int
    typical_ns: dict[str, float]
    """Each figure's geometric mean over all sessions."""
    settings: tuple[Setting, ...]
    interactions: tuple[Interaction, ...]
    runs: tuple[str, ...]
    notes: tuple[str, ...] = ()
