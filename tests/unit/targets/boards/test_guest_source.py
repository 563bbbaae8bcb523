# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Kernels built from Debian's package of their source, with a source that is built in no time and an archive without a network."""

from __future__ import annotations

import shutil
import time
from pathlib import Path

import pytest

from rtstone.cache import cache_root
from rtstone.errors import InfrastructureError
from rtstone.targets import boards
from rtstone.targets.boards import guest
from rtstone.targets.boards.guest import _kernel, _source
from support.debian_archive import IMAGE, Archive, archive_in_path

NONE, VOLUNTARY, FULL = (boards.load("arm64").kernel_of(f"linux-6.1-{mode}") for mode in ("none", "voluntary", "full"))


@pytest.fixture
def archive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Archive:
    """With the source in one version."""
    made = archive_in_path(tmp_path / "archive", monkeypatch)
    made.publish_source("6.1.1")
    return made


def _left() -> list[str]:
    """The folders of kernels in the cache, without locks."""
    return [path.name for path in (cache_root() / "linux").iterdir() if path.is_dir()]


def test_builds_once_for_all_that_differ_in_their_command_line(archive: Archive) -> None:
    """The image, its configuration, its modules, and the files to build modules against are saved, and nothing else."""
    told: list[tuple[str, int, int]] = []
    folder, facts = _kernel.fetch(NONE, on_step=lambda *step: told.append(step))
    assert (folder / "image").read_bytes() == IMAGE
    assert "CONFIG_PREEMPT_DYNAMIC=y\n" in (folder / "config").read_text()
    assert (folder / "modules" / "drivers" / "net" / "e1000.ko").read_bytes() == b"e1000"
    assert sorted(path.name for path in folder.iterdir()) == ["config", "facts.json", "image", "modules", "tree"]
    assert sorted(path.name for path in (folder / "tree").iterdir()) == [
        *(".config", "Makefile", "Module.symvers", "arch", "include", "scripts"),
    ]
    assert (facts.package, facts.version, facts.release) == ("linux-source-6.1", "6.1.1", "6.1.1-rtstone")
    assert facts.built.startswith("small.config ")
    assert "gcc" in facts.built
    expected = NONE.source.steps if NONE.source else 0
    assert told == [
        ("downloading the source", 0, 0),
        ("unpacking the source", 0, 0),
        ("init/main.o", 1, expected),
        ("vmlinux", 2, expected),
        ("clearing the source away", 0, 0),
    ]
    assert not list((cache_root() / "logs").iterdir())
    asked = archive.said("")
    assert _kernel.fetch(VOLUNTARY) == _kernel.fetch(FULL) == (folder, facts)
    assert archive.said("") == asked
    assert guest.is_cached(FULL)


def test_another_configuration_is_another_kernel(
    archive: Archive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, _ = _kernel.fetch(NONE)
    other = tmp_path / "other.config"
    other.write_text("CONFIG_PCI=y\n")
    monkeypatch.setattr(_source, "_config_file", lambda source: other)
    assert not guest.is_cached(NONE)
    second, _ = _kernel.fetch(NONE)
    assert first != second
    assert (second / "config").read_text() == "CONFIG_PCI=y\n"


def test_an_option_that_the_kernel_does_not_take_is_told(
    archive: Archive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "other.config"
    other.write_text("CONFIG_PCI=y\nCONFIG_REFUSED=y\n")
    monkeypatch.setattr(_source, "_config_file", lambda source: other)
    with pytest.raises(InfrastructureError, match=r"does not take .*: CONFIG_REFUSED=y$"):
        _kernel.fetch(NONE)
    assert _left() == []


def test_a_build_that_fails_leaves_its_log_and_nothing_else(archive: Archive) -> None:
    archive.publish_source("6.1.2", build="echo 'init/main.c:7:1: error: no such thing' >&2; false")
    with pytest.raises(InfrastructureError) as caught:
        _kernel.fetch(NONE)
    said = str(caught.value)
    assert said.startswith(
        "linux-source-6.1 cannot be built: init/main.c:7:1: error: no such thing (all that was said: "
    )
    assert "\n" not in said
    (log,) = (cache_root() / "logs").iterdir()
    assert str(log) in said
    assert "CC      init/main.o\ninit/main.c:7:1: error: no such thing\n" in log.read_text()
    assert _left() == []
    assert not guest.is_cached(NONE)


def test_a_build_that_is_interrupted_leaves_nothing(archive: Archive, tmp_path: Path) -> None:
    """No process either."""
    mark = tmp_path / "lives-on"
    archive.publish_source("6.1.2", build=f"sleep 1; touch {mark}")

    def interrupt(what: str, done: int, expected: int) -> None:
        if done:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        _kernel.fetch(NONE, on_step=interrupt)
    assert _left() == []
    time.sleep(1.5)
    assert not mark.exists()


def test_a_refresh_builds_only_what_is_newer(archive: Archive) -> None:
    told: list[str] = []
    _kernel.fetch(NONE)
    assert guest.refresh(NONE, lambda what, done, expected: told.append(what)).version == "6.1.1"
    assert told == []
    archive.publish_source("6.1.2")
    assert _kernel.fetch(NONE)[1].version == "6.1.1"
    assert guest.refresh(NONE).version == "6.1.2"
    assert _kernel.fetch(FULL)[1].release == "6.1.2-rtstone"


def test_says_that_there_is_no_room(archive: Archive, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = shutil.disk_usage("/")
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage._replace(free=1 << 30))
    with pytest.raises(InfrastructureError, match=r"needs 3\.0 GiB .*: 1\.0 GiB are free$"):
        _kernel.fetch(NONE)
    assert archive.said("download") == 0


def test_a_run_builds_none_but_says_what_does(archive: Archive) -> None:
    with pytest.raises(
        InfrastructureError, match=r"has not been built: rtstone boards --build 'arm64/linux-6\.1-none'$"
    ):
        guest.require(NONE, board="arm64")
    guest.require(NONE, built=False)
    _kernel.fetch(NONE)
    guest.require(NONE, board="arm64")
