# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Which value is in force, which source set it, and one clear line for an impossible value."""

from __future__ import annotations

import errno
from pathlib import Path

import msgspec
import pytest

from rtstone import config
from rtstone.config import Settings
from rtstone.errors import UsageError


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


def _write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def _holds(key: str, **flags: object) -> config.Origin:
    return next(setting.holds for setting in config.load(flags).settings if setting.key == key)


def test_defaults_hold_where_nobody_says_anything(project: Path) -> None:
    loaded = config.load()
    assert loaded.values == Settings()
    assert {setting.holds.source for setting in loaded.settings} == {"default"}


def test_each_source_wins_over_the_weaker_ones(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert _holds("cpu").value == -1
    user = _write(config.user_file(), "cpu = 1\n")
    assert _holds("cpu") == config.Origin("user", str(user), 1)
    file = _write(project / "rtstone.toml", "cpu = 2\n")
    assert _holds("cpu") == config.Origin("project", str(file), 2)
    monkeypatch.setenv("RTSTONE_CPU", "3")
    assert _holds("cpu") == config.Origin("environment", "RTSTONE_CPU", 3)
    assert _holds("cpu", cpu=4) == config.Origin("flag", "--cpu", 4)
    setting = next(s for s in config.load({"cpu": 4}).settings if s.key == "cpu")
    assert [origin.value for origin in setting.overrides] == [3, 2, 1, -1]
    assert config.load({"cpu": 4}).values.cpu == 4


def test_flag_not_given_says_nothing(project: Path) -> None:
    assert _holds("profile", profile=None).source == "default"


def test_every_key_can_be_set_in_every_way(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    values: dict[str, tuple[str, str | int | bool]] = {
        "archive": ('"/x/a.sqlite"', "/x/a.sqlite"),
        "profile": ('"paper"', "paper"),
        "target": ('"board:arm64/bare"', "board:arm64/bare"),
        "load": ('"cpu"', "cpu"),
        "cpu": ("3", 3),
        "strict": ("true", True),
        "color": ('"never"', "never"),
        "labgrid.python": ('"/x/python"', "/x/python"),
        "report.theme": ('"dark"', "dark"),
        "report.output": ('"/x/r.html"', "/x/r.html"),
    }
    assert {setting.key for setting in config.load().settings} == set(values)
    wanted = Settings(**{key.replace(".", "_"): value for key, (_, value) in values.items()})  # type: ignore[arg-type]
    _write(project / "rtstone.toml", "".join(f"{key} = {text}\n" for key, (text, _) in values.items()))
    assert config.load().values == wanted
    (project / "rtstone.toml").unlink()
    for key, (text, _) in values.items():
        monkeypatch.setenv("RTSTONE_" + key.upper().replace(".", "_"), text.strip('"'))
    assert config.load().values == wanted


def test_table_and_dotted_key_are_the_same(project: Path) -> None:
    _write(project / "rtstone.toml", '[report]\ntheme = "light"\n')
    assert config.load().values.report_theme == "light"


def test_british_spelling(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _write(project / "rtstone.toml", 'colour = "never"\n')
    assert config.load().values.color == "never"
    monkeypatch.setenv("RTSTONE_COLOUR", "always")
    assert config.load().values.color == "always"


def test_nearest_project_file_above_counts(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _write(project / "rtstone.toml", "cpu = 2\n")
    deep = project / "a" / "b"
    deep.mkdir(parents=True)
    monkeypatch.chdir(deep)
    assert config.load().values.cpu == 2
    _write(project / "a" / "rtstone.toml", "cpu = 5\n")
    assert config.load().values.cpu == 5


def test_relative_path_in_a_file_counts_from_the_file(project: Path) -> None:
    _write(project / "rtstone.toml", 'archive = "runs.sqlite"\n')
    assert config.load().values.archive == str(project / "runs.sqlite")
    _write(project / "rtstone.toml", 'archive = "postgresql://host/db"\n')
    assert config.load().values.archive == "postgresql://host/db"


def test_empty_variable_is_not_set(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RTSTONE_CPU", "")
    assert _holds("cpu").source == "default"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('profil = "quick"\n', "unknown key 'profil'; did you mean 'profile'?"),
        ("[report]\nthem = 1\n", "unknown key 'report.them'; did you mean 'report.theme'?"),
        ("zzz = 1\n", "unknown key 'zzz'; there are: archive, profile"),
        ('profile = "fast"\n', "profile = 'fast': must be one of quick, standard, paper"),
        ('cpu = "2"\n', "cpu = '2': must be a whole number from -1 to 65535"),
        ("cpu = -2\n", "cpu = -2: must be a whole number from -1 to 65535"),
        ("cpu = 1.5\n", "cpu = 1.5: must be a whole number from -1 to 65535"),
        ("strict = 1\n", "strict = 1: Expected bool, got int"),
        ('target = ""\n', "target = '': Expected str of length >= 1"),
        ("cpu = 2026-01-01\n", "cpu = datetime.date(2026, 1, 1): must be a whole number from -1 to 65535"),
        ("cpu = \n", "not TOML: "),
    ],
)
def test_what_no_key_can_be(project: Path, text: str, says: str) -> None:
    path = _write(project / "rtstone.toml", text)
    with pytest.raises(UsageError) as caught:
        config.load()
    message = str(caught.value)
    assert message.startswith(f"{path}: ")
    assert says in message
    assert "\n" not in message
    assert caught.value.exit_code == 2


def test_bytes_that_are_no_text(project: Path) -> None:
    (project / "rtstone.toml").write_bytes(b"cpu = \xff\n")
    with pytest.raises(UsageError, match="not TOML"):
        config.load()


def test_variable_is_named(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RTSTONE_CPU", "many")
    with pytest.raises(UsageError, match="RTSTONE_CPU: cpu = 'many'"):
        config.load()


def test_every_key_is_explained() -> None:
    assert all(len(setting.help) > 10 for setting in config.load().settings)


def test_settings_survive_json() -> None:
    loaded = config.load()
    assert msgspec.json.decode(msgspec.json.encode(loaded), type=config.Configuration) == loaded


def test_the_sample_has_every_key_with_its_default(project: Path, root: Path) -> None:
    text = (root / "docs/reference/rtstone.toml").read_text(encoding="utf-8")
    _write(project / "rtstone.toml", text)
    loaded = config.load()
    assert loaded.values == Settings()
    assert {setting.holds.source for setting in loaded.settings} == {"project"}


def test_a_folder_that_this_user_may_not_enter_gets_one_line(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def closed(path: Path) -> bool:
        if path == config.user_file():
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return False

    monkeypatch.setattr(Path, "is_file", closed)
    monkeypatch.setenv("HOME", "/another")
    with pytest.raises(UsageError) as raised:
        config.load()
    assert str(raised.value) == (
        f"{config.user_file()}: Permission denied: this user may not enter the folder (HOME is /another)"
    )
