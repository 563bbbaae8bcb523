# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The names that may follow ``ssh:``, how a script passes through a login shell, and the messages to the far end."""

from __future__ import annotations

import subprocess
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rtstone.errors import InfrastructureError, UsageError
from rtstone.stream.plan import Item, Plan
from rtstone.targets._process import StreamProcess
from rtstone.targets.remote import Address, _client, parse
from rtstone.targets.remote._machine import engine_for
from rtstone.targets.ssh import _Talk


@pytest.mark.parametrize(
    "spec",
    [
        *(
            "",
            "-oProxyCommand=touch x",
            "-Fx",
            "a b",
            "a;b",
            "a:0",
            "a:70000",
            "a@-b",
            "-x@host",
            "host?su",
            "a?sudo&x",
        ),
        *("host?sudo=1", "$(x)", "h'", "a\nb", "a\n", "[-o]", "%h", "user:password@host", "a:22:23", "ssh://a", "ä"),
    ],
)
def test_no_text_is_an_option(spec: str) -> None:
    with pytest.raises(UsageError):
        parse(spec)


@given(st.text())
def test_what_is_taken_is_said_behind_the_end_of_options(text: str) -> None:
    try:
        words = parse(text).words
    except UsageError:
        return
    assert words[-2] == "--"
    assert words[-1][0] not in "-@"
    assert not set(words[-1]) & set(" \t\n'\"`$;&|<>()\\")
    assert words[:-2] == () or (words[0] == "-p" and words[1].isdecimal())


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("far", Address("far")),
        ("me@far.example:2022?sudo", Address("far.example", "me", 2022, sudo=True)),
        ("[::1]:22", Address("::1", "", 22)),
        ("192.0.2.1", Address("192.0.2.1")),
    ],
)
def test_addresses(text: str, address: Address) -> None:
    assert parse(text) == address
    assert address.text == text


@given(st.text(alphabet=st.characters(min_codepoint=32, max_codepoint=126), min_size=1))
def test_a_script_says_the_same_behind_a_shell(text: str) -> None:
    """A script with any text arrives unchanged.

    The packed form has no character that csh or fish read differently from sh.
    """
    packed = _client._packed(text)
    assert not set(packed) & set("'!\n\"`$*?~#")
    assert "\\\\" not in packed
    done = subprocess.run(["/bin/sh", "-c", f"printf %b '{packed}'"], capture_output=True, check=True)
    assert done.stdout.decode() == text


def test_there_is_no_engine_for_every_machine() -> None:
    for kernel, machine in (("Linux", "sparc64"), ("Darwin", "x86_64"), ("Linux", "../../x"), ("", "")):
        with pytest.raises(InfrastructureError, match="there is no engine for"):
            engine_for("ssh:far", kernel, machine)


def test_each_item_has_its_own_deadline() -> None:
    items = (Item(item=3, measurement="x", count=10), Item(item=1, measurement="x", count=1_000_000))
    talk = _Talk(Plan(seed=1, repetition=0, items=items), b"@mark")
    assert talk.answer(b"a banner") == b""
    assert talk.answer(b"@item 3") == b""  # not yet the far end's word
    assert talk.answer(b"@mark") == b""
    assert talk.answer(b"~0 {}") is None
    assert talk.answer(b"text") is None
    short, long = talk.answer(b"@item 3"), talk.answer(b"@item 1")
    assert short is not None
    assert long is not None
    assert short.startswith(b"next ")
    assert int(long.split()[1]) > int(short.split()[1]) + 1_000_000
    assert talk.answer(b"@item 7") == talk.answer(b"@item \xff") == b"stop\n"
    assert talk.answer(b"@far 2 9.9") == b"stop\n"
    assert "another protocol" in talk.refusal


def test_reasons_are_one_line() -> None:
    far = Address("far")
    for said, words in (
        (b"Host key verification failed.", "host key is not known"),
        (b"@  WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED!  @", "another one than before"),
        (b"me@far: Permission denied (publickey).", "without a password"),
        (b"ssh: connect to host far port 22: Connection refused", "Connection refused"),
        (b"", "the connection failed"),
    ):
        text = _client.why(far, 255, [said] if said else [])
        assert words in text
        assert "\n" not in text


def test_another_host_key_is_removed_from_where_ssh_found_it() -> None:
    said = [
        b"@    WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED!     @",
        b"Offending ED25519 key in /home/me/known hosts:12\r",
        b"  remove with:",
        b'  ssh-keygen -f "/home/me/known hosts" -R "[127.0.0.1]:33669"',
        b"Host key for [127.0.0.1]:33669 has changed and you have requested strict checking.",
        b"Host key verification failed.",
    ]
    command = "ssh-keygen -f '/home/me/known hosts' -R '[127.0.0.1]:33669'"
    assert _client.why(Address("far"), 255, said).endswith(f"if that is right: {command}")


def test_a_message_that_ends_as_on_a_terminal() -> None:
    process = StreamProcess("it", ["sh", "-c", r"printf 'closed by remote host.\r\n' >&2"], silence_s=20)
    with suppress(InfrastructureError):
        list(process.run(b""))
    assert list(process.errors) == [b"closed by remote host."]


def test_what_does_not_travel_in_the_plan_is_said_before_it() -> None:
    plan = Plan(
        seed=1,
        repetition=0,
        items=(Item(item=0, measurement="fork"),),
        peer="192.0.2.1",
        load_command="true",
        clock="gettimeofday",
    )
    words, _, _ = _Talk(plan, b"@mark").opening().partition(b"~")
    assert words.splitlines()[1:] == [b"peer 192.0.2.1", b"clock gettimeofday", b"command true"]
