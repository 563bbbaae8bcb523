# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Runs clang-tidy once on each C file of a build folder's compile_commands.json. Usage: c_lint.py BUILD_FOLDER."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path


def lint(build: Path, source: str) -> tuple[int, str]:
    """Return clang-tidy's exit code and its findings for `source`."""
    command = ["clang-tidy", "-p", str(build), "--quiet", source]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    # Its standard error only counts the warnings that it left out, unless it failed.
    return done.returncode, done.stdout + (done.stderr if done.returncode else "")


def main() -> int:
    """Lint every file once, though the core is compiled for several ports; return 1 if there is any finding."""
    build = Path(sys.argv[1])
    commands = json.loads((build / "compile_commands.json").read_text())
    first = {command["file"]: command for command in reversed(commands)}
    # cmocka's assertions do not tell the analyzer that they end a test, so tests give it false paths.
    sources = sorted(file for file in first if "tests" not in Path(file).parts)
    once = build / "lint"
    once.mkdir(exist_ok=True)
    (once / "compile_commands.json").write_text(json.dumps(list(first.values())))
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        results = list(pool.map(lambda source: lint(once, source), sources))
    for code, text in results:
        if code:
            print(text, end="")
    print(f"{len(sources)} files, {sum(code != 0 for code, _ in results)} with findings")
    return int(any(code for code, _ in results))


if __name__ == "__main__":
    sys.exit(main())
