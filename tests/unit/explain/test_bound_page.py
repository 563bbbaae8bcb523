# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The page of a bound: the lengths of its parts are right and add up to it. Words from a run appear as text."""

from __future__ import annotations

import msgspec
import pytest

from rtstone.explain import text
from rtstone.explain.bounded_page import bounded_page
from rtstone.explain.document import Bound, Estimate, Observed, Place, Source, Stream, Term, Within
from support.explained import Page

HOSTILE = "</title><script>alert(1)</script>"


def _term(name: str, ticks: int) -> Term:
    begins, ends = Place("__local_bh_enable_ip", HOSTILE), Place("vectors")
    place = Within(ticks=ticks, begins=begins, ends=ends, at_ticks=9, load="traffic", sample=7)
    return Term(name=name, ticks=ticks, places=(place,) if ticks else ())


def _made(**ticks: int) -> Bound:
    """Terms by their names; interrupts have 10,000 and 400 instructions, and one of them none."""
    sources = [Source(27, "virtual timer", 90, 800, 10_000), Source(40, HOSTILE, 5, 200, 400), Source(9, "x", 1, 1, 0)]
    terms = [_term(f"D_{name}", ticks.get(name, 0)) for name in ("POID", "PAIE", "PSD", "ST")]
    return Bound(
        run="r",
        target="board:arm64-bound/linux-6.1-rt",
        kernel="k",
        repetition=0,
        hz=62_500_000,
        stream=Stream(1, ""),
        events=1,
        proven=True,
        bound=max(ticks["POID"], ticks["ST"]) + ticks["PAIE"] + ticks["PSD"] + 10_400,
        terms=tuple(terms),
        interrupts=tuple(sources),
        observed=(Observed("none", 1000, 999, 4000), Observed("traffic", 1000, 0, None)),
        estimates=(
            Estimate(load="none", once_in=1e5, value_ns=90_000.0, high_ns=120_000.0, refused=""),
            Estimate(load="traffic", once_in=1e5, value_ns=None, high_ns=None, refused="too few"),
        ),
    )


@pytest.mark.parametrize(("longer", "shorter"), [("POID", "ST"), ("ST", "POID")])
def test_the_parts_of_the_bound_are_stacked_and_add_up_to_it(longer: str, shorter: str) -> None:
    made = _made(**{longer: 6000, shorter: 5000, "PAIE": 300, "PSD": 3000})
    page = Page(bounded_page(made, theme="light"))
    assert page.bars == sorted(page.bars, key=lambda bar: (bar.top, bar.start))
    observed, estimate, *parts = page.bars
    assert made.bound is not None
    ticks = [6000, 300, 3000, 10_000, 400]
    names = [f"D_{longer}", "D_PAIE", "D_PSD", "virtual timer", HOSTILE]
    assert [bar.title for bar in parts] == [
        f"{name}: {one * 0.016:.2f} µs, {one} instructions" for name, one in zip(names, ticks, strict=True)
    ]
    assert len({bar.top for bar in parts}) == 1
    starts = [sum(ticks[:number]) for number in range(len(ticks))]
    for bar, start, one in zip(parts, starts, ticks, strict=True):
        assert (bar.start, bar.width) == pytest.approx((100 * start / made.bound, 100 * one / made.bound), abs=1e-4)
    # On the same scale: the observed maximum, and the estimate up to the end of its interval, with its value as a dot.
    bound_us = made.bound * 0.016
    assert (observed.start, observed.width) == pytest.approx((0, 100 * 64 / bound_us), abs=1e-4)
    assert (estimate.start, estimate.width) == pytest.approx((0, 100 * 120 / bound_us), abs=1e-4)
    (dot,) = page.dots
    assert dot == pytest.approx((100 * 90 / bound_us, estimate.top + 9), abs=1e-4)
    assert page.elements["script"] == 2
    for line in [*text.bound_title(made), *text.estimates(made), text.bound_proof(made)]:
        assert line in page.text
    for term, took, where in text.bound_terms(made):
        assert f"{term}{took * 0.016:.2f}{took}{where}" in page.text.replace("\n", "")


def test_an_estimate_may_be_longer_than_the_bound_and_a_kernel_without_one_has_its_term() -> None:
    made = _made(POID=6000, ST=5000, PAIE=300, PSD=3000)
    (far,) = [msgspec.structs.replace(one, high_ns=1e6) for one in made.estimates[:1]]
    page = Page(bounded_page(msgspec.structs.replace(made, estimates=(far,))))
    assert max(bar.start + bar.width for bar in page.bars) == pytest.approx(100)
    none = [msgspec.structs.replace(one, in_window=0) for one in made.interrupts]
    made = msgspec.structs.replace(
        made, proven=False, bound=None, terms=made.terms[:1], interrupts=tuple(none), estimates=(), observed=()
    )
    page = Page(bounded_page(made))
    (bar,) = page.bars
    assert (bar.title, bar.width) == ("D_POID: 96.00 µs, 6000 instructions", 100)
    assert "There is no bound for this kernel" in page.text
