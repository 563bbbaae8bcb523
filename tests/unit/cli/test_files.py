# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""What a command writes is there whole or not at all, and replaces nothing but plain files."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from rtstone.cli import _verify, main
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


def test_a_full_disk_leaves_what_there_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "page.html"
    target.write_bytes(b"earlier")
    whole = Path.write_bytes

    def half(path: Path, data: bytes) -> int:
        whole(path, data[: len(data) // 2])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", half)
    with pytest.raises(InfrastructureError, match=r"page\.html: No space left on device"):
        write_whole(b"anew", target)
    assert target.read_bytes() == b"earlier"
    assert list(tmp_path.iterdir()) == [target]


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("nowhere/page.html", "No such file or directory"),
        ("file/page.html", "Not a directory"),
        ("folder", "Is a directory"),
        ("round", "Symlink loop|Too many levels"),
        ("x" * 252, "File name too long"),
    ],
)
def test_what_cannot_be_written_is_one_line(tmp_path: Path, name: str, reason: str) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "folder").mkdir()
    (tmp_path / "round").symlink_to("round")
    with pytest.raises(InfrastructureError, match=reason):
        write_whole(b"page", tmp_path / name)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "folder", "round"]


def test_a_log_that_cannot_be_written_is_told_before_a_board_is_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(_verify, "verify", lambda *_: pytest.fail("boards were run"))
    with pytest.raises(SystemExit) as ended:
        main(("verify-board", "arm64/bare", "--log", str(tmp_path)))
    assert ended.value.code == 3
    assert capfd.readouterr().err == f"rtstone: --log: {tmp_path}: Is a directory\n"
