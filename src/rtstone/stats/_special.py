# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The functions of `scipy.special`, without the time that the import of that package takes."""

from __future__ import annotations

import sys
import threading
from functools import cache
from importlib import import_module
from types import ModuleType

_PACKAGE = "scipy.special"


@cache
def special() -> ModuleType:
    """The module that has scipy's special functions of numbers, such as `stdtr`.

    `import scipy.special` takes 0.1 s of CPU time: it prepares other array libraries, and imports numpy.f2py and
    numpy.testing for them. All functions that are used here are in one of its compiled modules, which this function
    imports without the package. For this moment an empty package stands in. A later `import scipy.special` is complete,
    and has the same functions. While other threads run, which could meet the empty package, the package is imported.
    """
    if _PACKAGE not in sys.modules and threading.active_count() == 1:
        import scipy

        stand_in = ModuleType(_PACKAGE)
        stand_in.__path__ = [f"{place}/special" for place in scipy.__path__]
        sys.modules[_PACKAGE] = stand_in
        try:
            return import_module(f"{_PACKAGE}._ufuncs")
        except ImportError:  # another release of scipy may have another module
            pass
        finally:
            del sys.modules[_PACKAGE]
    return import_module(_PACKAGE)
