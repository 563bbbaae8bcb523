# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Foreign text: one rule for a line and one for a document. Costs 1 s."""

from __future__ import annotations

import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rtstone.model.text import json_document, neutral, neutral_json, printable
from rtstone.stream import framing

# Right-to-left override, escape, bell, DEL, C1, line separator, a character beyond the first plane.
HOSTILE = "a\u202eb\x1b[31m\x07\x7f\x9b\u2028\U000e0001"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\u202eb", r"a\u202eb"),  # not \x202e, which reads as a space and "2e"
        ("a\x1bb", r"a\x1bb"),
        ("a\tb\nc", r"a\x09b\x0ac"),
        ("10\u00a0000", r"10\xa0000"),
        ("a\U000e0001b", r"a\U000e0001b"),
        ("µs, 漢字, –", "µs, 漢字, –"),
    ],
)
def test_a_line_shows_every_character_that_is_not_printable_by_its_number(text: str, expected: str) -> None:
    assert printable(text) == expected


def test_a_line_keeps_the_characters_that_are_named() -> None:
    assert printable("a\tb\nc\u00a0d", keep="\t\u00a0") == "a\tb\\x0ac\u00a0d"


def test_a_document_keeps_its_tabs_line_ends_and_spaces() -> None:
    assert neutral("a\tb\nc\u00a0d") == "a\tb\nc\u00a0d"
    assert neutral("a\u202eb\x1b\r") == r"a\u202eb\x1b\x0d"


def test_a_stored_string_is_a_line_with_its_tabs() -> None:
    assert framing.clean("a\tb\u202e") == "a\tb\\u202e"
    assert framing.console_text(b"a\tb\xff\x1b") == r"a	b\xff\x1b"
    assert framing.console_text(b"abcdef", 4) == "abcd […2 more bytes]"


@given(st.text())
def test_nothing_that_a_terminal_obeys_is_left(text: str) -> None:
    line = printable(text)
    assert line.isprintable()
    assert printable(line) == line
    bidirectional = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
    for c in neutral(text):
        assert c in "\t\n" or unicodedata.category(c) != "Cc"
        assert unicodedata.bidirectional(c) not in bidirectional


@given(st.text(alphabet=st.characters(codec="utf-8")))
def test_a_json_document_says_the_same(text: str) -> None:
    document = json_document({"text": text})
    assert json.loads(document) == {"text": text}
    assert neutral(document.decode()) == document.decode()
    assert neutral_json(document) == document


def test_a_json_document_shows_hostile_text_by_its_number() -> None:
    assert rb"a\u202eb\u001b[31m\u0007\u007f\u009b\u2028" in json_document([HOSTILE])
