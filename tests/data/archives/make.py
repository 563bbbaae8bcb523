# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Makes the archives of this folder again, by the code that wrote such archives: ``.venv/bin/python tests/data/archives/make.py``.

For each version it takes the commit out of the history, builds that commit's engine, and measures two runs in virtual time with that
commit's own command. The last run's document is what that commit's own code loads. Facts of the machine are replaced.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
COMMITS = {"0.1.0": "1fd9bc8bfc6a", "0.2.0": "171897f5229f"}
"""The last commit with tables of version 0001, and the commit of the release 0.2.0, whose tables have version 0002."""

_RUN = """
import sys
from importlib import import_module
host = import_module("rtstone.runner.host" if sys.argv[1] == "0.1.0" else "rtstone.measure.host")
host.facts = lambda *_: {"os.name": "Debian GNU/Linux 12 (bookworm)", "kernel.release": "6.1.0-example", "cpu.model": "example"}
from rtstone.cli import main
sys.argv[1:] = sys.argv[2:]
main()
"""
_LOAD = """
import sys
from rtstone.archive import open_archive
from rtstone.archive._documents import encode
sys.stdout.buffer.write(encode(open_archive(sys.argv[1]).load("last")) + b"\\n")
"""


def make(version: str, commit: str, folder: Path) -> None:
    """An archive of two runs, and the document of the last."""
    packed = subprocess.run(["git", "archive", commit], check=True, capture_output=True, cwd=HERE.parents[2]).stdout
    subprocess.run(["tar", "x", "-C", folder], input=packed, check=True)
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    own = os.environ | {"PATH": path, "PYTHONPATH": str(folder / "src"), "HOME": str(folder)}
    subprocess.run(["make", "-s", "engine"], check=True, cwd=folder, env=own)
    archive = HERE / f"{version}.sqlite"
    archive.unlink(missing_ok=True)
    for label in ("first", "second"):
        words = "run -m semaphore-ping -m queue-fill --target simulated --load none --load cpu --profile quick --count 20 -r 2 -q"
        words += f" --label {label} --archive {archive}"
        subprocess.run([sys.executable, "-c", _RUN, version, *words.split()], check=True, cwd=folder, env=own)
    done = subprocess.run(
        [sys.executable, "-c", _LOAD, str(archive)], check=True, cwd=folder, env=own, capture_output=True
    )
    (HERE / f"{version}.json").write_bytes(done.stdout)


if __name__ == "__main__":
    for one in COMMITS.items():
        with tempfile.TemporaryDirectory() as made:
            make(*one, Path(made))
