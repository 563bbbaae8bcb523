# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""An archive that is locked, read-only, full, foreign, damaged or newer: one clear line, and nothing lost."""

from __future__ import annotations

import errno
import os
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from rtstone.archive import _fallback, open_archive, read_file
from rtstone.archive._location import Location
from rtstone.archive._schema import HEAD
from rtstone.config import Owner
from rtstone.errors import InfrastructureError
from support.runs import make_result, make_run

RUN = make_run("kept", results=(make_result(count=50),))
OTHER = make_run("other", results=(make_result(count=50),))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """An archive with one run."""
    made = tmp_path / "a.sqlite"
    open_archive(str(made)).save(RUN)
    return made


def _fails(path: Path, what: str) -> str:
    """Saving fails with this; the run is in a file, and comes from there unharmed."""
    with pytest.raises(InfrastructureError, match=what) as caught:
        open_archive(str(path), wait_s=0.1).save(OTHER, [b"~0 log\n"])
    message = str(caught.value)
    assert "\n" not in message
    kept = Path(message.partition("kept in ")[2].partition(" (")[0])
    assert kept.name == "rtstone-unsaved-other.json"
    assert read_file(kept) == OTHER
    assert kept.with_name("rtstone-unsaved-other.0.stream").read_bytes() == b"~0 log\n"
    return message


def test_locked(path: Path) -> None:
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("BEGIN EXCLUSIVE")
    try:
        _fails(path, r"is locked by another program \(waited 0.1 s\)")
    finally:
        holder.close()
    assert [run.id for run in open_archive(str(path)).list()] == ["kept"]


