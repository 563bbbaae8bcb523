# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Runs clang-tidy once on each C file that build folders' compile_commands.json name. Usage: c_lint.py BUILD_FOLDER..."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

TIDY = Path(sys.prefix) / "bin" / "clang-tidy"
"""The version that pyproject.toml names, whatever Debian has. Its package lacks clang's own headers: those of Debian's clang serve."""


def _headers() -> str:
    words = ["clang", "-print-resource-dir"]
    return f"{subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip()}/include"


def lint(build: Path, source: str, headers: str) -> tuple[int, str]:
    """Return clang-tidy's exit code and its findings for `source`."""
    command = [str(TIDY), "-p", str(build), "--quiet", f"--extra-arg=-isystem{headers}", source]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    # Its standard error only counts the warnings that it left out, unless it failed.
    return done.returncode, done.stdout + (done.stderr if done.returncode else "")


def main() -> int:
    """Lint every file once, though the core is compiled for several ports and builds; return 1 if there is any finding."""
    builds = [Path(word) for word in sys.argv[1:]]
    first: dict[str, dict[str, str]] = {}
    for build in builds:
        for command in json.loads((build / "compile_commands.json").read_text()):
            first.setdefault(str(Path(command["file"]).resolve()), command)
    # The analyzer does not know that cmocka's assertions end a test, so tests give it false paths.
    sources = sorted(file for file in first if "tests" not in Path(file).parts)
    headers = _headers()
    once = builds[0] / "lint"
    once.mkdir(exist_ok=True)
    commands = [command | {"file": file} for file, command in first.items()]
    (once / "compile_commands.json").write_text(json.dumps(commands))
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        results = list(pool.map(lambda source: lint(once, source, headers), sources))
    for code, text in results:
        if code:
            print(text, end="")
    print(f"{len(sources)} files, {sum(code != 0 for code, _ in results)} with findings")
    return int(any(code for code, _ in results))


if __name__ == "__main__":
    sys.exit(main())
