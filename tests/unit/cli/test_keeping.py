# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The commands archive, config and completion, as a user types them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import jsonschema
import pytest

from rtstone.archive import open_archive
from rtstone.cli import main
from support.runs import make_result, make_run


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def runs() -> None:
    """Three runs in the usual archive, one of them with a raw log."""
    for name in ("r-1", "r-2"):
        open_archive().save(make_run(name, results=(make_result(count=50),)))
    open_archive().save(make_run("r-3", target="board:arm64/bare", studies=("slac",)), [b"~0 a\n", b"~0 b"])


class Outcome:
    """The exit code, the output and the archive of a command."""

    def __init__(self, code: int, out: bytes, err: str) -> None:
        self.code, self.out, self.err = code, out.decode(), err
        self.raw = out


Rtstone = Callable[..., Outcome]


@pytest.fixture
def rtstone(capfdbinary: pytest.CaptureFixture[bytes]) -> Rtstone:
    def call(*arguments: str) -> Outcome:
        with pytest.raises(SystemExit) as ended:
            main(arguments)
        sys.stdout.flush()
        out, err = capfdbinary.readouterr()
        return Outcome(int(ended.value.code or 0), out, err.decode())

    return call


@pytest.mark.usefixtures("runs")
def test_list_to_a_pipe_is_tabs(rtstone: Rtstone) -> None:
    done = rtstone("archive", "list")
    head, *lines = done.out.splitlines()
    assert head.split("\t")[:3] == ["run", "started", "target"]
    assert head.split("\t")[-1] == "label"
    assert [line.split("\t")[0] for line in lines] == ["r-3", "r-2", "r-1"]
    assert (done.code, done.err) == (0, "")


@pytest.mark.usefixtures("runs")
def test_list_filters_and_json(rtstone: Rtstone) -> None:
    document = json.loads(rtstone("archive", "list", "--json", "--study", "slac").out)
    assert (document["schema"], document["version"]) == ("rtstone.archive", "1.1")
    assert [run["id"] for run in document["runs"]] == ["r-3"]
    assert rtstone("archive", "list", "-n", "1").out.count("\n") == 2
    assert rtstone("archive", "list", "-n", "0").out.count("\n") == 4
    assert rtstone("archive", "list", "--target", "local").out.count("\n") == 3


def test_empty_archive(rtstone: Rtstone, tmp_path: Path) -> None:
    done = rtstone("archive", "list")
    assert (done.code, done.out) == (0, "")
    assert "no runs in" in done.err
    assert json.loads(rtstone("archive", "list", "--json").out)["runs"] == []
    done = rtstone("archive", "show")
    assert (done.code, done.out) == (2, "")
    assert "has no runs yet" in done.err
    assert list(tmp_path.rglob("*.sqlite")) == []


