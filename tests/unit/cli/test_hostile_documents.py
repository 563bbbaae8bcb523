# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""A run's document with any content is refused in one line that names the field, or every command works with it."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rtstone.archive import _documents
from rtstone.errors import InfrastructureError
from rtstone.model import Event, Figure, LoadFigure, Variant
from rtstone.show.exporters import exporters
from support import hostile
from support.command import rtstone
from support.runs import make_result, make_run, make_session, skipped

VALUES = [-5, 3, 7, 10_000, *range(1_000, 1_400)]


def _document() -> Any:
    raw = make_result(values=VALUES)
    raw = msgspec.structs.replace(
        raw,
        samples=b"".join(value.to_bytes(8, "little", signed=True) for value in VALUES),
        figures=(Figure("moved", "bytes", 4096),),
        events=(Event("rest", 5, 7),),
        load=(LoadFigure("cpu", "cpu_permille", 990),),
    )
    batch = make_result("suspend-resume-ping", item=1, variant=Variant(pass_="batch", load="cpu:2+disk"))
    sessions = tuple(
        make_session((raw, batch, skipped("queue-fill", item=2)), repetition=n, seed=n + 1) for n in range(2)
    )
    return json.loads(_documents.encode(make_run("hurt", sessions=sessions)))


def _at(document: Any, path: hostile.Path) -> Any:
    for step in path:
        document = document[step]
    return document


DOCUMENT = _document()
PATHS = list(hostile.leaves(DOCUMENT))
FORMATS = tuple(exporter.name for exporter in exporters())
VALUES_TRIED: tuple[Any, ...] = (*hostile.NUMBERS, *hostile.WORDS, *hostile.OTHERS, ..., "twice")
AFTER = (
    ("show",),
    ("show", "--format", "csv"),
    ("show", "--format", "markdown"),
    ("show", "--json"),
    ("archive", "list"),
    ("compare", "honest"),
    (
        "fit",
        "--tail",
    ),
    ("fit", "--tail", "--once-in", "100"),
    *(("export", "-o", "-", "--format", form) for form in FORMATS),
    ("report", "-o", "-"),
)


def _refused_or_of_use(folder: Path, document: Any, *, whole: bool = True) -> bool:
    """Whether it was taken; a document that is taken can be used by every command."""
    honest, hurt = folder / "honest.json", folder / "hurt.json"
    honest.write_text(json.dumps(DOCUMENT | {"id": "honest"}), encoding="utf-8")
    hurt.write_text(json.dumps(document), encoding="utf-8")
    archive = ("--archive", str(folder / f"a{len(list(folder.iterdir()))}.sqlite"))
    hostile.run("archive", "import", str(honest), *archive).well(0)
    taken = hostile.run("archive", "import", str(hurt), *archive)
    taken.well(0, 3)
    if taken.code:
        assert str(hurt) in taken.said
        hostile.run("show", str(hurt), *archive).well(3)  # a file named instead of a run is read the same way
        return False
    for command in AFTER if whole else AFTER[:3]:
        words = (*command[:1], "last", *command[1:]) if command[0] not in {"archive"} else command
        ended = hostile.run(*words, *archive)
        ended.well()
        if not {"json", "--json", "html", "hdr", "parquet"} & set(command) and command[0] != "report":
            assert not hostile.TROUBLE.search(ended.out.decode()), ended.arguments
    return True


