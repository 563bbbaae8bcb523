# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The result of a kernel's acceptance test, read from what the image printed; and the kernels that have the test."""

from __future__ import annotations

import json
import subprocess
from typing import Any

import pytest

from rtstone.cli import main
from rtstone.errors import InfrastructureError, UsageError
from rtstone.targets import acceptance
from rtstone.targets.boards import firmware


@pytest.mark.parametrize(
    ("printed", "code", "failure"),
    [
        (b"accepted\n", 0, ""),
        (
            b"rtstone: fatal: not accepted, line 75: mix(7) == expected\n",
            0,
            "boards/firmware/acceptance.c:75: mix(7) == expected",
        ),
        (b"rtstone: fatal: not accepted, line 9: a == b\n", 1, "boards/firmware/acceptance.c:9: a == b"),
        (b"rtstone: fatal: the scheduler did not start\n", 0, "the scheduler did not start"),
        (b"", 0, "the test ended without a result, and printed ''"),
        (b"accepted\nrtstone: fatal: late\n", 0, "late"),
        (b"\x1b[2Jaccep", 0, "the test ended without a result, and printed '\\x1b[2Jaccep'"),
    ],
)
def test_the_failed_condition(printed: bytes, code: int, failure: str) -> None:
    assert acceptance._failure(printed, code, "", "board:b/k") == failure


@pytest.mark.parametrize("printed", [b"", b"accepted\n"])
def test_a_failure_of_the_emulator_is_no_result(printed: bytes) -> None:
    with pytest.raises(InfrastructureError, match=r"board:b/k: the emulator failed: no such machine$"):
        acceptance._failure(printed, 1, "hint\nno such machine\n", "board:b/k")


@pytest.mark.parametrize(("board", "kernel"), [("arm64", "bare"), ("arm64", "linux-6.1")])
def test_kernels_without_a_port_have_no_test(board: str, kernel: str) -> None:
    with pytest.raises(UsageError, match="has no acceptance test"):
        acceptance.accept(board, kernel)


def test_a_hung_kernel_is_not_accepted(monkeypatch: pytest.MonkeyPatch) -> None:
    def hang(*_words: Any, timeout: int, **_more: Any) -> None:
        raise subprocess.TimeoutExpired("qemu", timeout)

    monkeypatch.setattr(acceptance, "require_emulator", lambda board: None)
    monkeypatch.setattr(firmware, "build", lambda board, kernel, **_: "image")
    monkeypatch.setattr(subprocess, "run", hang)
    assert acceptance.accept("arm64", "freertos") == "the test did not end in 120 s"


@pytest.mark.parametrize(("failure", "code"), [("", 0), ("acceptance.c:7: a == b", 1)])
def test_the_command_prints_and_ends_with_the_result(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], failure: str, code: int
) -> None:
    monkeypatch.setattr(acceptance, "accept", lambda board, kernel: failure if board == "arm64" else "")
    for words in (("arm64/freertos",), ("arm64/freertos", "mps2-an385/freertos", "arm64/bare", "--json")):
        with pytest.raises(SystemExit) as ended:
            main(("boards", "accept", *words))
        assert ended.value.code == code
    line, _, text = capsys.readouterr().out.partition("\n")
    assert line == f"board:arm64/freertos: {f'not accepted: {failure}' if failure else 'accepted'}"
    assert json.loads(text)["boards"] == [
        {"target": "board:arm64/freertos", "accepted": not failure, "failure": failure},
        {"target": "board:mps2-an385/freertos", "accepted": True, "failure": ""},
    ]


@pytest.mark.parametrize("word", ["arm64/bare", "arm64/none", "nothing"])
def test_a_wrong_board_is_a_usage_error(capsys: pytest.CaptureFixture[str], word: str) -> None:
    with pytest.raises(SystemExit) as ended:
        main(("boards", "accept", word))
    assert ended.value.code == 2
    assert capsys.readouterr().err.count("\n") == 1
