# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The command line. Commands register under the entry points `rtstone.commands`, those of plug-ins too.

A command's module has ``register(app)``. Its module is imported only when the command is used, so that help and
completion stay fast: keep imports of heavy libraries inside the functions that use them.
"""

from __future__ import annotations

import atexit
import gc
import os
import sys
from collections.abc import Sequence

from rtstone.cli._commands import Command, Example, names_of

__all__ = ["NUMPY_THREADS", "Command", "Example", "main", "names_of"]

NUMPY_THREADS = "OPENBLAS_NUM_THREADS"
"""Variable for the number of threads that numpy's and scipy's libraries start."""
_OBJECTS = 250_000
"""More objects than the libraries of a command and the runs that it shows have together."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Entry point: runs `rtstone.cli._app.main`. Its import takes a moment, during which Ctrl-C may come.

    The libraries of numpy and scipy each start a thread for every CPU when they are loaded, and no statistic here needs
    them: without these threads, a command that loads both takes 0.17 s less of CPU time. They read the variable from
    the process's own environment. Programs of the user get `os.environ`, which does not have it.

    Python's garbage collector looks for cycles among all objects again and again while libraries are loaded, and several
    times when the process ends. Both find nothing worth freeing: without them, a command that loads an archive takes
    0.1 s less of CPU time. In a command that runs for long, the collector works as before, but less often.
    """
    gc.set_threshold(_OBJECTS, 1, 1)
    atexit.register(gc.freeze)
    if NUMPY_THREADS not in os.environ:
        os.putenv(NUMPY_THREADS, "1")
    try:
        from rtstone.cli import _app
    except KeyboardInterrupt:
        if sys.stderr is not None:
            sys.stderr.write("rtstone: interrupted\n")
        sys.exit(130)
    _app.main(arguments)
