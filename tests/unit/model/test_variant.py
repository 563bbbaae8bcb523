# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""No part that reads results overlooks a circumstance: each field of a variant is changed in turn, and every part must notice."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args, get_type_hints

import msgspec
import pytest

from rtstone import api
from rtstone.archive import _figures, open_archive
from rtstone.cli import main
from rtstone.errors import UsageError
from rtstone.judge import fit
from rtstone.judge.check import Known, judge, parse
from rtstone.judge.compare import compare
from rtstone.judge.fit import _gather
from rtstone.model import Run, Variant
from rtstone.model.variant import FACETS, Facet, columns, differences, differing, words
from rtstone.show import exporters, tables
from rtstone.show.report._series import sections
from rtstone.show.tables import _outcome
from rtstone.show.watch import State, frame
from rtstone.stream import collect
from rtstone.stream.plan import Item
from rtstone.studies import Need
from support.repeated import repeated
from support.runs import make_result, make_run
from support.stream_writer import StreamWriter
from support.streams import preamble

PERIOD_NS = 250_000
BASE = Variant(load="cpu", period_ns=PERIOD_NS)
FIELDS = pytest.mark.parametrize("facet", FACETS, ids=lambda facet: facet.name)


def changed(facet: Facet, of: Variant = BASE) -> Variant:
    """The variant with another value in one field: any that its type allows."""
    value = facet.value(of)
    literals = get_args(get_type_hints(Variant)[facet.name])
    other = next((one for one in literals if one != value), value + 7_000 if isinstance(value, int) else f"{value}-2")
    return msgspec.structs.replace(of, **{facet.name: other})


def _run(*variants: Variant, name: str = "a", measurement: str = "interrupt-response") -> Run:
    """A run with a result under each; the first is fast, the others are slow. Their samples are the same whatever the variant."""
    made = []
    for item, variant in enumerate(variants):
        batch = variant.pass_ == "batch"
        values = [(10_000 if item == 0 else 40_000) * (100 if batch else 1) + i % 50 for i in range(1_000)]
        result = make_result(
            "interrupt-task-response", item=item, measurement=measurement, variant=variant, values=values
        )
        made.append(msgspec.structs.replace(result, load=()))
    return make_run(name, results=tuple(made), studies=())


def test_every_field_has_a_name_words_and_a_usual_value_without_being_asked() -> None:
    """A field that is added later is printed, compared and put into columns, though nobody wrote words for it."""
    assert [facet.name for facet in FACETS] == list(Variant.__struct_fields__)
    assert msgspec.structs.replace(Variant(), **{f.name: f.usual for f in FACETS}) == Variant()
    assert [key for key, _ in columns(BASE)] == list(msgspec.to_builtins(BASE))
    assert {facet.key: facet.value(BASE) for facet in FACETS} == msgspec.to_builtins(BASE)


def test_a_plan_asks_for_every_field() -> None:
    """A result's variant comes from the item as an engine echoes it."""
    assert set(Variant.__struct_fields__) <= set(Item.__struct_fields__)


@FIELDS
def test_two_variants_differ_in_what_differs(facet: Facet) -> None:
    other = changed(facet)
    assert differing((BASE, other)) == {facet.name}
    assert len(differences(BASE, other)) == 1
    assert words(BASE, (other,)) != words(other, (BASE,))
    assert differences(BASE, BASE) == ()


def test_words_say_what_is_out_of_the_usual() -> None:
    assert words(Variant()) == "idle"
    far = Variant(load="cpu", intensity=2, sched="ts", cache="flushed", window="vme:0/a24/0", trace_over_ns=50_000)
    assert words(far) == "cpu load x2, time-sharing class, caches flushed, window vme:0/a24/0, trails above 50 µs"
    assert words(Variant(pass_="batch")) == "idle, sets of operations"
    assert words(Variant(), (Variant(period_ns=1_000_000),)) == "idle, no period"


def _tails(run: Run) -> object:
    return msgspec.to_builtins(fit.tails([run], once_in=(1_000,)))


def _watched(run: Run) -> object:
    state = State()
    for session in run.sessions:
        state.add(session, 0.0)
    return frame(state, "heading", 1.0, width=140, height=60)


def _asked(run: Run) -> object:
    """The count, or the Python interface's error if the quantity is ambiguous."""
    try:
        return api.Run(run).quantity("interrupt-task-response").count
    except UsageError as error:
        return str(error)


def _charted(run: Run) -> object:
    return [(s.variant, [(one.label, one.figures) for one in (*s.single, *s.batch)]) for s in sections([run])]


def _of_the_study(run: Run) -> object:
    need = Need(
        measurement="interrupt-response",
        quantity="interrupt-task-response",
        pass_="single",
        sched=None,
        period_ns=PERIOD_NS,
    )
    found = {under.title(): _outcome.find(run, need, under) for under in _outcome.circumstances(run, (need,))}
    return {title: (o.fault, o.pool.count if o.pool else 0) for title, o in found.items()}


def _exported(one: exporters.Exporter) -> Callable[[Run], object]:
    return lambda run: one.write([run])


