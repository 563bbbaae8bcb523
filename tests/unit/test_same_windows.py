# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""`tools/same-windows`: which timed windows differ between two builds of a library."""

from __future__ import annotations

import platform
import subprocess
from pathlib import Path

import pytest

from support.same_windows import main

CLOCK = {
    "x86_64": 'uint32_t low, high, cpu; __asm__ volatile("rdtscp\\n\\tlfence" : "=a"(low), "=d"(high), "=c"(cpu) : : "memory");'
    "return (uint64_t)high << 32 | low;",
    "aarch64": 'uint64_t value; __asm__ volatile("isb\\n\\tmrs %0, cntvct_el0\\n\\tisb" : "=r"(value) : : "memory"); return value;',
}[platform.machine()]
HEAD = f"#include <stdint.h>\nstatic inline uint64_t now(void) {{ {CLOCK} }}\nvoid step(void); void other(void);\n"
TIMED = "uint64_t timed(void) { uint64_t begin = now(); step(); return now() - begin; }\n"
ENTERED = "uint64_t entered(void) { step(); return now(); }\n"


def library(folder: Path, name: str, source: str) -> str:
    program = folder / f"{name}.a"
    (folder / "code.c").write_text(HEAD + source)
    subprocess.run(["cc", "-O2", "-c", "code.c", "-o", "code.o"], cwd=folder, check=True)
    subprocess.run(["ar", "rc", program, "code.o"], cwd=folder, check=True)
    return str(program)


@pytest.mark.parametrize(
    ("after", "code", "line"),
    [
        (TIMED, 0, "1 identical, 0 same but"),
        (
            TIMED.replace("uint64_t begin", "other(); other(); uint64_t begin"),
            0,
            "same but for addresses: code.o:timed",
        ),
        (TIMED.replace("timed", "again"), 0, "moved: code.o:timed -> code.o:again"),
        (TIMED.replace("step();", "step(); step();"), 1, "window differs: code.o:timed"),
        (TIMED.replace("step();", "other();"), 1, "window differs: code.o:timed"),
        (TIMED.replace("step();", '__asm__ volatile("nop"); step();'), 1, "+ nop"),
        ("void timed(void) { step(); }\n", 1, "gone: code.o:timed"),
        (TIMED + "void plain(void) { other(); }\n", 0, "1 identical"),
        (TIMED + TIMED.replace("timed", "second"), 0, "new: code.o:second"),
    ],
)
def test_a_window_that_differs_by_one_instruction_is_found(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], after: str, code: int, line: str
) -> None:
    assert main([library(tmp_path, "before", TIMED), library(tmp_path, "after", after)]) == code
    assert line in capsys.readouterr().out


def test_a_distance_to_a_function_that_moved_is_an_address(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    far = "static __attribute__((noinline, used)) void far(void) { step(); }\n"
    timed = 'uint64_t timed(void) { uint64_t begin = now(); __asm__ volatile("" : : "r"(&far)); step(); return now() - begin; }\n'
    between = "void between(void) { other(); step(); other(); }\n"
    assert main([library(tmp_path, "before", far + timed), library(tmp_path, "after", far + between + timed)]) == 0
    assert "0 with another window" in capsys.readouterr().out


def test_with_one_reading_the_whole_function_is_the_window(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    changed = ENTERED.replace("step()", "step(); other()")
    assert main([library(tmp_path, "before", ENTERED), library(tmp_path, "after", changed)]) == 1
    assert "window differs: code.o:entered" in capsys.readouterr().out


def test_a_jump_to_another_place_in_the_window_is_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def jumps(place: str) -> str:
        jump = "jmp" if platform.machine() == "x86_64" else "b"
        return TIMED.replace("step();", f'__asm__ volatile("{jump} {place}f\\n1: nop\\n2: nop\\n3: nop");')

    assert main([library(tmp_path, "before", jumps("1")), library(tmp_path, "after", jumps("3"))]) == 1
    assert "window differs" in capsys.readouterr().out


def test_a_function_without_a_window_is_named_where_it_differs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plain = "void plain(void) { other(); }\n"
    changed = plain.replace("other();", "other(); step();")
    assert main([library(tmp_path, "before", TIMED + plain), library(tmp_path, "after", TIMED + changed)]) == 0
    assert "reads no clock, differs: code.o:plain" in capsys.readouterr().out


def test_what_cannot_be_compared_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    silent = library(tmp_path, "silent", "void plain(void) { other(); }\n")
    (tmp_path / "text.a").write_text("no library")
    for arguments in ([], [silent, silent], [silent, str(tmp_path / "text.a")], [silent, str(tmp_path / "none.a")]):
        assert main(arguments) == 2
        assert capsys.readouterr().err.count("\n") == 1
