# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The study files: their content agrees with the papers' figures, and damage to them is reported."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rtstone.errors import InfrastructureError, UsageError
from rtstone.resources import data_dir
from rtstone.studies import Study, load_file, needs, profile, profiles, reference, studies, study
from rtstone.studies.conditions import CHECKS, TOGETHER

IDS = ["rhealstone", "sscl", "infn", "slac", "spring8", "aps"]


def test_the_studies_come_oldest_first() -> None:
    assert [s.id for s in studies()] == IDS
    assert [s.year for s in studies()] == sorted(s.year for s in studies())


@pytest.mark.parametrize("one", studies(), ids=lambda s: s.id)
def test_every_row_that_claims_to_be_published_is_and_no_published_row_is_forgotten(one: Study) -> None:
    if one.id not in reference.studies():
        assert not any(row.published for table in one.tables for row in table.rows)
        return
    for table in one.tables:
        printed = {f.row for f in reference.load(one.id) if f.table == table.number}
        assert {row.label for row in table.rows if row.published} == printed, table.number


@pytest.mark.parametrize("one", studies(), ids=lambda s: s.id)
def test_every_published_condition_has_a_load_beside_it(one: Study) -> None:
    for table in one.tables:
        if table.conditions:
            printed = {f.condition for f in reference.load(one.id) if f.table == table.number}
            assert {c.published for c in table.conditions} - {""} == printed - {""}


def test_sscl_measures_all_twelve_rows_of_table_1_in_both_passes_and_both_of_table_2() -> None:
    sscl = study("sscl")
    published = {row.measurement for row in sscl.table("1").rows if row.published}
    assert len(published) == 12
    for pass_ in ("batch", "single"):
        assert published <= {n.measurement for n in needs(sscl) if n.pass_ == pass_}
    assert [row.quantity for row in sscl.table("2").rows] == ["interrupt-service-response", "interrupt-task-response"]
    assert needs(sscl).count(needs(sscl)[0]) == 1


def test_spring8_asks_for_processes_and_threads_in_both_classes() -> None:
    asked = {(n.measurement, n.sched) for n in needs(study("spring8")) if n.measurement.endswith("-switch")}
    assert asked == {(m, s) for m in ("process-switch", "thread-switch") for s in ("rt", "ts")}


def test_slac_states_the_papers_own_count_and_rate() -> None:
    slac = study("slac")
    assert slac.counts.stated
    assert slac.counts.interrupts == 2_000_000
    assert {n.period_ns for n in needs(slac) if not n.measurement.endswith("-switch")} == {250_000}


def test_every_check_is_used_and_every_condition_has_one() -> None:
    used = {condition.check for one in studies() for condition in one.conditions}
    assert used == {*CHECKS, *TOGETHER}


def test_unknown_names_are_told_with_the_nearest() -> None:
    with pytest.raises(UsageError, match=r"unknown study 'slak'\. Did you mean 'slac'\? There are: rhealstone, sscl"):
        study("slak")
    with pytest.raises(UsageError, match=r"unknown profile 'quik'\. Did you mean 'quick'\?"):
        profile("quik")
    assert [p.name for p in profiles().profiles] == ["quick", "standard", "paper", "private", "sixteen-hours"]


DAMAGE = {
    "id of another": ('id = "slac"', 'id = "other"', "is not the file's name"),
    "major version": ('version = "1.0"', 'version = "2.0"', "version 2.0 is not 1.x"),
    "unknown check": ('check = "one-cpu"', 'check = "one-cup"', "unknown check 'one-cup'"),
    "unknown key": ("year = 2001", "year = 2001\nyaer = 2001", "unknown field `yaer`"),
    "unknown statistic": ("({avg} ± {sd})", "({avg} ± {sigma})", "unknown statistic 'sigma'"),
    "no statistic": ('cell = "{max} ({avg} ± {sd})"', 'cell = "words"', "names no statistic"),
    "row twice": ('label = "Context Switching"', 'label = "Interrupt Latency"', "given twice"),
    "no measurement": ('measurement = "interrupt-response"', "", "has no measurement"),
    "not TOML": ("[counts]", "[counts", "slac.toml"),
    "wrong type": ("year = 2001", 'year = "MMI"', "Expected `int`"),
}


@pytest.mark.parametrize("kind", DAMAGE)
def test_a_damaged_study_is_told_with_its_file(kind: str, tmp_path: Path) -> None:
    before, after, expected = DAMAGE[kind]
    text = (data_dir("studies") / "slac.toml").read_text(encoding="utf-8")
    assert before in text
    file = tmp_path / "slac.toml"
    file.write_text(text.replace(before, after, 1), encoding="utf-8")
    with pytest.raises(InfrastructureError, match=r"slac\.toml") as raised:
        load_file(file)
    assert expected in str(raised.value)
    assert "\n" not in str(raised.value)


@given(st.integers(0, 3000), st.integers(0, 40), st.text(max_size=20))
def test_any_damage_is_told_in_one_line_or_does_no_harm(at: int, cut: int, put: str) -> None:
    text = (data_dir("studies") / "slac.toml").read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "slac.toml"
        file.write_bytes((text[:at] + put + text[at + cut :]).encode("utf-8", "surrogatepass"))
        said = ""
        try:
            assert load_file(file).id == "slac"
        except InfrastructureError as error:
            said = str(error)
    assert not said or ("slac.toml" in said and len(said.splitlines()) == 1)


def test_the_file_as_it_is_loads(tmp_path: Path) -> None:
    file = tmp_path / "slac.toml"
    file.write_bytes((data_dir("studies") / "slac.toml").read_bytes())
    assert load_file(file) == study("slac")