def test_what_gave_nothing_is_neither_shown_nor_kept(rtstone: Rtstone, tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    done = rtstone("run", "--target", "replay:empty", "--report", "page.html")
    assert (done.code, done.out) == (3, "")
    assert done.err.splitlines()[1:] == ["rtstone: the recording 'empty' is empty"]
    assert not (tmp_path / "page.html").exists()
    assert "no runs in" in rtstone("archive", "list").err


@pytest.mark.usefixtures("runs")
def test_show(rtstone: Rtstone) -> None:
    done = rtstone("archive", "show", "r-3")
    assert "raw logs  2, 9 bytes" in done.out
    assert done.out.count("semaphore-ping\t") == 4
    assert json.loads(rtstone("archive", "show", "r-3", "--json").out)["id"] == "r-3"


@pytest.mark.usefixtures("runs")
def test_export_raw_and_json(rtstone: Rtstone, tmp_path: Path) -> None:
    assert rtstone("archive", "export", "last", "--format", "raw").raw == b"~0 a\n~0 b\n"
    assert rtstone("archive", "export", "r-1", "-o", "r.json").code == 0
    assert json.loads((tmp_path / "r.json").read_bytes())["id"] == "r-1"
    done = rtstone("archive", "export", "r-1", "--format", "raw")
    assert (done.code, done.err) == (3, "rtstone: run 'r-1' was saved without a raw log\n")
    done = rtstone("archive", "export", "r-1", "-o", "nowhere/r.json")
    assert (done.code, done.err) == (3, "rtstone: nowhere/r.json: No such file or directory\n")


@pytest.mark.usefixtures("runs")
def test_exported_run_goes_into_another_archive(rtstone: Rtstone) -> None:
    rtstone("archive", "export", "r-1", "-o", "r.json")
    assert rtstone("archive", "import", "r.json", "--archive", "b.sqlite").out == "imported r-1\n"
    assert open_archive("b.sqlite").load() == open_archive().load("r-1")
    done = rtstone("archive", "import", "r.json", "--archive", "b.sqlite")
    assert done.code == 3
    assert "has a run r-1 already" in done.err


@pytest.mark.usefixtures("runs")
def test_delete_names_all_before_the_first_goes(rtstone: Rtstone) -> None:
    done = rtstone("archive", "delete", "last", "last~1", "--yes")
    assert done.out == "deleted r-3\ndeleted r-2\n"
    assert [run.id for run in open_archive().list()] == ["r-1"]


@pytest.mark.usefixtures("runs")
def test_delete_needs_a_yes(rtstone: Rtstone, monkeypatch: pytest.MonkeyPatch) -> None:
    with Path(os.devnull).open() as nothing:
        monkeypatch.setattr("sys.stdin", nothing)
        done = rtstone("archive", "delete", "last")
    assert done.code == 2
    assert "add --yes" in done.err
    assert len(open_archive().list()) == 3


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("archive", "show", "nothing"), "no run 'nothing'"),
        (("archive", "delete", "nothing", "--yes"), "no run 'nothing'"),
        (("archive", "list", "--status", "odd"), "unknown status 'odd'"),
        (("archive", "export", "--format", "xml"), "unknown exporter 'xml'"),
        (("archive", "list", "--archive", "mysql://x"), "archive 'mysql://…'"),
        (("config", "completion", "tcsh"), "unknown shell 'tcsh'"),
    ],
)
@pytest.mark.usefixtures("runs")
def test_usage_errors(rtstone: Rtstone, arguments: tuple[str, ...], says: str) -> None:
    done = rtstone(*arguments)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("rtstone: ")
    assert says in done.err
    assert done.err.count("\n") == 1


