# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The answer of an experiment."""

from __future__ import annotations

from typing import Literal

import msgspec

Keep = Literal["low", "high", "a trade", "no effect shown"]


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """What going from the low to the high level does to a figure."""

    figure: str
    """p50, p99.9 or max of a session."""
    change: float
    """As a share: -0.2 is a fifth less. Of sessions' geometric means."""
    low: float
    high: float | None
    """95 % interval of this change by itself; None: the sessions are too few to limit it."""
    p: float
    """By itself."""
    p_adjusted: float
    """With all others of the experiment (Holm): where it is at most the experiment's alpha, the change is shown."""
    shown: bool


class Setting(msgspec.Struct, frozen=True, kw_only=True):
    """A setting, and what it does."""

    name: str
    kind: Literal["setting", "words", "targets"]
    low: str
    high: str
    changes: tuple[Change, ...]
    keep: Keep
    """The level at which the figures that are shown to change are smaller; a trade: some are, others are larger."""


class Interaction(msgspec.Struct, frozen=True, kw_only=True):
    """What the design tells of interactions: one pair, or several that it cannot tell apart."""

    pairs: tuple[tuple[str, str], ...]
    likely: tuple[tuple[str, str], ...]
    """Those of `pairs` both of whose settings have an effect of their own: a guess, nothing that was shown."""
    changes: tuple[Change, ...]
    """By how much more the first setting does at the high level of the second than on average."""


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """Settings, the one that does most first; and the interactions that were shown."""

    schema: Literal["rtstone.tune"] = "rtstone.tune"
    version: str = "1.0"
    target: str
    kernel: str
    measurement: str
    quantity: str
    load: str
    rounds: int
    rounds_dropped: int
    """Rounds of which a session is missing or not to be believed."""
    rows: int
    alpha: float
    """Chance that anything at all is shown wrongly: the share of false discoveries is no larger."""
    tests: int
    typical_ns: dict[str, float]
    """Each figure's geometric mean over all sessions."""
    settings: tuple[Setting, ...]
    interactions: tuple[Interaction, ...]
    runs: tuple[str, ...]
    notes: tuple[str, ...] = ()
