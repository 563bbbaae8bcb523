# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The check of `make check` for unused code finds a function that only its package's face and tests name. Costs 1 s."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

FILES = {
    "room/__init__.py": 'from room._two import used, welch\n\n__all__ = [\n    "used",\n    "welch",\n]\n',
    "room/_two.py": "class Row:\n    field: int = 0\n\n\ndef used() -> Row:\n    return Row()\n\n\ndef welch() -> None:\n    pass\n",
    "room/main.py": "import room\n\nroom.used()\n",
    "room/targets.py": "from room import target\n\n\n@target('simulated')\ndef started() -> None:\n    pass\n",
    "command": "#!/usr/bin/env python3\ndef lost() -> None:\n    pass\n",
}


def test_what_only_a_face_names_is_found_and_what_is_registered_is_not(root: Path, tmp_path: Path) -> None:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    done = subprocess.run(
        [sys.executable, root / "tools" / "dead_code.py", "."],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.splitlines() == ["command:2: unused function 'lost'", "room/_two.py:9: unused function 'welch'"]
    assert (done.returncode, done.stderr) == (1, "")
