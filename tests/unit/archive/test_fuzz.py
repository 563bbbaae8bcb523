# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""With any content in an archive's rows or in a run's file, the commands end in a line and a known exit code."""

from __future__ import annotations

import contextlib
import io
import re
import shutil
import sqlite3
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rtstone.archive import _documents, open_archive
from rtstone.cli import main
from rtstone.errors import RtstoneError
from support.runs import make_result, make_run

RUN = make_run("run", results=(make_result(values=[-5, 3, 7, 10_000]),))
DOCUMENT = _documents.encode(RUN)
COMMANDS = (
    ["archive", "list"],
    ["archive", "show"],
    ["archive", "export", "--format", "raw"],
    ["archive", "show", "--json"],
)

# Each example is several commands, so `make test` takes fewer of them than of others; `make fuzz` takes a thousand.
EXAMPLES = max(30, settings().max_examples // 50)

fuzz = settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], max_examples=EXAMPLES
)
pytestmark = pytest.mark.usefixtures("template")


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("template") / "a.sqlite"
    open_archive(str(path)).save(RUN, [b"~0 x\n"])
    return path


def _ends_well(*arguments: str) -> None:
    """No traceback; one line on standard error at most; an exit code that is documented."""
    out, err = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code in (0, 2, 3), err.getvalue()
    message = err.getvalue()
    assert "unexpected" not in message
    assert len(message.splitlines()) <= 1
    if ended.value.code:
        assert re.match(r"rtstone: .+\n", message)


_cells = st.one_of(st.none(), st.integers(-(2**63), 2**63 - 1), st.floats(allow_nan=False), st.text(), st.binary())
_columns = st.sampled_from(
    [
        *((("runs", c)) for c in ("id", "started", "target", "studies", "status", "degraded", "results", "measured")),
        *((("documents", c)) for c in ("data", "version")),
        *((("raw_logs", c)) for c in ("data", "position", "size")),
        ("alembic_version", "version_num"),
    ]
)


@fuzz
@given(_columns, _cells)
def test_damaged_cells(template: Path, tmp_path: Path, column: tuple[str, str], cell: object) -> None:
    path = tmp_path / "a.sqlite"
    shutil.copyfile(template, path)
    file = sqlite3.connect(path)
    with contextlib.suppress(sqlite3.IntegrityError), file:
        file.execute(f"UPDATE {column[0]} SET {column[1]} = ?", (cell,))  # noqa: S608
    file.close()
    for command in COMMANDS:
        _ends_well(*command, "--archive", str(path))


@fuzz
@given(st.integers(0, 400_000), st.binary(min_size=1, max_size=200))
def test_damaged_files(template: Path, tmp_path: Path, place: int, junk: bytes) -> None:
    path = tmp_path / "a.sqlite"
    data = bytearray(template.read_bytes())
    place %= len(data)
    data[place : place + len(junk)] = junk
    path.write_bytes(data)
    for command in COMMANDS[:2]:
        _ends_well(*command, "--archive", str(path))


@fuzz
@given(st.integers(0, 400_000))
def test_truncated_files(template: Path, tmp_path: Path, size: int) -> None:
    path = tmp_path / "a.sqlite"
    data = template.read_bytes()
    path.write_bytes(data[: size % len(data)])
    for command in COMMANDS[:2]:
        _ends_well(*command, "--archive", str(path))


_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=4),
    max_leaves=12,
)


@given(
    st.one_of(
        st.binary(max_size=200),
        st.integers(0, len(DOCUMENT)).map(lambda n: DOCUMENT[:n]),
        st.tuples(st.integers(0, len(DOCUMENT)), st.binary(max_size=8)).map(
            lambda t: DOCUMENT[: t[0]] + t[1] + DOCUMENT[t[0] + len(t[1]) :]
        ),
    )
)
def test_damaged_documents(data: bytes) -> None:
    with contextlib.suppress(RtstoneError):
        _documents.decode(data, "it")


@given(st.sampled_from(["sessions", "host", "status", "version", "seed", "degraded", "studies", "schema"]), _json)
def test_documents_with_wrong_values(key: str, value: object) -> None:
    import msgspec

    document = msgspec.json.decode(DOCUMENT)
    document[key] = value
    with contextlib.suppress(RtstoneError):
        _documents.decode(msgspec.json.encode(document), "it")
