# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Runs that cannot be explained are refused in a line that says why."""

from __future__ import annotations

import pytest

from rtstone.errors import UsageError
from rtstone.explain import explain
from rtstone.model import Variant
from support.runs import make_result, make_run


def test_a_kernel_of_one_s_own_without_a_probe_is_refused() -> None:
    """Its interrupt is measured from user space: no handler of the kernel's answers it, and no quantity is of one."""
    values = [1000 + i for i in range(100)]
    only = make_result("interrupt-task-response", measurement="interrupt-response", values=values, variant=Variant())
    host = {"board.kernel.probe": "no headers to build the probe module against"}
    run = make_run("r-1", results=(only,), target="board:pc/kernel:/k", time="instruction-time", host=host)
    with pytest.raises(UsageError, match=r"from user space alone.*no headers"):
        explain(run, [b""])