RESULT = ("sessions", 0, "results", 0)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("id",), ""),
        (("id",), "last"),
        (("id",), "../x"),
        (("group",), "x"),
        (("sessions", 0, "clocks", 0, "hz"), 0),
        (("sessions", 0, "clocks"), "twice"),
        ((*RESULT, "ops"), 0),
        ((*RESULT, "clock"), 7),
        ((*RESULT, "count"), 10**400),
        ((*RESULT, "count"), 403),
        ((*RESULT, "sum"), 0),
        ((*RESULT, "sumsq"), 1),
        ((*RESULT, "min"), 0),
        ((*RESULT, "samples"), "AAAA"),
        ((*RESULT, "variant", "load"), "cpu+cpu"),
        ((*RESULT, "histogram", "geometry", "sub_bits"), 0),
        ((*RESULT, "histogram", "geometry", "sub_bits"), 2**33),
        ((*RESULT, "histogram", "geometry", "max_bits"), 10**11),
        ((*RESULT, "histogram", "positive", 0), [3 * 10**12, 1]),
        ((*RESULT, "histogram", "positive", 0), [0, 0]),
        ((*RESULT, "histogram", "positive", 0), [-1, 1]),
        ((*RESULT, "extremes", 0, "value"), 2**60),
        ((*RESULT, "windows", "width"), 0),
        (("sessions", 0, "results", 1, "batches", 0), 2**70),
    ],
    ids=str,
)
def test_what_cannot_be_is_refused_at_its_path(path: hostile.Path, value: Any) -> None:
    document = hostile.changed(DOCUMENT, path if value != "twice" else (*path, 0), value)
    with pytest.raises(InfrastructureError) as refused:
        _documents.decode(json.dumps(document).encode(), "it")
    shown = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)[1:]
    at = re.sub(r"(positive|batches)\[0\]", r"\1", shown)
    # A contradiction within a result is reported at the result.
    assert at in str(refused.value) or f"{at.rpartition('.')[0]} does not agree" in str(refused.value)


@pytest.mark.parametrize("path", [path for path in PATHS if type(_at(DOCUMENT, path)) is int], ids=str)
def test_every_number_has_bounds(path: hostile.Path) -> None:
    """A new number of the model is bounded from its first day: by the table, or as all that the table does not name."""
    for value in (10**400, -(10**400)):
        with pytest.raises(InfrastructureError, match="makes no sense"):
            _documents.decode(json.dumps(hostile.changed(DOCUMENT, path, value)).encode(), "it")


@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=max(8, settings().max_examples // 50)
)
@given(st.sampled_from(PATHS), st.sampled_from(VALUES_TRIED))
def test_changed_documents(tmp_path_factory: pytest.TempPathFactory, path: hostile.Path, value: Any) -> None:
    _refused_or_of_use(tmp_path_factory.mktemp("hurt"), hostile.changed(DOCUMENT, path, value), whole=False)


def test_what_a_terminal_would_obey_is_shown_by_number(tmp_path: Path) -> None:
    evil = "\x1b[2J\x9b\u202e"
    document = hostile.changed(DOCUMENT, ("label",), evil)
    for number in range(2):
        for key in ("measurement", "quantity"):
            document = hostile.changed(document, ("sessions", number, "results", 0, key), evil)
        document = hostile.changed(document, ("sessions", number, "env", "kernel.release"), evil)
    assert _refused_or_of_use(tmp_path, document)


def test_a_control_character_in_a_label_ends_no_image(tmp_path: Path) -> None:
    """The image is drawn in a separate process, because an error there would end the whole process."""
    (tmp_path / "run.json").write_text(
        json.dumps(hostile.changed(DOCUMENT, ("label",), "a\x07b\nc\x00")), encoding="utf-8"
    )
    rtstone("report", str(tmp_path / "run.json"), "--format", "svg", "-o", str(tmp_path / "charts"))
    assert list((tmp_path / "charts").glob("*.svg"))


@pytest.mark.long
def test_every_field_of_a_document_changed(tmp_path_factory: pytest.TempPathFactory) -> None:
    drawn = random.Random(1)
    tried = [(path, value) for path in PATHS for value in drawn.sample(VALUES_TRIED, 6)]
    taken = 0
    for path, value in tried:
        taken += _refused_or_of_use(tmp_path_factory.mktemp("hurt"), hostile.changed(DOCUMENT, path, value))
    print(f"{len(tried)} documents: {taken} taken and of use, {len(tried) - taken} refused in one line")
    assert taken
