# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The circumstances of a measurement, and all that is made of them: differences, words, columns, selectors.

Nothing else of rtstone lists a variant's fields. What tells results apart compares whole variants; what shows them goes through
:data:`FACETS`, which has every field, also one that nobody has found words for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal

import msgspec


class Variant(msgspec.Struct, frozen=True, kw_only=True, order=True):
    """The circumstances that make two results of one quantity different measurements."""

    pass_: Literal["batch", "single"] = msgspec.field(name="pass", default="single")
    load: str = "none"
    intensity: int = 1
    sched: Literal["rt", "ts"] = "rt"
    cache: Literal["warm", "flushed"] = "warm"
    timer: str = "default"
    period_ns: int = 0
    window: str = "default"
    trace_over_ns: int = 0
    """Samples above this had the kernel's trail kept; 0: none had."""


class Facet(msgspec.Struct, frozen=True, kw_only=True):
    """How one field of a variant is told."""

    name: str
    """In the struct."""
    key: str
    """In documents: the name of its column, label or selector."""
    kind: type
    usual: Any
    """Its default, which goes without saying."""
    label: str
    """In a difference: `class: rt | ts`."""
    words: Mapping[Any, str] = {}
    """Values that have words of their own."""
    form: str = ""
    """Of all other values, in place of `label value`."""
    joined: bool = False
    """Belongs to the word before it."""
    always: bool = False
    """Said where it is the usual, too."""
    when_unlike: bool = False
    """Said only where it differs among what is shown: a plan has it for measurements that know no such thing."""
    column: bool = True
    """Whether it makes a column of a paper's table; the table itself tells the others."""

    def value(self, of: Variant) -> Any:
        """What a variant has for it."""
        return getattr(of, self.name)

    def text(self, value: Any) -> str:
        """A value with its unit."""
        return f"{value / 1000:g} µs" if self.name.endswith("_ns") else str(value)

    def said(self, value: Any) -> str:
        """A value in words."""
        return self.words.get(value) or (self.form or f"{self.label} {{}}").format(self.text(value))


_TOLD: dict[str, dict[str, Any]] = {
    "pass_": {"words": {"single": "single operations", "batch": "sets of operations"}, "column": False},
    "load": {"words": {"none": "idle"}, "form": "{} load", "always": True},
    "intensity": {"form": "x{}", "joined": True},
    "sched": {"label": "class", "words": {"rt": "real-time class", "ts": "time-sharing class"}},
    "cache": {"label": "caches"},
    "period_ns": {"label": "period", "words": {0: "no period"}, "when_unlike": True, "column": False},
    "trace_over_ns": {"label": "trails above", "words": {0: "no trails"}, "column": False},
}
"""What is not as a field's name and type would have it."""


def _facet(field: msgspec.structs.FieldInfo) -> Facet:
    label = field.name.removesuffix("_").removesuffix("_ns").replace("_", " ")
    made = {"label": label} | _TOLD.get(field.name, {})
    return Facet(name=field.name, key=field.encode_name, kind=type(field.default), usual=field.default, **made)


FACETS: tuple[Facet, ...] = tuple(map(_facet, msgspec.structs.fields(Variant)))
"""Every field of a variant, in their order."""


def differing(variants: Iterable[Variant]) -> frozenset[str]:
    """The names of the fields in which variants differ."""
    them = tuple(variants)
    return frozenset(facet.name for facet in FACETS if len({facet.value(one) for one in them}) > 1)


def differences(reference: Variant, other: Variant) -> tuple[str, ...]:
    """In what two variants differ, each as `load: none | cpu`; empty only where they are equal."""
    return tuple(
        f"{facet.label}: {facet.text(facet.value(reference))} | {facet.text(facet.value(other))}"
        for facet in FACETS
        if facet.value(reference) != facet.value(other)
    )


def words(variant: Variant, among: Iterable[Variant] = (), *, without: Iterable[str] = ()) -> str:
    """`idle`, `cpu load x2, time-sharing class`: what is out of the usual, and all in which those `among` differ.

    `without` names fields that are told elsewhere.
    """
    unlike, left_out = differing((variant, *among)), frozenset(without)
    made: list[str] = []
    for facet in (*FACETS[1:], FACETS[0]):  # the pass comes last: `idle, sets of operations`
        value = facet.value(variant)
        out_of_the_usual = value != facet.usual and not facet.when_unlike
        if facet.name in left_out or not (facet.always or out_of_the_usual or facet.name in unlike):
            continue
        if facet.joined and made:
            made[-1] += f" {facet.said(value)}"
        else:
            made.append(facet.said(value))
    return ", ".join(made)


def columns(variant: Variant) -> Iterator[tuple[str, str | int]]:
    """Every field as (name in documents, value)."""
    for facet in FACETS:
        yield facet.key, facet.value(variant)
