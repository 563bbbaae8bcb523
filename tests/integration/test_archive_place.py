# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Where the archive cannot be written one line names the cause and the option: a read-only file system, the folder of another user."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from support.command import command, environment

RUN = ("run", "-t", "simulated", "-m", "semaphore-ping", "--load", "none", "-p", "quick", "--quiet")
OTHER = """
import os, sys
from pathlib import Path
from rtstone.archive import open_queue
from rtstone.archive._location import Location
from rtstone.errors import InfrastructureError
if os.geteuid() == 0:
    os.seteuid(65534)
for ask in (Location(Path(sys.argv[1])).require_writable, lambda: open_queue(sys.argv[1]).add("b", [("p", "1")])):
    try:
        ask()
    except InfrastructureError as error:
        print(error)
"""


@pytest.mark.needs("name-spaces")
@pytest.mark.usefixtures("simulated_engine")
def test_a_read_only_file_system_names_a_volume(tmp_path: Path) -> None:
    place = tmp_path / "ro"
    place.mkdir()
    script = 'mount -t tmpfs -o ro none "$0" && exec "$@"'
    words = [
        "unshare",
        "-rm",
        "sh",
        "-c",
        script,
        str(place),
        *command(*RUN, "--archive", str(place / "a" / "a.sqlite")),
    ]
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=60, env=environment())
    assert done.returncode == 3
    (line,) = done.stderr.splitlines()
    assert line.endswith(
        f"{place}: Read-only file system; name a writable place by --archive or RTSTONE_ARCHIVE, "
        "in a container a volume (-v archive:FOLDER)"
    )


def test_the_folder_of_another_user_names_whose_it_is(tmp_path: Path) -> None:
    me = os.geteuid() or 65534
    done = subprocess.run(
        [sys.executable, "-c", OTHER, "/usr/rtstone-archive.sqlite"],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
        cwd=tmp_path,
        env=environment(),
    )
    before, opened = done.stdout.splitlines()
    option = "name an archive of your own by --archive or RTSTONE_ARCHIVE"
    assert before.endswith(f"/usr: Permission denied (it belongs to user 0, this is user {me}); {option}")
    assert opened.endswith(before.partition("cannot be written")[2])
    assert opened.startswith("archive /usr/rtstone-archive.sqlite cannot be opened: /usr: ")
