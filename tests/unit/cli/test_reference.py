# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""`rtstone reference`: its output in each format, and its error for a request that it cannot meet."""

from __future__ import annotations

import csv
import io
import json

import jsonschema
import pytest
import typer
from typer.testing import CliRunner

from rtstone.cli import _app as application
from rtstone.cli import reference
from rtstone.errors import UsageError
from rtstone.studies import reference as figures_of
from support.schemas import schema

HEADER = "study,table,row,platform,condition,statistic,value,unit"


def _app() -> typer.Typer:
    app = typer.Typer()
    app.callback()(lambda: None)
    reference.register(app)
    return app


def _run(*arguments: str) -> str:
    result = CliRunner().invoke(_app(), ["reference", *arguments], catch_exceptions=False)
    assert result.exit_code == 0
    return result.stdout


def test_csv_is_every_figure_under_exactly_these_columns() -> None:
    out = _run("--format", "csv")
    assert out.splitlines()[0] == HEADER
    assert "\r" not in out
    rows = list(csv.DictReader(io.StringIO(out)))
    assert rows == [{c: getattr(f, c) for c in HEADER.split(",")} for f in figures_of.load()]


def test_csv_with_notes_has_one_column_more() -> None:
    rows = list(csv.DictReader(io.StringIO(_run("--format", "csv", "--notes", "--study", "spring8"))))
    assert list(rows[0]) == [*HEADER.split(","), "note"]
    assert all("doubtful" in row["note"] for row in rows if row["unit"] == "msec")


@pytest.mark.parametrize("arguments", [["--json"], ["--format", "json"], ["--json", "--format", "json"]])
def test_json_carries_schema_version_and_reading(arguments: list[str]) -> None:
    document = json.loads(_run(*arguments, "--study", "infn", "--table", "2"))
    assert (document["schema"], document["version"]) == ("rtstone.reference", "1.0")
    assert len(document["figures"]) == 8
    by_value = {entry["value"]: entry for entry in document["figures"]}
    assert by_value["90.000"]["number"] == 90_000
    assert by_value["not applicable"]["number"] is None
    assert "thousands" in by_value["90.000"]["note"]


def test_json_keeps_to_its_schema() -> None:
    wanted = schema("reference")
    document = json.loads(_run("--json"))
    jsonschema.Draft202012Validator(wanted).validate(document)
    assert len(document["figures"]) == len(figures_of.load())
    del document["figures"][0]["unit"]
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft202012Validator(wanted).validate(document)


@pytest.mark.parametrize("arguments", [["--study", "slac,aps"], ["--study", "aps", "--study", "slac"]])
def test_studies_by_comma_or_repetition_in_the_order_of_the_papers(arguments: list[str]) -> None:
    rows = list(csv.DictReader(io.StringIO(_run("--format", "csv", *arguments))))
    assert list(dict.fromkeys(row["study"] for row in rows)) == ["slac", "aps"]
    assert len(rows) == 48 + 172


def test_one_table_of_all_studies() -> None:
    rows = list(csv.DictReader(io.StringIO(_run("--format", "csv", "--table", "figure1,6"))))
    assert {(row["study"], row["table"]) for row in rows} == {("infn", "6"), ("spring8", "figure1")}


def test_table_shows_every_cell_of_the_paper() -> None:
    out = _run("--study", "sscl")
    assert "sscl Table 1: Throughput Measurements (min/max/avg, µsec)" in out
    (line,) = [line for line in out.splitlines() if "Ping Suspend/Resume Task" in line]
    assert line.split()[3:] == ["120/130/128", "140/150/142", "*", "174/182/177"]
    (line,) = [line for line in out.splitlines() if "VxWorks" in line and "56" in line]
    assert line.split() == ["VxWorks", "6/56/6", "119/319/125"]
    assert "--notes shows them" in out


@pytest.mark.parametrize("kind", ["table", "markdown"])
def test_no_figure_is_lost_between_data_and_page(kind: str) -> None:
    out = _run("--format", kind).replace("\\*", "*")
    for figure in figures_of.load():
        assert figure.value in out, figure
    numbers = [f.value for f in figures_of.load("aps") if f.number() is not None]
    cells = [word for line in _run("--format", kind, "--study", "aps").splitlines() for word in line.split()]
    assert sum(cell.count("/") + 1 for cell in cells if cell[0].isdigit() and "/" in cell) == len(numbers)


def test_notes_stand_below_the_table_they_belong_to() -> None:
    out = _run("--study", "infn", "--table", "2", "--notes")
    assert "90.000 switches/s [2]" in out
    assert "[2] the dot groups thousands" in out
    assert "--notes" not in out


def test_markdown_keeps_the_asterisk_a_figure() -> None:
    out = _run("--format", "markdown", "--study", "sscl", "--table", "1")
    assert "| Create/Delete Task | 540/600/591 | 370/380/371 | \\* | 1378/1446/1423 |" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--study", "cern"], "'cern'. There are: sscl, infn, slac, spring8, aps"),
        (["--study", "sscl,"], "study ''"),
        (["--study", "sscl", "--table", "3"], "unknown table in sscl '3'. There are: 1, 2"),
        (["--table", "seven"], "unknown table 'seven'. There are: 1, 2, 3, 4, 5, 6, text, figure1"),
        (["--format", "yaml"], "unknown format 'yaml'. There are: table, csv, json, markdown"),
        (["--json", "--format", "csv"], "--json and --format csv exclude each other"),
    ],
)
def test_what_is_not_there_is_a_usage_error_of_one_line(arguments: list[str], message: str) -> None:
    result = CliRunner().invoke(_app(), ["reference", *arguments])
    assert result.stdout == ""
    assert isinstance(result.exception, UsageError)
    assert result.exception.exit_code == 2
    assert message in str(result.exception)
    assert "\n" not in str(result.exception)


def test_an_unknown_study_ends_in_one_line_and_exit_code_2(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        application.main(["reference", "--study", "cern"])
    assert ended.value.code == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err == ("rtstone: unknown published study 'cern'. There are: sscl, infn, slac, spring8, aps\n")
