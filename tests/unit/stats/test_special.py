# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The special functions come without the rest of scipy.special, which can be imported as usual afterwards."""

from __future__ import annotations

import json
import subprocess
import sys

_SCRIPT = """
import json, sys, threading
from rtstone.stats._special import special
end = threading.Event()
if {beside}:
    threading.Thread(target=end.wait).start()
ours = special()
loaded = ["scipy.special" in sys.modules, "numpy.f2py" in sys.modules]
import scipy.special, scipy.stats
names = ("bdtr", "bdtrc", "bdtrik", "betaincc", "betaincinv", "ndtr", "ndtri", "stdtr", "stdtrit")
same = all(getattr(ours, name) is getattr(scipy.special, name) for name in names)
law = scipy.stats.t(3).cdf(2.0) == ours.stdtr(3, 2.0) and scipy.special.logsumexp([0.0]) == 0.0
end.set()
print(json.dumps([loaded, same, bool(law)]))
"""


def _seen(*, beside: bool) -> object:
    """Whether the packages were loaded, whether the functions are those of scipy.special, and whether it works after."""
    words = [sys.executable, "-c", _SCRIPT.format(beside=beside)]
    return json.loads(subprocess.run(words, capture_output=True, text=True, check=True, timeout=60).stdout)


def test_the_functions_are_those_of_scipy_without_the_packages_that_its_import_brings() -> None:
    assert _seen(beside=False) == [[False, False], True, True]


def test_beside_another_thread_the_package_is_imported() -> None:
    assert _seen(beside=True) == [[True, True], True, True]
