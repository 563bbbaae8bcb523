# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""A command writes a file whole or not at all, and replaces only plain files."""

from __future__ import annotations

import os
import resource
import threading
from pathlib import Path

import pytest

from rtstone.cli import _verify, main
from rtstone.cli._app import commands
from rtstone.cli._files import write_whole
from rtstone.errors import InfrastructureError


def test_a_file_is_written_and_written_anew(tmp_path: Path) -> None:
    target = tmp_path / "page.html"
    for data in (b"first", b"2nd"):
        write_whole(data, target)
        assert target.read_bytes() == data
    assert list(tmp_path.iterdir()) == [target]


def test_a_link_stays_one(tmp_path: Path) -> None:
    (tmp_path / "kept").mkdir()
    link = tmp_path / "latest.html"
    link.symlink_to(tmp_path / "kept/page.html")
    write_whole(b"page", link)
    assert link.is_symlink()
    assert (tmp_path / "kept/page.html").read_bytes() == b"page"


def test_what_is_no_plain_file_is_written_to(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
    reader.start()
    write_whole(b"page", pipe)
    reader.join(timeout=20)
    assert read == [b"page"]
    assert pipe.is_fifo()


def test_a_full_disk_leaves_what_there_was(tmp_path: Path) -> None:
    target = tmp_path / "page.html"
    target.write_bytes(b"earlier")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, limits[1]))
    try:
        with pytest.raises(InfrastructureError, match=r"page\.html: File too large"):
            write_whole(b"anew" * 1000, target)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert target.read_bytes() == b"earlier"
    assert list(tmp_path.iterdir()) == [target]


def test_a_link_that_lies_in_wait_is_not_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another user's link or file with the name of the temporary part is neither followed nor replaced."""
    (tmp_path / "victim").write_bytes(b"mine")
    folder = tmp_path / "open to all"
    folder.mkdir()
    names = iter(["aa", "bb"])
    monkeypatch.setattr("secrets.token_hex", lambda size: next(names))
    for planted in (".page.html.part", ".page.html.aa.part"):
        (folder / planted).symlink_to(tmp_path / "victim")
    write_whole(b"page", folder / "page.html")
    assert (folder / "page.html").read_bytes() == b"page"
    assert (tmp_path / "victim").read_bytes() == b"mine"
    assert {path.name for path in folder.iterdir()} == {".page.html.part", ".page.html.aa.part", "page.html"}


def test_two_writers_of_one_file_leave_one_of_both_whole(tmp_path: Path) -> None:
    target, texts = tmp_path / "page.html", [bytes([65 + n]) * (1 << 20) for n in range(4)]
    seen: list[bytes] = []

    def write(data: bytes) -> None:
        for _ in range(10):
            write_whole(data, target)
            seen.append(target.read_bytes())

    writers = [threading.Thread(target=write, args=(text,)) for text in texts]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join(timeout=60)
    assert len(seen) == 40
    assert set(seen) <= set(texts)
    assert list(tmp_path.iterdir()) == [target]


def test_a_file_keeps_its_mode(tmp_path: Path) -> None:
    target = tmp_path / "page.html"
    target.touch(mode=0o600)
    write_whole(b"page", target)
    assert target.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("nowhere/page.html", "No such file or directory"),
        ("file/page.html", "Not a directory"),
        ("folder", "Is a directory"),
        ("round", "Symlink loop|Too many levels"),
        ("x" * 256, "File name too long"),
    ],
)
def test_what_cannot_be_written_is_one_line(tmp_path: Path, name: str, reason: str) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "folder").mkdir()
    (tmp_path / "round").symlink_to("round")
    with pytest.raises(InfrastructureError, match=reason):
        write_whole(b"page", tmp_path / name)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "folder", "round"]


@pytest.mark.parametrize(
    "command",
    [
        words
        for words in ("explain last -o", "tune knobs.toml -o", "check checks.toml --measure --junit", "run --report")
        if words.split()[0] in commands()
    ],
)
def test_a_file_without_a_folder_is_told_before_the_work(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], command: str
) -> None:
    with pytest.raises(SystemExit) as ended:
        main((*command.split(), str(tmp_path / "nowhere" / "x")))
    told = f"rtstone: --{'output' if command.endswith('-o') else command.split('--')[-1]}: there is no folder"
    assert (ended.value.code, capfd.readouterr().err) == (2, f"{told} {tmp_path / 'nowhere'}\n")


def test_a_log_that_cannot_be_written_is_told_before_a_board_is_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(_verify, "verify", lambda *_: pytest.fail("boards were run"))
    with pytest.raises(SystemExit) as ended:
        main(("boards", "verify", "arm64/bare", "--log", str(tmp_path)))
    assert ended.value.code == 3
    assert capfd.readouterr().err == f"rtstone: --log: {tmp_path}: Is a directory\n"
