# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The circumstances of a measurement, and everything derived from them: differences, words, columns, selectors.

Nothing else of rtstone lists a variant's fields. Code that distinguishes results compares whole variants.
Code that shows them uses :data:`FACETS`, which has every field, even one without words of its own.
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
    """Event trails were recorded of samples above this; 0: of none."""


class Facet(msgspec.Struct, frozen=True, kw_only=True):
    """How one field of a variant is shown."""

    name: str
    """The field's name in the struct."""
    key: str
    """The field's name in documents: column, label or selector."""
    kind: type
    usual: Any
    """Its default, which is not shown."""
    label: str
    """Title in a difference: `class: rt | ts`."""
    words: Mapping[Any, str] = {}
    """Values that have words of their own."""
    form: str = ""
    """Format of all other values, instead of `label value`."""
    joined: bool = False
    """Whether its word is joined to the word before it."""
    always: bool = False
    """Shown even if it is the default."""
    when_unlike: bool = False
    """Shown only where it differs among the shown variants: a plan sets it even for measurements that do not use it."""
    column: bool = True
    """Whether it makes a column of a paper's table. The table itself shows the other fields."""

    def value(self, of: Variant) -> Any:
        """The value of this field in a variant."""
        return getattr(of, self.name)

    def text(self, value: Any) -> str:
        """A value with its unit."""
        return f"{value / 1000:g} µs" if self.name.endswith("_ns") else str(value)

    def said(self, value: Any) -> str:
        """A value in words."""
        return self.words.get(value) or (self.form or f"{self.label} {{}}").format(self.text(value))


_PROPERTIES: dict[str, dict[str, Any]] = {
    "pass_": {"words": {"single": "single operations", "batch": "sets of operations"}, "column": False},
    "load": {"words": {"none": "idle"}, "form": "{} load", "always": True},
    "intensity": {"form": "x{}", "joined": True},
    "sched": {"label": "class", "words": {"rt": "real-time class", "ts": "time-sharing class"}},
    "cache": {"label": "caches"},
    "period_ns": {"label": "period", "words": {0: "no period"}, "when_unlike": True, "column": False},
    "trace_over_ns": {"label": "trails above", "words": {0: "no trails"}, "column": False},
}
"""Properties of a facet that do not follow from the field's name and type."""


def _facet(field: msgspec.structs.FieldInfo) -> Facet:
    label = field.name.removesuffix("_").removesuffix("_ns").replace("_", " ")
    made = {"label": label} | _PROPERTIES.get(field.name, {})
    return Facet(name=field.name, key=field.encode_name, kind=type(field.default), usual=field.default, **made)


FACETS: tuple[Facet, ...] = tuple(map(_facet, msgspec.structs.fields(Variant)))
"""Every field of a variant, in the order of the fields."""


def differing(variants: Iterable[Variant]) -> frozenset[str]:
    """The names of the fields in which variants differ."""
    them = tuple(variants)
    return frozenset(facet.name for facet in FACETS if len({facet.value(one) for one in them}) > 1)


def differences(reference: Variant, other: Variant) -> tuple[str, ...]:
    """The differences of two variants, each as `load: none | cpu`; empty only where they are equal."""
    return tuple(
        f"{facet.label}: {facet.text(facet.value(reference))} | {facet.text(facet.value(other))}"
        for facet in FACETS
        if facet.value(reference) != facet.value(other)
    )


def words(variant: Variant, among: Iterable[Variant] = (), *, without: Iterable[str] = ()) -> str:
    """The variant in words, as `idle`, `cpu load x2,
    time-sharing class`: unusual values, and fields that differ in `among`.

    `without` names fields that are shown elsewhere.
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


def load_words(name: str) -> str:
    """A load in words, whatever else a variant has: `idle`, or `cpu load`."""
    return words(Variant(load=name))


def columns(variant: Variant) -> Iterator[tuple[str, str | int]]:
    """Every field as (name in documents, value)."""
    for facet in FACETS:
        yield facet.key, facet.value(variant)
