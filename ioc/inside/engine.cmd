# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
# Once the IOC of a guest runs: the engine, in its process.
on error break
loadLibrary("$(RTSTONE_IOC_PLACE)/librtstone-engine.so")
engineRun("$(RTSTONE_IOC_RECORDS)", "$(RTSTONE_IOC_PLAN)", "$(RTSTONE_IOC_PROBE_DEVICE=)")
exit
