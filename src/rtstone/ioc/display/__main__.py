# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The process that shows the IOC's screen: `python -m rtstone.ioc.display --prefix rtstone:`.

The environment (EPICS_CA_ADDR_LIST …) locates the IOC.
Ends with 0 when the window is closed, with 3 and one line on standard error
when there is no IOC, no screen, or no PyDM.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import signal
import sys
from typing import Any

from rtstone.errors import InfrastructureError
from rtstone.ioc._showing import SHOWN, check_display
from rtstone.ioc.display.repeater import stand_in

EXIT_INFRASTRUCTURE = 3
_PR_SET_PDEATHSIG = 1
_FLUSH_MS = 500


def main() -> int:
    """Show the screen until it is closed; returns the exit code."""
    parser = argparse.ArgumentParser(prog="rtstone-display", description="The screen of an IOC.")
    parser.add_argument("--prefix", default="rtstone:", help="of the records' names")
    parser.add_argument("--patience", type=float, default=10.0, metavar="S", help="how long the IOC may take to answer")
    parser.add_argument("--picture", metavar="FILE", help="save a picture (PNG) and end")
    parser.add_argument("--after", type=float, default=5.0, metavar="S", help="when to take the picture")
    parser.add_argument("--with-parent", action="store_true", help="end when the process that started this one does")
    arguments = parser.parse_args()
    if arguments.with_parent:
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    try:
        check_display()
        stand_in()
        _check_ioc(arguments.prefix, arguments.patience)
        return _show(arguments)
    except InfrastructureError as error:
        print(f"rtstone-display: {error}", file=sys.stderr)
        return EXIT_INFRASTRUCTURE


def _check_ioc(prefix: str, patience_s: float) -> None:
    """Raise InfrastructureError if no IOC serves records of this prefix."""
    from epicscorelibs.path import get_lib

    os.environ["PYEPICS_LIBCA"] = get_lib("ca")  # the libca that the IOC has, instead of pyepics's own
    import epics

    record = f"{prefix}state"
    if not epics.PV(record).wait_for_connection(timeout=patience_s):
        place = os.environ.get("EPICS_CA_ADDR_LIST") or "the local network"
        port = os.environ.get("EPICS_CA_SERVER_PORT", "5064")
        raise InfrastructureError(f"no IOC answers for {record} at {place}, port {port}, within {patience_s:g} s")


def _show(arguments: argparse.Namespace) -> int:
    import epics
    from pydm import PyDMApplication
    from pydm.utilities import establish_widget_connections
    from qtpy.QtCore import QTimer

    from rtstone.ioc.display.screen import Screen

    application = PyDMApplication(use_main_window=False)
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    screen = Screen(macros={"P": arguments.prefix})
    establish_widget_connections(screen)
    screen.show()
    # pyepics calls a record connected before it has subscribed: the last subscription may lie in libca's buffer for ever.
    timers: list[Any] = [QTimer()]
    timers[0].timeout.connect(epics.ca.flush_io)
    timers[0].start(_FLUSH_MS)
    saved: list[bool] = []
    if arguments.picture:

        def take() -> None:
            saved.append(bool(screen.grab().save(arguments.picture, "PNG")))
            application.quit()

        QTimer.singleShot(round(1000 * arguments.after), take)
    QTimer.singleShot(0, lambda: print(SHOWN, flush=True))
    code = int(application.exec_())
    if arguments.picture and saved != [True]:
        raise InfrastructureError(f"{arguments.picture} cannot be written")
    return code


if __name__ == "__main__":
    sys.stdout.flush()
    code = main()
    sys.stdout.flush()
    sys.stderr.flush()
    # libca's and Qt's threads are of no use any more, and their order of ending is not ours to set.
    os._exit(code)