def test_waits_for_a_writer_that_ends(path: Path) -> None:
    script = (
        "import sqlite3, sys, time\n"
        "c = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
        "c.execute('BEGIN EXCLUSIVE')\nprint('held', flush=True)\ntime.sleep(0.5)\nc.execute('COMMIT')\n"
    )
    with subprocess.Popen([sys.executable, "-c", script, str(path)], stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        open_archive(str(path), wait_s=30).save(OTHER)
    assert open_archive(str(path)).load().id == "other"


def test_file_that_is_no_database(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_bytes(b"these are my notes\n" * 400)
    _fails(path, "is not an rtstone archive")
    assert path.read_bytes() == b"these are my notes\n" * 400


def test_foreign_database(tmp_path: Path) -> None:
    path = tmp_path / "other.sqlite"
    with sqlite3.connect(path) as file:
        file.execute("CREATE TABLE runs (id)")
    file.close()
    before = path.read_bytes()
    _fails(path, "is a database, but not an rtstone archive")
    assert path.read_bytes() == before


def test_folder_in_its_place(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    _fails(tmp_path / "folder", "cannot be opened")


def test_newer_archive_is_refused_and_left_alone(path: Path) -> None:
    with sqlite3.connect(path) as file:
        file.execute("UPDATE alembic_version SET version_num = '9999'")
    file.close()
    before = path.read_bytes()
    _fails(path, f"made by a newer rtstone .version 9999; this one knows {HEAD}.")
    with pytest.raises(InfrastructureError, match="newer rtstone"):
        open_archive(str(path)).list()
    assert path.read_bytes() == before


def _as_of(version: bytes) -> bytes:
    """The run's document with another version."""
    from rtstone.archive import _documents

    ours = f'"version":"{RUN.version}"'.encode()
    written = _documents.encode_head(RUN)
    assert written.count(ours) == 1
    return written.replace(ours, b'"version":' + version)


def test_newer_document_is_refused(path: Path) -> None:
    from rtstone.archive import _documents

    newer = _as_of(b'"2.0"')
    with sqlite3.connect(path) as file:
        file.execute("UPDATE documents SET data = ?", (_documents.pack(newer),))
    file.close()
    with pytest.raises(InfrastructureError, match=r"written by a newer rtstone \(document version 2.0"):
        open_archive(str(path)).load()


def test_newer_minor_document_with_unknown_keys_is_read(path: Path) -> None:
    from rtstone.archive import _documents

    newer = _as_of(b'"1.7","novelty":[1]')
    with sqlite3.connect(path) as file:
        file.execute("UPDATE documents SET data = ?", (_documents.pack(newer),))
    file.close()
    assert open_archive(str(path)).load().results() == RUN.results()


def test_run_that_is_there_already(path: Path) -> None:
    with pytest.raises(InfrastructureError, match="has a run kept already"):
        open_archive(str(path)).save(RUN)
    assert len(open_archive(str(path)).list()) == 1


def _python(script: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run Python without root's leave to write everywhere."""
    capabilities = "-dac_override,-dac_read_search"
    without = ["setpriv", "--bounding-set", capabilities, "--inh-caps", capabilities] if os.geteuid() == 0 else []
    here = f"{Path(__file__).parents[2]}{os.pathsep}{Path(__file__).parents[3] / 'src'}"
    return subprocess.run(
        [*without, sys.executable, "-c", script, *arguments],
        env={**os.environ, "PYTHONPATH": here},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        cwd="/",
    )


_SAVE = (
    "import sys\n"
    "from support.runs import make_run\n"
    "from rtstone.archive import open_archive\n"
    "from rtstone.errors import RtstoneError\n"
    "try:\n    open_archive(sys.argv[1]).save(make_run('unlucky', count=int(sys.argv[2])))\n"
    "except RtstoneError as error:\n    print(error)\n    sys.exit(error.exit_code)\n"
)


def test_read_only(path: Path, tmp_path: Path) -> None:
    """Reading works on; saving names the reason, and the run goes to where there is leave to write."""
    path.chmod(0o444)
    tmp_path.chmod(0o555)
    try:
        list_script = "import sys\nfrom rtstone.archive import open_archive\nprint(open_archive(sys.argv[1]).load().id)"
        done = _python(list_script, str(path))
        assert (done.returncode, done.stdout) == (0, "kept\n"), done.stderr
        done = _python(_SAVE, str(path), "100")
        assert done.returncode == 3, done.stderr
        assert "is read-only" in done.stdout
        kept = Path(done.stdout.partition("kept in ")[2].partition(" (")[0])
        assert read_file(kept).id == "unlucky"
        kept.unlink()
    finally:
        tmp_path.chmod(0o755)


def test_full_disk(path: Path) -> None:
    """A limit on file size stands for a full disk; the archive keeps what it had, and the run survives in a file."""
    before = path.stat().st_size
    script = f"import resource\nresource.setrlimit(resource.RLIMIT_FSIZE, ({before}, {before}))\n"
    done = _python(script + _SAVE, str(path), "20000")
    assert done.returncode == 3, done.stderr
    assert "Traceback" not in done.stderr
    assert "full" in done.stdout
    assert "could not be kept anywhere" in done.stdout or "kept in " in done.stdout
    assert [run.id for run in open_archive(str(path)).list()] == ["kept"]
    assert open_archive(str(path)).load() == RUN


def test_killed_in_the_middle_of_a_save(path: Path) -> None:
    """Complete data stays, half-written data is gone, and the next save goes well."""
    script = (
        "import os, signal, sys\n"
        "from support.runs import make_run\n"
        "from rtstone.archive import _database, _figures, open_archive\n"
        "from rtstone.archive._schema import RUNS\n"
        "from sqlalchemy import insert\n"
        "a = open_archive(sys.argv[1])\n"
        "with _database.writing(a._engine, a.location, 1) as connection:\n"
        "    connection.exec_driver_sql('PRAGMA cache_size = 1')\n"  # so that pages reach the file before the commit
        "    for number in range(400):\n"
        "        row = _figures.run_row(make_run(f'half-{number}', results=()), final=True)\n"
        "        connection.execute(insert(RUNS).values(row | {'turn': -1 - number}))\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    before = path.stat().st_size
    done = _python(script, str(path))
    assert done.returncode == -9, done.stderr
    assert path.stat().st_size > before, "nothing was written, so this shows nothing"
    archive = open_archive(str(path))
    assert [run.id for run in archive.list()] == ["kept"]
    assert archive.load() == RUN
    archive.save(OTHER)
    assert archive.load() == OTHER


def test_many_begin_an_archive_at_once(tmp_path: Path) -> None:
    path = tmp_path / "new" / "a.sqlite"
    script = (
        "import sys\n"
        "from support.runs import make_result, make_run\n"
        "from rtstone.archive import open_archive\n"
        "for i in range(5):\n"
        "    run = make_run(f'{sys.argv[2]}-{i}', results=(make_result(count=20),))\n"
        "    open_archive(sys.argv[1], wait_s=60).save(run)\n"
    )
    here = f"{Path(__file__).parents[2]}{os.pathsep}{Path(__file__).parents[3] / 'src'}"
    started = [
        subprocess.Popen(
            [sys.executable, "-c", script, str(path), name], env={**os.environ, "PYTHONPATH": here}, cwd=tmp_path
        )
        for name in "abcd"
    ]
    assert [process.wait(timeout=120) for process in started] == [0] * 4
    assert len(open_archive(str(path)).list()) == 20


def test_a_first_save_that_fails_leaves_an_empty_archive_for_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file stays: another program may hold it open and write its first run there."""
    from rtstone.archive import _database

    def refuse(connection: object, location: object) -> None:
        raise sqlite3.OperationalError("no")

    path = tmp_path / "new" / "a.sqlite"
    with monkeypatch.context() as patch:
        patch.setattr(_database, "_upgrade", refuse)
        with pytest.raises(InfrastructureError, match="kept in"):
            open_archive(str(path)).save(OTHER)
    assert path.read_bytes() == b""
    assert open_archive(str(path)).list() == ()
    open_archive(str(path)).save(RUN)
    assert {run.id for run in open_archive(str(path)).list()} == {RUN.id, OTHER.id}


def test_bring_in_what_could_not_be_saved(path: Path, tmp_path: Path) -> None:
    other = tmp_path / "notes.txt"
    other.write_bytes(b"x" * 5000)
    message = _fails(other, "not an rtstone archive")
    kept = Path(message.partition("kept in ")[2].partition(" (")[0])
    archive = open_archive(str(path))
    assert archive.bring_in(kept) == "other"
    assert archive.load("last") == OTHER
    assert archive.raw_logs("last") == (b"~0 log\n",)


def test_under_sudo_files_belong_to_the_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Works for every user: only root can give files away, so the changes of owner are recorded instead."""
    from rtstone.archive._store import RunStore

    given: list[tuple[Path, int, int]] = []

    def give(path: Path, uid: int, gid: int, *, follow_symlinks: bool = True) -> None:
        assert not follow_symlinks
        assert path.exists()
        given.append((path, uid, gid))

    monkeypatch.setattr(os, "chown", give)
    location = Location(tmp_path / "new" / "deep" / "a.sqlite", owner=Owner(65534, 65533, tmp_path))
    RunStore(location).save(RUN)
    made = (tmp_path / "new", tmp_path / "new" / "deep", tmp_path / "new" / "deep" / "a.sqlite")
    assert set(given) == {(path, 65534, 65533) for path in made}


@pytest.mark.parametrize("state_is_full", [False, True])
def test_one_full_disk_loses_no_run(
    path: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch, state_is_full: bool
) -> None:
    """The archive, the working folder and TMPDIR are on it; the folder for state is not, or is, and /tmp is left."""
    full, free = path.parent, tmp_path_factory.mktemp("free")
    state = full if state_is_full else free
    (full / "tmp").mkdir()
    monkeypatch.chdir(full)
    monkeypatch.setenv("XDG_STATE_HOME", str(state / "state"))
    monkeypatch.setattr(tempfile, "tempdir", str(full / "tmp"))
    monkeypatch.setattr(_fallback, "_TMP", free / "last-resort")
    (free / "last-resort").mkdir()
    write = _fallback._write

    def refused(to: Path, data: bytes, location: Location, mode: int = 0o644) -> Path:
        if to.is_relative_to(full):
            raise OSError(errno.ENOSPC, "No space left on device", str(to))
        return write(to, data, location, mode)

    monkeypatch.setattr(_fallback, "_write", refused)
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("BEGIN EXCLUSIVE")
    try:
        message = _fails(path, "is locked")
    finally:
        holder.close()
    assert str(free) in message
    open_archive(str(path)).save(make_run("third", results=(make_result(count=50),)))
    brought_in = {run.id for run in open_archive(str(path)).list()}
    assert brought_in == ({"kept", "third"} if state_is_full else {"kept", "other", "third"})