READERS: dict[str, Callable[[Run], object]] = {
    "archive": lambda run: list(_figures.result_rows(run, 0)),
    "tables": lambda run: msgspec.to_builtins(tables.views([run])),
    "a study's tables": _of_the_study,
    "fit": lambda run: {key: len(group.pieces) for key, group in _gather.gather([run]).items()},
    "tails": _tails,
    "watch": _watched,
    "report": _charted,
    "python": _asked,
    **{f"export {one.name}": _exported(one) for one in exporters.exporters()},
}


@FIELDS
@pytest.mark.parametrize("reader", READERS)
def test_what_is_shown_of_two_variants_is_not_what_is_shown_of_one(facet: Facet, reader: str) -> None:
    """If a reader overlooked a field, it would take two results for repetitions of one, or show them alike."""
    of = READERS[reader]
    assert of(_run(BASE, changed(facet))) != of(_run(BASE, BASE))


@FIELDS
def test_no_cell_is_made_of_two_variants(facet: Facet) -> None:
    run = _run(BASE, changed(facet))
    for need_period in (0, PERIOD_NS):
        for sched in (None, "rt", "ts"):
            for timer in ("", "default", "default-2"):
                need = Need(
                    measurement="interrupt-response",
                    quantity="interrupt-task-response",
                    pass_="single",
                    sched=sched,
                    period_ns=need_period,
                    timer=timer,
                )
                for under in _outcome.circumstances(run, (need,)):
                    assert len({r.variant for r in _outcome.find(run, need, under).results}) == 1


@FIELDS
def test_charts_of_two_runs_hold_like_against_like(facet: Facet) -> None:
    for section in sections([_run(BASE), _run(changed(facet), name="b")]):
        for together in (section.single, section.batch):
            assert len({one.variant for one in together}) <= 1


@FIELDS
def test_compare_takes_no_two_variants_for_one(facet: Facet) -> None:
    """It compared windows `pci:…` and `vme:…` and called the slower one regressed."""
    sides = [repeated("a", variants=(BASE,)), repeated("b", variants=(changed(facet),), typical=40_000)]
    made = compare(sides)
    verdicts = {j.verdict for row in made.rows for f in row.figures for j in f.against}
    assert verdicts <= {"not comparable"}
    assert verdicts or len(made.missing) == 2
    both = compare([repeated("a", variants=(BASE, changed(facet))), repeated("b", variants=(BASE, changed(facet)))])
    assert len({row.title for row in both.rows}) == 2


def _checks(more: str) -> Any:
    name = "interrupt-response"
    known = Known(
        quantities={name: ("interrupt-task-response",)},
        passes={name: ("single", "batch")},
        studies={},
        loads=("none", "cpu", "cpu-2"),
    )
    head = 'schema = "rtstone.check"\nversion = "1.0"\n'
    return parse(f'{head}{more}\nmeasurement = "{name}"\nload = "cpu"\n', "f.toml", Path(), known)


BASELINE = '[[baseline]]\nruns = ["x"]\nbetween-runs = "ignored"'
BOUND = '[[bound]]\nrequire = ["max < 1ms"]'


def _several(variant: Variant, name: str) -> Run:
    one = _run(variant, name=name)
    return msgspec.structs.replace(
        one, sessions=tuple(msgspec.structs.replace(one.sessions[0], repetition=i) for i in range(5))
    )


@FIELDS
def test_a_gate_holds_no_variant_against_another(facet: Facet) -> None:
    assert judge(_checks(BASELINE), [_several(BASE, "b")], {0: (_several(BASE, "a"),)}).outcome == "pass"
    report = judge(_checks(BASELINE), [_several(changed(facet), "b")], {0: (_several(BASE, "a"),)})
    assert report.outcome == "inconclusive"
    assert report.rows[0].observed is None


@FIELDS
def test_a_gate_can_say_which_variant_it_means(facet: Facet) -> None:
    other = changed(facet)
    key, value = facet.key.replace("_", "-"), facet.value(other)
    said = f"{key} = {value!r}".replace("'", '"')
    run = _run(BASE, other)
    if facet.name != "load":
        chosen = judge(_checks(f"{BOUND}\n{said}"), [run], {})
        assert (chosen.outcome, chosen.rows[0].repetitions) == ("pass", 1)
        assert chosen.rows[0].observed is not None
        assert chosen.rows[0].observed > 40_000 - 1
    # Without a word it is either the usual one alone, or none until it is said.
    unsaid = judge(_checks(BOUND), [run], {})
    assert unsaid.rows[0].repetitions == 1 or unsaid.outcome == "inconclusive"


@FIELDS
def test_the_engines_echo_of_an_item_becomes_the_results_variant(facet: Facet) -> None:
    other = changed(facet)
    writer = StreamWriter()
    item = {"item": 0, "measurement": "suspend-resume", **msgspec.to_builtins(other)}
    lines = preamble(writer, item)
    lines += [writer.record("skip", item=0, measurement="suspend-resume", reason="unsupported"), writer.bye(0, 1)]
    (result,) = collect(lines)[0].results
    assert result.variant == other


@FIELDS
def test_a_kept_run_is_shown_with_its_variants(facet: Facet, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    def shown(*variants: Variant) -> str:
        place = str(tmp_path / f"{len(set(variants))}.db")
        open_archive(place).save(_run(*variants))
        with pytest.raises(SystemExit) as ended:
            main(("archive", "show", "--archive", place))
        assert not ended.value.code
        return capfd.readouterr().out.replace(place, "")

    assert shown(BASE, changed(facet)) != shown(BASE, BASE)
