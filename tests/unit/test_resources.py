# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Data folders and engines are found where they are. A clear error reports a missing one."""

from __future__ import annotations

from pathlib import Path

import pytest

from rtstone import resources
from rtstone.errors import InfrastructureError


def _program(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n", encoding="utf-8")
    path.chmod(0o755)
    return path


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout that has a study and a schema, no reference folder, and nothing built."""
    (tmp_path / "studies").mkdir()
    (tmp_path / "spec" / "schema").mkdir(parents=True)
    monkeypatch.setattr(resources, "checkout_root", lambda: tmp_path)
    return tmp_path


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The `_data` folder of an installation that has no checkout around it."""
    package = tmp_path / "site-packages" / "rtstone"
    (package / "_data").mkdir(parents=True)
    monkeypatch.setattr(resources, "_data", lambda: package / "_data")
    monkeypatch.setattr(resources, "checkout_root", lambda: None)
    return package / "_data"


def test_this_checkout_is_found(root: Path) -> None:
    assert resources.checkout_root() == root


@pytest.mark.parametrize(("name", "folder"), [("studies", "studies"), ("schema", "spec/schema")])
def test_data_of_a_checkout(checkout: Path, name: str, folder: str) -> None:
    assert resources.data_dir(name) == checkout / folder


def test_installed_data_wins(checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "site-packages" / "rtstone"
    (package / "_data" / "studies").mkdir(parents=True)
    monkeypatch.setattr(resources, "_data", lambda: package / "_data")
    assert resources.data_dir("studies") == package / "_data" / "studies"
    assert resources.data_dir("schema") == checkout / "spec" / "schema"


@pytest.mark.parametrize("name", ["reference", "no-such-folder"])
def test_data_that_is_missing_is_named(checkout: Path, name: str) -> None:
    with pytest.raises(InfrastructureError, match=name) as caught:
        resources.data_dir(name)
    assert caught.value.exit_code == 3
    assert "\n" not in str(caught.value)


def test_engine_of_a_checkout(checkout: Path) -> None:
    with pytest.raises(InfrastructureError, match="rtstone-engine is not built: run `make engine`"):
        resources.engine_path()
    built = _program(checkout / "build" / "engine" / "rtstone-engine")
    assert resources.engine_path() == built


def test_engine_of_an_installation(installed: Path) -> None:
    with pytest.raises(InfrastructureError, match="has no rtstone-engine-simulated"):
        resources.engine_path("rtstone-engine-simulated")
    carried = _program(installed / "bin" / "rtstone-engine-simulated")
    assert resources.engine_path("rtstone-engine-simulated") == carried


def test_engine_of_the_environment_wins(installed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    carried = _program(installed / "bin" / "rtstone-engine")
    simulated = _program(installed / "bin" / "rtstone-engine-simulated")
    mine = _program(tmp_path / "mine")
    monkeypatch.setenv("RTSTONE_ENGINE", str(mine))
    assert resources.engine_path() == mine
    assert resources.engine_path("rtstone-engine-simulated") == simulated
    monkeypatch.setenv("RTSTONE_ENGINE", "")
    assert resources.engine_path() == carried


@pytest.mark.parametrize("kind", ["absent", "folder", "not executable"])
def test_engine_of_the_environment_that_cannot_run(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "chosen"
    if kind == "folder":
        path.mkdir()
    elif kind == "not executable":
        path.write_text("", encoding="utf-8")
    monkeypatch.setenv("RTSTONE_ENGINE", str(path))
    with pytest.raises(InfrastructureError, match="RTSTONE_ENGINE names"):
        resources.engine_path()
