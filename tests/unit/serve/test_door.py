# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Which clients may connect from where. Wrong settings are refused before anything listens."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from rtstone.errors import UsageError
from rtstone.serve._app import _credential, _name
from rtstone.serve._model import PageAccess
from rtstone.serve._server import admitted
from rtstone.serve.command import _token, address

TOKEN = "a-token-of-22-letters!"
LAN = PageAccess(host="192.0.2.1", port=443, token=TOKEN, proxy=True)


def test_the_loopback_needs_nothing() -> None:
    assert admitted(PageAccess()) == {"localhost", "127.0.0.1", "[::1]"}
    assert admitted(PageAccess(host="::1")) == {"localhost", "127.0.0.1", "[::1]"}


def test_another_address_wants_token_and_encryption() -> None:
    assert "192.0.2.1" in admitted(LAN)
    assert "lab.example" in admitted(PageAccess(names=("Lab.Example",), token=TOKEN, proxy=True))
    for door, said in (
        (msgspec.structs.replace(LAN, token=""), "--token-file"),
        (msgspec.structs.replace(LAN, proxy=False), "unencrypted"),
        (PageAccess(names=("lab.example",)), "--token-file"),
        (msgspec.structs.replace(LAN, token="short"), "at least 16"),
        (msgspec.structs.replace(LAN, certificate="x.pem"), "go together"),
        (msgspec.structs.replace(LAN, host="0.0.0.0"), "every address"),  # noqa: S104
        (msgspec.structs.replace(LAN, host="::"), "every address"),
        (PageAccess(host="example.org"), "no address"),
    ):
        with pytest.raises(UsageError, match=said):
            admitted(door)


def test_what_bind_takes() -> None:
    assert address("127.0.0.1") == ("127.0.0.1", 8017)
    assert address("[::1]:80") == ("::1", 80)
    for text in ("", "::1", "a b", "127.0.0.1:99999", "127.0.0.1:x", "http://127.0.0.1"):
        with pytest.raises(UsageError, match="--bind"):
            address(text)


def test_hosts_are_compared_without_port_and_case() -> None:
    for host in ("LocalHost:80", "localhost.", "localhost"):
        assert _name(host) == "localhost"
    assert _name("[::1]:80") == "[::1]"
    assert _name("localhost:80:80") != "localhost"
    assert _name("evil.example#localhost:80") != "localhost"


def test_tokens_in_both_ways() -> None:
    assert _credential(f"Bearer {TOKEN}") == TOKEN.encode()
    assert _credential("Basic YW55OmEtdG9rZW4=") == b"a-token"
    for text in ("", "Basic ???", "Digest x", "Basic"):
        assert _credential(text) == b""


def test_a_token_file_is_ones_own(tmp_path: Path) -> None:
    file = tmp_path / "token"
    with pytest.raises(UsageError, match=r"^--token-file .*: No such file"):
        _token(file)
    file.write_text(f"{TOKEN}\nmore\n")
    file.chmod(0o644)
    with pytest.raises(UsageError, match="chmod 600"):
        _token(file)
    file.chmod(0o600)
    assert _token(file) == TOKEN
    file.write_text("\n")
    with pytest.raises(UsageError, match="empty"):
        _token(file)