def test_where_the_archive_is(rtstone: Rtstone, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert rtstone("archive", "path").out == f"{tmp_path}/home/.local/share/rtstone/archive.sqlite\n"
    (tmp_path / "rtstone.toml").write_text('archive = "mine.sqlite"\n', encoding="utf-8")
    assert rtstone("archive", "path").out == f"{tmp_path}/mine.sqlite\n"
    monkeypatch.setenv("RTSTONE_ARCHIVE", "theirs.sqlite")
    assert rtstone("archive", "path").out == f"{tmp_path}/theirs.sqlite\n"
    assert rtstone("archive", "path", "--archive", "/x/flag.sqlite").out == "/x/flag.sqlite\n"


def test_password_of_a_url_is_not_shown(rtstone: Rtstone, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RTSTONE_ARCHIVE", "postgresql://me:s3cret@host/db")
    for arguments in (("config",), ("config", "--json"), ("archive", "list"), ("archive", "path")):
        done = rtstone(*arguments)
        assert "s3cret" not in done.out + done.err, arguments


def test_postgresql_without_its_driver_says_what_to_install(rtstone: Rtstone) -> None:
    done = rtstone("archive", "list", "--archive", "postgresql://localhost:1/none")
    assert done.code == 3
    assert "rtstone[postgresql]" in done.err or "failed" in done.err
    assert done.err.count("\n") == 1


def test_hostile_strings_do_not_reach_the_terminal(rtstone: Rtstone) -> None:
    open_archive().save(make_run("evil", label="\x1b[2Jgone", target="a\tb\nc\x07"))
    for arguments in (("archive", "list"), ("archive", "show")):
        out = rtstone(*arguments).out
        assert "\x1b" not in out
        assert "\x07" not in out
    assert "a\\x09b\\x0ac\\x07" in out


def test_config_shows_value_and_source(rtstone: Rtstone, tmp_path: Path) -> None:
    (tmp_path / "rtstone.toml").write_text("cpu = 3\n", encoding="utf-8")
    lines = {line.split("\t")[0]: line.split("\t")[1:] for line in rtstone("config").out.splitlines()}
    assert lines["cpu"][:3] == ["3", f"the project's file {tmp_path}/rtstone.toml", "wins over -1 (built-in default)"]
    assert lines["profile"][1:3] == ["built-in default", "not set"]
    document = json.loads(rtstone("config", "--json").out)
    assert (document["schema"], document["version"]) == ("rtstone.config", "1.0")
    cpu = next(setting for setting in document["settings"] if setting["key"] == "cpu")
    assert (cpu["value"], cpu["source"], cpu["overrides"][0]["source"]) == (3, "project", "default")


def test_config_with_an_unknown_key(rtstone: Rtstone, tmp_path: Path) -> None:
    (tmp_path / "rtstone.toml").write_text("cpus = 3\n", encoding="utf-8")
    done = rtstone("config")
    assert (done.code, done.err) == (2, f"rtstone: {tmp_path}/rtstone.toml: unknown key 'cpus'; did you mean 'cpu'?\n")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts_ask_the_command(rtstone: Rtstone, shell: str) -> None:
    script = rtstone("config", "completion", shell).out
    assert f"_RTSTONE_COMPLETE=complete_{shell}" in script
    assert "rtstone" in script


def test_bash_completes_commands_and_options(root: Path, tmp_path: Path) -> None:
    """The printed script, in a real bash, with our command on its path."""
    tool = tmp_path / "rtstone"
    tool.write_text(
        f"#!{sys.executable}\nimport sys\nsys.path.insert(0, {str(root / 'src')!r})\n"
        "from rtstone.cli import main\nmain()\n",
        encoding="utf-8",
    )
    tool.chmod(0o755)
    script = (
        'eval "$(rtstone config completion bash)"\n'
        'ask() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _rtstone_completion rtstone; echo "${COMPREPLY[*]}"; }\n'
        "ask rtstone arch\nask rtstone archive up\nask rtstone archive list --st\n"
    )
    done = subprocess.run(
        ["bash", "-c", script],
        env={**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert done.stdout.splitlines() == [
        "archive",
        "upgrade",
        "--study --status",
    ]


@pytest.mark.parametrize(
    ("name", "arguments"), [("archive", ("archive", "list", "--json")), ("config", ("config", "--json"))]
)
@pytest.mark.usefixtures("runs")
def test_json_is_as_its_schema_says(
    rtstone: Rtstone,
    root: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    arguments: tuple[str, ...],
) -> None:
    monkeypatch.setenv("RTSTONE_CPU", "1")
    schema = json.loads((root / "spec" / "schema" / f"{name}.schema.json").read_bytes())
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(json.loads(rtstone(*arguments).out), schema)


@pytest.mark.usefixtures("runs")
def test_show_takes_runs_by_every_name_that_the_other_commands_take(rtstone: Rtstone, tmp_path: Path) -> None:
    (tmp_path / "r-2.json").write_text(rtstone("archive", "export", "r-2").out, encoding="utf-8")
    by_id = rtstone("show", "r-2")
    assert (by_id.code, by_id.err) == (0, "")
    assert rtstone("show", "r-2.json").out == by_id.out
    assert rtstone("show", "board:arm64/bare").out == rtstone("show", "r-3").out
    assert rtstone("show", "nothing.json").code == 3
    unknown = rtstone("show", "nothing")
    assert (unknown.code, unknown.out) == (2, "")
    assert "by id, label or target" in unknown.err
