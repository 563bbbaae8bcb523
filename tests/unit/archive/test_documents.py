# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The limit of an archive from anybody when it is unpacked: all of the packed data, and no more than the limit."""

from __future__ import annotations

import tracemalloc
import zlib

import pytest

from rtstone.archive import _documents
from rtstone.errors import InfrastructureError


@pytest.mark.parametrize("size", [0, 1, 65_536, 3_000_000])
def test_what_was_packed_comes_back(size: int) -> None:
    data = bytes(i * i % 251 for i in range(min(size, 70_000))) * max(1, size // 70_000)
    assert _documents.unpack(_documents.pack(data), "a run") == data


def test_a_bomb_is_refused_before_it_has_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_documents, "UNPACKED_MAX", 1 << 20)
    bomb = zlib.compress(b"\0" * (256 << 20), 1)
    tracemalloc.start()
    try:
        with pytest.raises(InfrastructureError, match=r"^a run is damaged: it unpacks to more than 1 MiB$"):
            _documents.unpack(bomb, "a run")
        assert tracemalloc.get_traced_memory()[1] < 8 << 20
    finally:
        tracemalloc.stop()


def test_what_is_just_below_the_limit_is_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_documents, "UNPACKED_MAX", 4096)
    assert len(_documents.unpack(zlib.compress(b"x" * 4095), "a run")) == 4095
    with pytest.raises(InfrastructureError, match="a run is damaged"):
        _documents.unpack(zlib.compress(b"x" * 9000), "a run")


@pytest.mark.parametrize("cut", [0, 1, 5, 20])
def test_a_document_without_its_end_is_refused(cut: int) -> None:
    with pytest.raises(InfrastructureError, match="a run is damaged: its end is missing"):
        _documents.unpack(zlib.compress(bytes(range(256)))[:cut], "a run")


def test_what_is_no_packed_document_is_refused() -> None:
    with pytest.raises(InfrastructureError, match="a run is damaged"):
        _documents.unpack(b"plainly not", "a run")
